// The lines of the manifests that a checksum tool verifies, as items of a run.

internal import FileJobs
internal import SystemPackage

/// An event of a manifest other than a file to verify. It passes through the processor as the
/// bytes of a note.
enum DropInManifestEvent {
  /// The line with this number is not a checksum line. The index is that of the algorithm
  /// that a line named last; `nil` if all lines are of one algorithm, or none named one.
  case malformed(line: Int, algorithm: Int?)
  /// The manifest could not be opened, for the reason of this errno value.
  case unopened(Int32)
  /// The manifest could not be read to its end.
  case unread
  case end
}

/// Makes items of the manifests of a command line. The note of each file is the digest that the
/// file should have.
final class DropInManifests: @unchecked Sendable {
  // @unchecked: only the feeder's thread uses it until the run is over.
  private let lines: DropInManifestLines
  private var parser: ManifestParser
  /// True if a line named standard input.
  private var namesStandardInput = false
  /// The memory of an event, or of a note.
  private let note = UnsafeMutableRawBufferPointer.allocate(
    byteCount: max(MemoryLayout<DropInManifestEvent>.size, DropInExpectedDigest.sizeMax),
    alignment: 8)

  /// - Parameters:
  ///   - names: The names of the manifests.
  ///   - parser: The parser of all lines.
  ///   - standard: The descriptors that were closed at the start.
  init(_ names: some DropInNames, _ parser: ManifestParser, _ standard: StandardDescriptors) {
    lines = DropInManifestLines(names, standard)
    // One parser for all manifests: the separator of the first line binds the lines of the
    // other manifests too.
    self.parser = parser
  }

  deinit {
    note.deallocate()
  }

  /// True if standard input was read, as a manifest or as a file.
  var hasReadStandardInput: Bool { namesStandardInput || lines.hasReadStandardInput }

  /// Returns the next item; `nil` after the last manifest.
  func next() -> DropInItem? {
    while let step = lines.next() {
      switch step {
      case .line(let line, let number):
        if let item = item(line, number) { return item }
      case .unopened(let error): return event(.unopened(error.rawValue))
      case .unread: return event(.unread)
      case .end: return event(.end)
      case .wait(let item): return item
      }
    }
    return nil
  }

  private func item(_ line: UnsafeMutableRawBufferPointer, _ number: Int) -> DropInItem? {
    switch parser.parse(line) {
    case .ignored: return nil
    case .malformed: return event(.malformed(line: number, algorithm: parser.lastTagged?.index))
    case .entry(let entry):
      if entry.name.elementsEqual(DropInOptionParser.standardInput) {
        // A manifest on standard input cannot list standard input.
        if lines.isStandardInput {
          return event(.malformed(line: number, algorithm: parser.lastTagged?.index))
        }
        namesStandardInput = true
      }
      return .file(
        name: entry.name, note: DropInExpectedDigest.write(entry, to: note))
    }
  }

  private func event(_ event: DropInManifestEvent) -> DropInItem {
    note.storeBytes(of: event, as: DropInManifestEvent.self)
    return .note(UnsafeRawBufferPointer(note))
  }
}
