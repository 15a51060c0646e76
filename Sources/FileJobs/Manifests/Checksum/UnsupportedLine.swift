/// The distinction between a well-formed line of an unknown algorithm and a malformed line.
/// The former names a file that should have been verified.
///
/// ```text
/// RMD160 (NAME) = DIGEST     SHA3-384(NAME)= DIGEST     BLAKE2s (NAME) = DIGEST
/// DIGEST ?BLAKE2sp*NAME      RMD160 (NAME) = DIGEST IN BASE64
/// ```
///
/// Any word in the place of a tag counts: a list of algorithms would never be complete.
struct UnsupportedLine {
  private let known = ManifestTags()
  private static let tagMax = 32
  private static let digitsMin = 8

  /// Returns the tag of a line that ``ManifestParser`` refused; `nil` if the line is malformed.
  func tag(of line: UnsafeMutableRawBufferPointer) -> String? {
    guard let text = ManifestText(line.withoutReturn) else { return nil }
    var begin = text.skipBlanks(0)
    if let tag = UnsupportedLine.tagAfterDigest(in: text, at: begin) { return tag }
    if text[begin] == UInt8(ascii: "\\") { begin += 1 }
    var end = begin
    while UnsupportedLine.isTag(text[end]) { end += 1 }
    guard text[begin].isLetter, end - begin <= UnsupportedLine.tagMax
    else { return nil }
    // A refused line of a known algorithm is malformed.
    if let found = known.find(in: text, at: begin), found.end == end { return nil }
    guard let (name, digits) = text.nameAndDigits(at: end, isLax: true), !name.isEmpty else {
      return nil
    }
    let count = text.digitCount(at: digits)
    let isHexadecimal = count % 2 == 0 && digits + count == text.count
    let byteCount = (text.count - digits) * 3 / 4
    let isBase64 = (0...2).contains { text.isBase64(digits..<text.count, of: byteCount - $0) }
    guard text.count - digits >= UnsupportedLine.digitsMin, isHexadecimal || isBase64 else {
      return nil
    }
    return String(decoding: text.part(begin..<end), as: UTF8.self)
  }

  /// Returns the word in `DIGEST ?WORD*NAME`; `nil` for another line.
  private static func tagAfterDigest(
    in text: borrowing ManifestText, at begin: Int
  ) -> String? {
    let mark = begin + text.digitCount(at: begin) + 1
    guard mark - begin > digitsMin, text[mark] == UInt8(ascii: "?") else { return nil }
    var end = mark + 1
    while isTag(text[end]) { end += 1 }
    guard text[end] == UInt8(ascii: "*"), end - mark - 1 <= tagMax, end > mark + 1 else {
      return nil
    }
    return String(decoding: text.part(mark + 1..<end), as: UTF8.self)
  }

  private static func isTag(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || "-/_".utf8.contains(byte)
  }
}
