// The manifests that a checksum tool verifies, read one after the other.

internal import FileJobs
internal import Glibc
internal import SystemPackage

/// An event of a manifest other than a file to verify. It passes through the processor as the
/// bytes of a note.
enum DropInManifestEvent {
  /// The line with this number is not a checksum line.
  case malformed(line: Int)
  /// The manifest could not be opened, for the reason of this errno value.
  case unopened(Int32)
  /// The manifest could not be read to its end.
  case unread
  case end
}

/// Reads the manifests of a command line on one thread. The note of each file is the digest
/// that the file should have.
final class DropInManifests: @unchecked Sendable {
  // @unchecked: only the feeder's thread uses it until the run is over.
  private let options: DropInHashOptions
  private let standard: StandardDescriptors
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
  /// The memory of an event.
  private let note = UnsafeMutableRawBufferPointer.allocate(
    byteCount: MemoryLayout<DropInManifestEvent>.size, alignment: 8)

  init(
    _ options: DropInHashOptions, _ algorithm: DigestAlgorithm, _ standard: StandardDescriptors
  ) {
    self.options = options
    self.standard = standard
    // One parser for all manifests: the separator of the first line binds the lines of the
    // other manifests too.
    parser = ManifestParser(as: algorithm)
  }

  deinit {
    note.deallocate()
  }

  /// Returns the next item; `nil` after the last manifest.
  func next() -> DropInItem? {
    while true {
      guard let reader else {
        guard index + 1 < options.nameCount else { return nil }
        if let item = beginNext() { return item }
        continue
      }
      if needsFlush && !reader.hasNext {
        needsFlush = false
        return .flush
      }
      do throws(Errno) {
        guard let line = try reader.next() else { return end(.end) }
        needsFlush = !isRegular
        if let item = item(line, reader.lineNumber) { return item }
      } catch {
        return end(.unread)
      }
    }
  }

  private func item(_ line: UnsafeMutableRawBufferPointer, _ number: Int) -> DropInItem? {
    switch parser.parse(line) {
    case .ignored: return nil
    case .malformed: return event(.malformed(line: number))
    case .entry(let entry):
      if entry.name.elementsEqual(DropInOptionParser.standardInput) {
        // A manifest on standard input cannot list standard input.
        if isStandardInput { return event(.malformed(line: number)) }
        hasReadStandardInput = true
      }
      return .file(name: entry.name, note: entry.digest)
    }
  }

  private func event(_ event: DropInManifestEvent) -> DropInItem {
    note.storeBytes(of: event, as: DropInManifestEvent.self)
    return .note(UnsafeRawBufferPointer(note))
  }

  // MARK: Opening and closing

  private var isStandardInput: Bool {
    options.name(at: index).elementsEqual(DropInOptionParser.standardInput)
  }

  /// Opens the next manifest. Returns an item that precedes its lines, if there is one.
  private func beginNext() -> DropInItem? {
    if !hasPassedBarrier && !isRegularFile(options.name(at: index + 1)) {
      hasPassedBarrier = true
      return .barrier
    }
    isRegular = !hasPassedBarrier
    hasPassedBarrier = false
    index += 1
    if isStandardInput {
      hasReadStandardInput = true
      descriptor = .standardInput
    } else {
      let name = options.name(at: index)
      let number =
        isRegular ? name.withPath { open($0, O_RDONLY | O_CLOEXEC) } : standard.open(name)
      guard number >= 0 else { return event(.unopened(errno)) }
      descriptor = FileDescriptor(rawValue: number)
    }
    needsFlush = !isRegular
    reader = ManifestReader(descriptor, lengthMax: Int.max)
    return nil
  }

  private func isRegularFile(_ name: UnsafeRawBufferPointer) -> Bool {
    let status =
      name.elementsEqual(DropInOptionParser.standardInput)
      ? CountWidth.status(of: STDIN_FILENO) : CountWidth.status(of: name)
    return status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false
  }

  private func end(_ event: DropInManifestEvent) -> DropInItem {
    reader = nil
    if descriptor != .standardInput { close(descriptor.rawValue) }
    return self.event(event)
  }
}
