// The texts that the tool writes, read without the tool's own readers.

/// Readers of JSON lines, verdicts and reports.
enum VerdictTexts {
  /// Returns the value of a key of a JSON object whose strings may contain anything: the text after
  /// `"KEY":`, outside of strings.
  static func value(_ key: String, in object: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let wanted = Array("\"\(key)\":".utf8)
    var index = object.startIndex
    while index < object.endIndex {
      if object[index...].starts(with: wanted) { return object[(index + wanted.count)...] }
      index = string(object[index...])?.end ?? index + 1
    }
    return nil
  }

  /// Returns the bytes of a path: `{"text":STRING}` or `{"bytes":BASE64}`.
  static func path(_ key: String, in object: ArraySlice<UInt8>) -> [UInt8]? {
    guard let value = value(key, in: object), value.first == UInt8(ascii: "{") else { return nil }
    let isText = value.starts(with: Array("{\"text\":".utf8))
    guard let colon = value.firstIndex(of: UInt8(ascii: ":")),
      let text = string(value[(colon + 1)...])?.bytes
    else { return nil }
    return isText ? text : base64(text)
  }

  /// Returns the string of a key.
  static func text(_ key: String, in object: ArraySlice<UInt8>) -> String? {
    value(key, in: object).flatMap { string($0) }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  private static let quote = UInt8(ascii: "\"")

  /// Reads a string that begins here; returns its bytes and the index after it.
  private static func string(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], end: Int)? {
    guard text.first == quote else { return nil }
    var bytes: [UInt8] = []
    var index = text.startIndex + 1
    while index < text.endIndex, text[index] != quote {
      guard text[index] == UInt8(ascii: "\\") else {
        bytes.append(text[index])
        index += 1
        continue
      }
      let escapes: [Character: Character] = [
        "n": "\n", "r": "\r", "t": "\t", "b": "\u{8}", "f": "\u{C}", "\"": "\"", "\\": "\\",
        "/": "/",
      ]
      let letter = Character(UnicodeScalar(text[index + 1]))
      index += 2
      if letter == "u" {
        let digits = String(decoding: text[index..<index + 4], as: UTF8.self)
        let scalar = UInt32(digits, radix: 16).flatMap { UnicodeScalar($0) }
        bytes += Array(String(scalar ?? "?").utf8)
        index += 4
      } else {
        bytes += Array(String(escapes[letter] ?? "?").utf8)
      }
    }
    return (bytes, index + 1)
  }

  private static func base64(_ text: [UInt8]) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bits: UInt32 = 0
    var count = 0
    var bytes: [UInt8] = []
    for digit in text.compactMap({ digits.firstIndex(of: $0) }) {
      bits = (bits << 6 | UInt32(digit)) & 0xFFFFFF
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
  }

  /// Splits a line `NAME: WORDS`, where the words contain no colon.
  static func answer(_ line: ArraySlice<UInt8>) -> (name: [UInt8], words: String)? {
    let separator = Array(": ".utf8)
    guard
      let colon = line.indices.last(where: { line[$0...].starts(with: separator) })
    else { return nil }
    return (
      Array(line[..<colon]), String(decoding: line[(colon + 2)...], as: UTF8.self)
    )
  }

  /// Reverts the escapes of a line that begins with a backslash.
  static func unescaped(_ name: [UInt8]) -> [UInt8] {
    guard name.first == UInt8(ascii: "\\") else { return name }
    var bytes: [UInt8] = []
    var rest = name.dropFirst()
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      bytes.append(letter == UInt8(ascii: "n") ? 10 : letter == UInt8(ascii: "r") ? 13 : letter)
    }
    return bytes
  }

  /// Reverts the quotes of a name in a message: `'a'$'\n''b'`, `"it's"`, or plain.
  static func unquoted(_ name: [UInt8]) -> [UInt8] {
    let letters: [UInt8: UInt8] = [
      0x61: 7, 0x62: 8, 0x74: 9, 0x6E: 10, 0x76: 11, 0x66: 12, 0x72: 13,
    ]
    var bytes: [UInt8] = []
    var rest = name[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "'") {
        rest.removeFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "'") {
          guard byte == UInt8(ascii: "\\") else {
            bytes.append(byte)
            continue
          }
          let digits = rest.prefix(3).prefix { (0x30...0x37).contains($0) }
          if digits.isEmpty {
            let letter = rest.removeFirst()
            bytes.append(letters[letter] ?? letter)
          } else {
            rest.removeFirst(digits.count)
            bytes.append(UInt8(String(decoding: digits, as: UTF8.self), radix: 8) ?? 0)
          }
        }
      } else if byte == UInt8(ascii: "'") || byte == quote {
        while let next = rest.popFirst(), next != byte { bytes.append(next) }
      } else if byte == UInt8(ascii: "\\"), let next = rest.popFirst() {
        bytes.append(next)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}

/// Returns bash's word for bytes, for the commands of a case.
func shellWord(_ bytes: some Sequence<UInt8>) -> String {
  var isPlain = true
  let escaped = bytes.map { byte -> String in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D...0x2F, 0x3D, 0x5F:
      return String(UnicodeScalar(byte))
    case 0x20...0x7E where byte != 0x27 && byte != 0x5C:
      isPlain = false
      return String(UnicodeScalar(byte))
    default:
      isPlain = false
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
  }.joined()
  return isPlain && !escaped.isEmpty ? escaped : "$'\(escaped)'"
}
