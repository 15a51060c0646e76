// How a manifest of mtree(5) is recognized.

/// Tells a manifest of mtree(5) from lines of checksum tools, by how it begins.
enum MtreeSign {
  case mtree
  case other
  /// A line that says nothing of that: an empty one, or a comment.
  case nothing

  private static let words = [
    "mode", "uid", "gid", "uname", "gname", "nlink", "flags", "device", "inode", "tags",
    "contents", "resdevice",
  ].map { Array($0.utf8) }

  /// What a line says. It is not changed.
  static func look(at line: UnsafeRawBufferPointer, isFirst: Bool) -> MtreeSign {
    // The words of a line are not written to here.
    var words = MtreeWords(UnsafeMutableRawBufferPointer(mutating: line))
    guard let first = words.next() else { return .nothing }
    if first.first == UInt8(ascii: "#") {
      return isFirst && first.elementsEqual("#mtree".utf8) ? .mtree : .nothing
    }
    if first.elementsEqual("/set".utf8) || first.elementsEqual("/unset".utf8) { return .mtree }
    var count = 0
    guard isEntry(&words, count: &count) else { return .other }
    return count == 1 && isDigest(first) ? .other : .mtree
  }

  /// Whether a line with one word more is one of a checksum tool, to which that is
  /// a name: `DIGEST  type=file`.
  private static func isDigest(_ word: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
    let digits = word.first == LineWriter.backslash ? word.dropFirst() : word
    return DigestAlgorithm.allCases.contains { $0.byteCount * 2 == digits.count }
      && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  /// Whether what stands behind a name are words of mtree(5), one of them with a
  /// value.
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
