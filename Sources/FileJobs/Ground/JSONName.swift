/// A name in JSON that people read: `{"text":"..."}`, or `{"bytes":"..."}` in base64 if the name is
/// not UTF-8. So every line is valid JSON, and every name can be recovered.
package enum JSONName {
  /// Returns the maximum number of bytes: `\u001b` takes six for one.
  static func capacity(nameCount: Int) -> Int { 16 + nameCount * 6 }

  package static func bytes(of name: UnsafeRawBufferPointer) -> [UInt8] {
    LineWriter.bytes(capacity: capacity(nameCount: name.count)) { append(name, to: &$0) }
  }

  static func append(_ name: UnsafeRawBufferPointer, to line: inout LineWriter) {
    if isUTF8(name) {
      line.append("{\"text\":\"")
      line.append(json: name, isShown: true)
    } else {
      line.append("{\"bytes\":\"")
      line.append(base64: name)
    }
    line.append("\"}")
  }

  static func isUTF8(_ name: UnsafeRawBufferPointer) -> Bool {
    if name.allSatisfy({ $0 < 0x80 }) { return true }
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = name.makeIterator()
    while true {
      switch decoder.parseScalar(from: &iterator) {
      case .valid: continue
      case .emptyInput: return true
      case .error: return false
      }
    }
  }
}

extension LineWriter {
  /// Appends the text of a string with its escapes, which take at most six bytes for one.
  ///
  /// - Parameter isShown: True for UTF-8 that people read, on a terminal too: characters that a
  ///   terminal may obey are escaped, and newline, return and tab are written by their letters.
  mutating func append(json text: UnsafeRawBufferPointer, isShown: Bool) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""), LineWriter.backslash:
        append(LineWriter.backslash)
        append(byte)
      case UInt8(ascii: "\n") where isShown: append("\\n")
      case UInt8(ascii: "\r") where isShown: append("\\r")
      case UInt8(ascii: "\t") where isShown: append("\\t")
      case 0..<0x20, 0x7F: append(escapeOf: UInt16(byte))
      case 0xC2 where isShown && text[index] < 0xA0:
        append(escapeOf: UInt16(text[index]))
        index += 1
      case 0xE2 where isShown && LineWriter.isReordering(text[index], text[index + 1]):
        append(escapeOf: 0x2000 | UInt16(text[index] & 0x3F) << 6 | UInt16(text[index + 1] & 0x3F))
        index += 2
      default: append(byte)
      }
    }
  }

  /// Returns true for U+2028 to U+202E, which end a line or reorder the text, and for the
  /// isolates U+2066 to U+2069, by the bytes after 0xE2.
  private static func isReordering(_ second: UInt8, _ third: UInt8) -> Bool {
    (second == 0x80 && (0xA8...0xAE).contains(third))
      || (second == 0x81 && (0xA6...0xA9).contains(third))
  }

  private mutating func append(escapeOf value: UInt16) {
    append("\\u")
    for shift in [12, 8, 4, 0] as [UInt16] {
      let digit = UInt8(value >> shift & 15)
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  /// Appends the digits of RFC 4648, section 4, padded with `=`: four for three bytes.
  mutating func append(base64 bytes: UnsafeRawBufferPointer) {
    var index = 0
    while index < bytes.count {
      let left = bytes.count - index
      let second = left > 1 ? bytes[index + 1] : 0
      let third = left > 2 ? bytes[index + 2] : 0
      append(Base64.digit(bytes[index] >> 2))
      append(Base64.digit((bytes[index] & 3) << 4 | second >> 4))
      append(left > 1 ? Base64.digit((second & 15) << 2 | third >> 6) : UInt8(ascii: "="))
      append(left > 2 ? Base64.digit(third & 63) : UInt8(ascii: "="))
      index += 3
    }
  }
}

/// The encoding of RFC 4648, section 4.
enum Base64 {
  private static let digits = StaticString(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

  static func digit(_ value: UInt8) -> UInt8 { digits.utf8Start[Int(value)] }

  static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case _ where digit.isDigit: digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    case _ where digit.isLetter: (digit & 0x1F) - 1 + (digit & 0x20 == 0 ? 0 : 26)
    default: nil
    }
  }

  /// Takes the bytes of digits. Returns false if there is another character among them.
  static func decode(_ text: some Collection<UInt8>, _ take: (UInt8) -> Void) -> Bool {
    var (bits, count) = (UInt32(0), 0)
    for character in text.prefix(while: { $0 != UInt8(ascii: "=") }) {
      guard let value = value(of: character) else { return false }
      bits = (bits << 6 | UInt32(value)) & 0xFFFFFF
      count += 6
      if count < 8 { continue }
      count -= 8
      take(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return true
  }
}
