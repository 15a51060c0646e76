// The mark of a record whose file is not as it was recorded.
//
// DESIGN. The mark is a comment before the line of the file, so that other programs verify the ledger
// as any mtree(5), and see the file as wrong too:
//
//     #weir rot since=2026-11-28T01:30:05Z
//     #weir gone since=2026-11-28T01:30:05Z
//
// Until 0.16 there was `#weir rot` alone, which is read as rot since an unknown time.

internal import Weir

/// An open point of a ledger: a file is rotten or gone, and its record is what it should be.
package struct OpenPoint: Equatable, Sendable {
  package enum Kind: String, Sendable {
    /// The content has changed, the size and the time have not.
    case rot
    /// The file is not there any more.
    case gone
  }

  package let kind: Kind
  /// The time at which a run found it, in seconds since 1970; 0 if unknown.
  package let since: UInt32

  package init(_ kind: Kind, since: UInt32) { (self.kind, self.since) = (kind, since) }

  private static let begin = "#weir "
  private static let word = " since="

  /// Parses a comment; `nil` if it is no mark.
  init?(comment: UnsafeRawBufferPointer) {
    guard comment.starts(with: OpenPoint.begin.utf8) else { return nil }
    let rest = UnsafeRawBufferPointer(rebasing: comment.dropFirst(OpenPoint.begin.utf8.count))
    for kind in [Kind.rot, .gone] where rest.starts(with: kind.rawValue.utf8) {
      let time = UnsafeRawBufferPointer(rebasing: rest.dropFirst(kind.rawValue.utf8.count))
      if time.isEmpty {
        self.init(kind, since: 0)
        return
      }
      guard time.starts(with: OpenPoint.word.utf8) else { continue }
      let text = UnsafeRawBufferPointer(rebasing: time.dropFirst(OpenPoint.word.utf8.count))
      self.init(kind, since: UTCTime.parse(text) ?? 0)
      return
    }
    return nil
  }

  /// The mark as a line.
  var line: [UInt8] {
    let time = since == 0 ? "" : OpenPoint.word + UTCTime.text(since)
    return Array("\(OpenPoint.begin)\(kind.rawValue)\(time)\n".utf8)
  }
}
