// The distinction between a manifest of mtree(5) and the lines of checksum tools.

/// The distinction between a manifest of mtree(5) and lines of checksum tools, by the first
/// lines of a manifest.
enum MtreeDetection {
  private static let words = [
    "mode", "uid", "gid", "uname", "gname", "nlink", "flags", "device", "inode", "tags",
    "contents", "resdevice",
  ].map { Array($0.utf8) }

  /// Returns true if the line of a manifest is mtree(5), and `nil` if the line is empty or
  /// a comment, which decides nothing. Does not change the line.
  static func isMtree(_ line: UnsafeMutableRawBufferPointer, isFirst: Bool) -> Bool? {
    var words = MtreeWords(line)
    guard let first = words.next() else { return nil }
    if first.first == UInt8(ascii: "#") {
      return isFirst && first.elementsEqual("#mtree".utf8) ? true : nil
    }
    if first.elementsEqual("/set".utf8) || first.elementsEqual("/unset".utf8) { return true }
    var count = 0
    guard isEntry(&words, count: &count) else { return false }
    return count != 1 || !isDigest(first)
  }

  /// Returns true if a line with one more word is a checksum tool's, with that word as its
  /// name: `DIGEST  type=file`.
  private static func isDigest(_ word: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
    let digits = word.first == LineWriter.backslash ? word.dropFirst() : word
    return DigestAlgorithm.allCases.contains { $0.byteCount * 2 == digits.count }
      && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  /// Returns true if the words after a name are keywords of mtree(5), at least one of them
  /// with a value.
  private static func isEntry(_ words: inout MtreeWords, count: inout Int) -> Bool {
    var hasValue = false
    while let word = words.next() {
      count += 1
      let bytes = UnsafeRawBufferPointer(
        rebasing: UnsafeRawBufferPointer(word.base)[word.indices])
      if bytes.count == 1 && bytes[0] == LineWriter.backslash { continue }
      guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
        if MtreeKeyword.isFlag(bytes) { continue }
        return false
      }
      let key = UnsafeRawBufferPointer(rebasing: bytes[..<equals])
      hasValue = hasValue || isKeyword(key)
    }
    return hasValue
  }

  private static func isKeyword(_ word: UnsafeRawBufferPointer) -> Bool {
    if case .other = MtreeKeyword(word) { return words.contains { word.elementsEqual($0) } }
    return true
  }
}
