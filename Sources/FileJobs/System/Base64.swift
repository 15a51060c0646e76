// Base64, for names in JSON that are not UTF-8.

/// The encoding of RFC 4648, section 4.
enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns the digits of bytes, padded with `=`.
  static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    for begin in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[begin..<min(begin + 3, bytes.count)]
      var bits: UInt32 = 0
      for index in 0..<3 {
        bits = bits << 8 | (index < group.count ? UInt32(group[begin + index]) : 0)
      }
      for index in 0..<4 {
        text.append(
          index <= group.count
            ? digits[Int(bits >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
      }
    }
    return text
  }

  /// Returns the bytes of digits; `nil` if there is another character among them.
  static func decoded(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count) = (UInt32(0), 0)
    for character in text.prefix(while: { $0 != UInt8(ascii: "=") }) {
      guard let value = digits.firstIndex(of: character) else { return nil }
      bits = (bits << 6 | UInt32(value)) & 0xFFFFFF
      count += 6
      if count < 8 { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
  }
}
