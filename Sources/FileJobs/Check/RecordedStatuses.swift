// The sizes and times that stand beside a manifest, for its lines.
//
// DESIGN. The records of a manifest have its files in its order, as ManifestComparison has found
// before the run. So both are read in step, and the memory does not grow with either. If a name is
// not where it has to be, one of the two was replaced meanwhile: the lines from there on have only
// their digests.

internal import SystemPackage
internal import Weir

/// A reader of the records beside a manifest, in step with its lines.
final class RecordedStatuses {
  private let reader: ManifestReader
  private let parser = MtreeParser()
  private var entry: MtreeEntry?
  private var isOver = false

  /// - Parameter descriptor: The records, which are closed at the end.
  init(_ descriptor: FileDescriptor) { reader = ManifestReader(descriptor) }

  deinit { try? reader.descriptor.close() }

  /// Advances to the record of a name; returns nil if it is not the next one.
  func status(of name: UnsafeRawBufferPointer) -> ExpectedStatus? {
    if entry?.name.hasSameBytes(as: name) != true { readEntry() }
    guard let entry, entry.name.hasSameBytes(as: name) else {
      (self.entry, isOver) = (nil, true)
      return nil
    }
    return ExpectedStatus(entry)
  }

  /// Returns the algorithm of a digest in the present record.
  func algorithm(of digest: UnsafeRawBufferPointer) -> DigestAlgorithm? {
    entry?.digests.first { $0.bytes.hasSameBytes(as: digest) }?.algorithm
  }

  private func readEntry() {
    entry = nil
    while !isOver, let line = try? reader.next() {
      if case .entry(let found) = parser.parse(line), !found.digests.isEmpty {
        return entry = found
      }
    }
  }
}
