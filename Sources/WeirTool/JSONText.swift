// Objects of JSON, as bytes.

#if Tool
  /// Writes one JSON object after the other, each a line. Names are bytes:
  /// `{"text":"..."}` where they are UTF-8, and else `{"bytes":"..."}` in base64.
  struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var isFirst = true

    /// Begins an object of a type.
    mutating func begin(_ type: String) {
      bytes.append(UInt8(ascii: "{"))
      isFirst = true
      append("type", type)
    }

    /// Ends it, and its line.
    mutating func end() {
      bytes.append(contentsOf: "}\n".utf8)
    }

    /// A member that is a string.
    mutating func append(_ key: String, _ value: String) {
      appendKey(key)
      appendString(value.utf8)
    }

    /// A member that is a number.
    mutating func append(_ key: String, _ value: some BinaryInteger) {
      appendKey(key)
      bytes.append(contentsOf: String(value).utf8)
    }

    mutating func append(_ key: String, _ value: Bool) {
      appendKey(key)
      bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// A member that is a time in seconds, to the microsecond.
    mutating func append(_ key: String, seconds: Double) {
      appendKey(key)
      bytes.append(contentsOf: Figures.fixed(seconds, digits: 6).utf8)
    }

    /// A member that is a name.
    mutating func append(_ key: String, name: some Collection<UInt8>) {
      appendKey(key)
      if String(validating: name, as: UTF8.self) != nil {
        bytes.append(contentsOf: "{\"text\":".utf8)
        appendString(name)
      } else {
        bytes.append(contentsOf: "{\"bytes\":\"".utf8)
        appendBase64(Array(name))
        bytes.append(UInt8(ascii: "\""))
      }
      bytes.append(UInt8(ascii: "}"))
    }

    private mutating func appendKey(_ key: String) {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      appendString(key.utf8)
      bytes.append(UInt8(ascii: ":"))
    }

    private mutating func appendString(_ text: some Sequence<UInt8>) {
      bytes.append(UInt8(ascii: "\""))
      for byte in text { appendEscaped(byte) }
      bytes.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ byte: UInt8) {
      let letters: [UInt8: Character] = [
        0x22: "\"", 0x5C: "\\", 0x08: "b", 0x09: "t", 0x0A: "n", 0x0C: "f", 0x0D: "r",
      ]
      if let letter = letters[byte]?.asciiValue {
        bytes.append(contentsOf: [UInt8(ascii: "\\"), letter])
      } else if byte < 0x20 || byte == 0x7F {
        let digits = String(byte, radix: 16)
        bytes.append(contentsOf: "\\u00\(digits.count == 1 ? "0" : "")\(digits)".utf8)
      } else {
        bytes.append(byte)
      }
    }

    private mutating func appendBase64(_ name: [UInt8]) {
      let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
      for start in stride(from: 0, to: name.count, by: 3) {
        let group = name[start..<min(start + 3, name.count)]
        var bits: UInt32 = 0
        for offset in 0..<3 {
          bits = bits << 8 | (offset < group.count ? UInt32(group[start + offset]) : 0)
        }
        for place in 0..<4 {
          let index = Int(bits >> UInt32(18 - 6 * place)) & 63
          bytes.append(place <= group.count ? alphabet[index] : UInt8(ascii: "="))
        }
      }
    }
  }
#endif
