// Reading a manifest of mtree(5) entry by entry.

public import SystemPackage

/// The records of what comes out of a descriptor, in memory that does not grow
/// with their number.
///
/// It is for one thread at a time.
public final class MtreeReader {
  private let lines: ManifestReader
  private let parser = MtreeParser()
  /// The number of the line with which the last record began.
  public private(set) var lineNumber = 0

  /// Reads from where the descriptor stands, which is not closed.
  public init(_ descriptor: FileDescriptor) {
    lines = ManifestReader(descriptor)
  }

  /// The next entry, comment or malformed line; `nil` at the end.
  ///
  /// What it points to is of use until the next one is asked for.
  ///
  /// Blocks: as the descriptor does.
  ///
  /// - Throws: What `read(2)` said, `EINTR` aside.
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
