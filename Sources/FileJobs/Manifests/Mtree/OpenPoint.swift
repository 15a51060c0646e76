// The mark of a record whose file is not as it was recorded.
//
// DESIGN. The mark is a comment before the line of the file, so that other programs verify the ledger
// as any mtree(5), and see the file as wrong too:
//
//     #weir rot since=2026-11-28T01:30:05Z
//     #weir gone since=2026-11-28T01:30:05Z
//
// Until 0.16 there was `#weir rot` alone, which is read as rot since an unknown time.

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

  /// Parses a comment; `nil` if it is no mark.
  init?(comment: UnsafeRawBufferPointer) {
    let words = comment.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard (2...3).contains(words.count), words[0].elementsEqual("#weir".utf8),
      let kind = Kind(rawValue: String(decoding: words[1], as: UTF8.self)),
      words.count == 2 || words[2].starts(with: "since=".utf8)
    else { return nil }
    let time = words.count == 3 ? words[2].dropFirst("since=".utf8.count) : words[1].prefix(0)
    self.init(kind, since: UTCTime.parse(time.rebased) ?? 0)
  }

  var line: [UInt8] {
    Array("#weir \(kind.rawValue)\(since == 0 ? "" : " since=\(UTCTime.text(since))")\n".utf8)
  }
}
