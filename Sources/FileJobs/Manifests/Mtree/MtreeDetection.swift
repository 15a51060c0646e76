// The distinction between a manifest of mtree(5) and the lines of checksum tools.
//
// DESIGN. A line of a checksum tool begins with a digest or a tag, which no name can change. So
// only a line that begins with a path can be an entry, whatever the rest says: `DIGEST  x size=0`
// is none. (Rejected: to accept any first word that is no digest. It may be a digest of an
// algorithm that Weir does not know.)

enum MtreeDetection {
  /// Returns true for `#mtree` at the very beginning, also if an entry is joined to it, `/set`,
  /// `/unset`, or a path that begins with `.` or `/` and has keywords. Returns `nil` if the line is
  /// empty or a comment, which decides nothing. Does not change the line.
  static func isMtree(_ line: UnsafeMutableRawBufferPointer, isFirst: Bool) -> Bool? {
    var words = MtreeWords(line)
    guard let first = words.next() else { return nil }
    if first.first == UInt8(ascii: "#") {
      let isJoined = first.starts(with: "#mtree".utf8) && line.contains(UInt8(ascii: "="))
      return isFirst && (first.elementsEqual("#mtree".utf8) || isJoined) ? true : nil
    }
    if first.elementsEqual("/set".utf8) || first.elementsEqual("/unset".utf8) { return true }
    let isPath = first.first == UInt8(ascii: ".") || first.first == .slash
    return isPath && isEntry(&words)
  }

  /// Returns true if the words are keywords of mtree(5), at least one of them with a value.
  private static func isEntry(_ words: inout MtreeWords) -> Bool {
    var hasValue = false
    while let word = words.next() {
      let bytes = UnsafeRawBufferPointer(word.base)[word.indices].rebased
      if bytes.count == 1 && bytes[0] == LineWriter.backslash { continue }
      guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
        if MtreeKeyword.isFlag(bytes) { continue }
        return false
      }
      let key = bytes[..<equals].rebased
      hasValue = hasValue || isKeyword(key)
    }
    return hasValue
  }

  private static func isKeyword(_ word: UnsafeRawBufferPointer) -> Bool {
    if case .unknown = MtreeKeyword(word) { false } else { true }
  }
}
