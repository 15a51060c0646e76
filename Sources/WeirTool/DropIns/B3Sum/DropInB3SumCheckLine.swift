// A line of a manifest, by the rules of b3sum.
//
// DESIGN. Plain lines follow b3sum 1.2.0: one form, lower-case digits, and a message for each
// deviation. A line that begins with `BLAKE3 (`, which 1.2.0 refuses, and the escape `\r` follow
// 1.8. The rules are stricter than those of GNU's tools, so `ManifestParser` is not used. Lines
// are bytes: b3sum gives up a manifest at the first byte that is not UTF-8.

internal import CFileKernels
internal import FileJobs

/// A line that names a file and its digest.
struct DropInB3SumCheckLine {
  /// The name of the file.
  let name: UnsafeRawBufferPointer
  /// The text of the name in the line.
  let text: UnsafeRawBufferPointer
  let isEscaped: Bool
  let digest: UnsafeRawBufferPointer

  /// The reason why a line is refused.
  enum Refusal: UInt8, Error {
    case empty, short, notASCII, badSpace, badLength, badDigit, badEscape, emptyName, hasNUL
    case hasReplacement

    var text: String {
      switch self {
      case .empty: "Empty line"
      case .short: "Short line"
      case .notASCII: "Non-ASCII prefix"
      case .badSpace: "Invalid space"
      case .badLength: "Invalid hash length"
      case .badDigit: "Invalid hex"
      case .badEscape: "Invalid backslash escape"
      case .emptyName: "empty file path"
      case .hasNUL: "Null character in path"
      case .hasReplacement: "Unicode replacement character in path"
      }
    }
  }

  private static let digitCount = 2 * Int(KERNEL_BLAKE3_LENGTH)
  private static let tag = Array("BLAKE3 (".utf8)
  private static let tagEnd = Array(") = ".utf8)
  private static let replacement = Array("\u{FFFD}".utf8)

  /// Parses a line. Overwrites its digits with the digest.
  ///
  /// - Parameter memory: Memory for the name, of at least the size of the line.
  init(
    _ line: UnsafeMutableRawBufferPointer, unescapingTo memory: UnsafeMutableRawBufferPointer
  ) throws(Refusal) {
    if line.isEmpty { throw .empty }
    isEscaped = line.first == LineWriter.backslash
    let rest = UnsafeMutableRawBufferPointer(rebasing: line[(isEscaped ? 1 : 0)...])
    let parts: Parts
    if let tagged = DropInB3SumCheckLine.splitTagged(rest) {
      parts = tagged
    } else {
      parts = try DropInB3SumCheckLine.splitPlain(rest)
    }
    digest = try DropInB3SumCheckLine.decode(parts.digits)
    text = UnsafeRawBufferPointer(parts.text)
    name = isEscaped ? try DropInB3SumCheckLine.unescape(text, to: memory) : text
    if name.isEmpty { throw .emptyName }
    if name.contains(0) { throw .hasNUL }
    if DropInB3SumCheckLine.hasReplacement(name) { throw .hasReplacement }
  }

  // MARK: Parts

  private typealias Parts = (
    digits: UnsafeMutableRawBufferPointer, text: UnsafeMutableRawBufferPointer
  )

  /// Splits `BLAKE3 (NAME) = DIGITS`; returns `nil` if the line is of another form. A name may
  /// contain `) = `.
  private static func splitTagged(_ line: UnsafeMutableRawBufferPointer) -> Parts? {
    guard line.starts(with: tag),
      let end = (tag.count...max(tag.count, line.count - tagEnd.count)).last(where: {
        line[$0...].starts(with: tagEnd)
      })
    else { return nil }
    var last = line.count
    while last > end && line[last - 1] == UInt8(ascii: "\r") { last -= 1 }
    return (
      UnsafeMutableRawBufferPointer(rebasing: line[(end + tagEnd.count)..<last]),
      UnsafeMutableRawBufferPointer(rebasing: line[tag.count..<end])
    )
  }

  /// Splits `DIGITS  NAME`.
  private static func splitPlain(_ line: UnsafeMutableRawBufferPointer) throws(Refusal) -> Parts {
    let begin = digitCount + 2
    if line.count <= begin { throw .short }
    if line[..<begin].contains(where: { $0 >= 0x80 }) { throw .notASCII }
    let space = UInt8(ascii: " ")
    guard line[digitCount] == space, line[digitCount + 1] == space else { throw .badSpace }
    return (
      UnsafeMutableRawBufferPointer(rebasing: line[..<digitCount]),
      UnsafeMutableRawBufferPointer(rebasing: line[begin...])
    )
  }

  private static func decode(
    _ digits: UnsafeMutableRawBufferPointer
  ) throws(Refusal) -> UnsafeRawBufferPointer {
    guard digits.count == digitCount, let start = digits.baseAddress else { throw .badLength }
    let bytes = start.assumingMemoryBound(to: UInt8.self)
    guard kernel_lower_digit_count(bytes, digitCount) == digitCount else { throw .badDigit }
    kernel_bytes(bytes, bytes, digitCount / 2)
    return UnsafeRawBufferPointer(rebasing: digits[..<(digitCount / 2)])
  }

  /// Returns the name that a text with escapes stands for.
  private static func unescape(
    _ text: UnsafeRawBufferPointer, to memory: UnsafeMutableRawBufferPointer
  ) throws(Refusal) -> UnsafeRawBufferPointer {
    var count = 0
    var bytes = text.makeIterator()
    while var byte = bytes.next() {
      if byte == LineWriter.backslash {
        switch bytes.next() {
        case UInt8(ascii: "n"): byte = UInt8(ascii: "\n")
        case UInt8(ascii: "r"): byte = UInt8(ascii: "\r")
        case LineWriter.backslash: break
        default: throw .badEscape
        }
      }
      memory[count] = byte
      count += 1
    }
    return UnsafeRawBufferPointer(rebasing: memory[..<count])
  }

  /// Returns true if a name contains U+FFFD, with which b3sum replaces what is not UTF-8.
  private static func hasReplacement(_ name: UnsafeRawBufferPointer) -> Bool {
    name.indices.contains { name[$0] == replacement[0] && name[$0...].starts(with: replacement) }
  }
}
