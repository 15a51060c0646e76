/// The distinction between a well-formed line of an unknown algorithm and a malformed line.
/// The former names a file that should have been verified.
///
/// ```text
/// RMD160 (NAME) = DIGEST     SHA3-384(NAME)= DIGEST     BLAKE2s (NAME) = DIGEST
/// ```
///
/// Any word in the place of a tag counts as an algorithm. A list of algorithms would never
/// be complete.
struct UnsupportedLine {
  private let known = ManifestTags()
  private static let tagMax = 32
  private static let digitsMin = 8

  /// Returns the tag of such a line; `nil` if the line is malformed.
  ///
  /// - Parameter line: A line that ``ManifestParser`` refused, as the parser got it.
  func tag(of line: UnsafeMutableRawBufferPointer) -> String? {
    let hasReturn = line.last == UInt8(ascii: "\r")
    let rest = UnsafeMutableRawBufferPointer(rebasing: line.dropLast(hasReturn ? 1 : 0))
    guard let text = ManifestText(rest) else { return nil }
    var begin = text.skipBlanks(0)
    if text[begin] == UInt8(ascii: "\\") { begin += 1 }
    var end = begin
    while UnsupportedLine.isTag(text[end]) { end += 1 }
    guard UnsupportedLine.isLetter(text[begin]), end - begin <= UnsupportedLine.tagMax
    else { return nil }
    // A refused line of a known algorithm is malformed.
    if let found = known.find(in: text, at: begin), found.end == end { return nil }
    guard let (name, digits) = text.nameAndDigits(at: end), !name.isEmpty else { return nil }
    let count = text.digitCount(at: digits)
    guard count >= UnsupportedLine.digitsMin, count % 2 == 0, digits + count == text.count
    else { return nil }
    return String(decoding: text.part(begin..<end), as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isTag(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "_")
  }
}
