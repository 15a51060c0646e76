// The lines of the manifests that a checksum tool verifies, as items of a run.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// An event of a manifest other than a file to verify. It passes through the processor as the
/// bytes of a note.
enum DropInManifestEvent {
  /// The line with this number is not a checksum line. The index is that of the algorithm
  /// that a line named last; `nil` if all lines are of one algorithm, or none named one.
  case malformed(line: Int, algorithm: Int?)
  /// The end, or the reason for which the manifest was not read to it: 0, or an errno value.
  case end(Int32)
}

/// Makes items of the manifests of a command line, read one after the other on one thread. The
/// note of each file is the digest that the file should have.
final class DropInManifests: @unchecked Sendable {
  // @unchecked: only the feeder's thread uses it until the run is over.
  private let names: DropInOperands
  private let standard: StandardDescriptors
  // One parser for all manifests: the separator of the first line binds the lines of the
  // other manifests too.
  private var parser: ManifestParser
  private var reader: ManifestReader?
  private var descriptor = FileDescriptor.standardInput
  /// The index of the current manifest, or of the last one.
  private var index = -1
  /// True if the current manifest is a regular file, which never blocks for long.
  private var isRegular = false
  /// True if the next read may block for long and no flush has announced it.
  private var needsFlush = false
  /// True if all items before the next manifest are written.
  private var hasPassedBarrier = false
  /// True if standard input was read, as a manifest or as a file.
  private(set) var hasReadStandardInput = false
  /// The memory of an event, or of a note.
  private let note = UnsafeMutableRawBufferPointer.allocate(
    byteCount: max(MemoryLayout<DropInManifestEvent>.size, DropInExpectedDigest.sizeMax),
    alignment: 8)

  /// - Parameter standard: The descriptors that were closed at the start.
  init(_ names: DropInOperands, _ parser: ManifestParser, _ standard: StandardDescriptors) {
    self.names = names
    self.parser = parser
    self.standard = standard
  }

  deinit {
    note.deallocate()
  }

  /// Returns the next item; `nil` after the last manifest.
  func next() -> DropInItem? {
    while true {
      guard let reader else {
        if index + 1 == names.count { return nil }
        if let item = beginNext() { return item }
        continue
      }
      if needsFlush && !reader.hasNext {
        needsFlush = false
        return .flush
      }
      do throws(Errno) {
        guard let line = try reader.next() else { return end() }
        needsFlush = !isRegular
        if let item = item(line, reader.lineNumber) { return item }
      } catch {
        return end(.readError)
      }
    }
  }

  private func item(_ line: UnsafeMutableRawBufferPointer, _ number: Int) -> DropInItem? {
    switch parser.parse(line) {
    case .ignored: return nil
    case .malformed: break
    case .entry(let entry):
      let isInput = entry.name.elementsEqual(DropInOperands.standardInput)
      // A manifest on standard input cannot list standard input.
      if isInput && names.isStandardInput(at: index) { break }
      if isInput { hasReadStandardInput = true }
      return .file(name: entry.name, note: DropInExpectedDigest.write(entry, to: note))
    }
    return event(.malformed(line: number, algorithm: parser.lastTagged?.index))
  }

  private func event(_ event: DropInManifestEvent) -> DropInItem {
    note.storeBytes(of: event, as: DropInManifestEvent.self)
    return .note(UnsafeRawBufferPointer(note))
  }

  // MARK: Opening and closing

  /// Opens the next manifest. Returns an item that precedes its lines, if there is one.
  private func beginNext() -> DropInItem? {
    if !hasPassedBarrier && !isRegularFile(at: index + 1) {
      hasPassedBarrier = true
      return .barrier
    }
    isRegular = !hasPassedBarrier
    hasPassedBarrier = false
    index += 1
    if names.isStandardInput(at: index) {
      hasReadStandardInput = true
      descriptor = .standardInput
    } else {
      let name = names[index]
      do throws(Errno) {
        let number = try retryingOnInterrupt {
          isRegular ? name.withPath { open($0, O_RDONLY | O_CLOEXEC) } : standard.open(name)
        }
        descriptor = FileDescriptor(rawValue: number)
      } catch {
        return event(.end(error.rawValue))
      }
    }
    needsFlush = !isRegular
    reader = ManifestReader(descriptor, lengthMax: Int.max)
    return nil
  }

  private func isRegularFile(at index: Int) -> Bool {
    let status =
      names.isStandardInput(at: index)
      ? stat.of(descriptor: STDIN_FILENO) : stat.of(names[index])
    return status?.isRegularFile ?? false
  }

  private func end(_ failure: Errno? = nil) -> DropInItem {
    reader = nil
    if descriptor != .standardInput { close(descriptor.rawValue) }
    return event(.end(failure?.rawValue ?? 0))
  }
}
