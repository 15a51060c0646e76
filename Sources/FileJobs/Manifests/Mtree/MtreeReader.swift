public import SystemPackage

/// A reader of mtree(5) lines from a descriptor. Its memory does not grow with their number.
///
/// One thread at a time may use it.
public final class MtreeReader {
  private let lines: ManifestReader
  private let parser = MtreeParser()
  /// The number of the line at which the last record began.
  public private(set) var lineNumber = 0

  /// Makes a reader that begins at the descriptor's offset. The descriptor is not closed.
  public init(_ descriptor: FileDescriptor) {
    lines = ManifestReader(descriptor)
  }

  /// Returns the next entry, comment or malformed line; `nil` at the end. The pointers in it
  /// are valid until the next call.
  ///
  /// Blocks: as the descriptor does.
  ///
  /// - Throws: The error of `read(2)`, except `EINTR`.
  public func next() throws(Errno) -> MtreeRecord? {
    while true {
      let isNew = !parser.isContinued
      guard let line = try lines.next() else {
        return parser.finish() ? nil : .malformed
      }
      if isNew { lineNumber = lines.lineNumber }
      switch parser.parse(line) {
      case .ignored: continue
      case let record: return record
      }
    }
  }
}
