internal import CFileKernels

/// The bytes of a line. As in C, a NUL follows the last one. Decoded values overwrite the
/// line.
struct ManifestText: ~Copyable {
  private let start: UnsafeMutablePointer<UInt8>
  let count: Int

  init?(_ line: UnsafeMutableRawBufferPointer) {
    guard let base = line.baseAddress, line.count > 0 else { return nil }
    start = base.assumingMemoryBound(to: UInt8.self)
    count = line.count
  }

  subscript(index: Int) -> UInt8 {
    index < count ? start[index] : 0
  }

  /// Returns true if the byte at `index` is a space or a tab.
  func isBlank(_ index: Int) -> Bool {
    self[index] == UInt8(ascii: " ") || self[index] == UInt8(ascii: "\t")
  }

  func skipBlanks(_ index: Int) -> Int {
    var index = index
    while isBlank(index) { index += 1 }
    return index
  }

  func has(_ bytes: [UInt8], at offset: Int) -> Bool {
    guard offset + bytes.count <= count, start[offset] == bytes[0] else { return false }
    for index in 1..<bytes.count where start[offset + index] != bytes[index] { return false }
    return true
  }

  func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
  }

  /// Returns the number of hexadecimal digits at `offset`.
  func digitCount(at offset: Int) -> Int {
    offset < count ? kernel_digit_count(start + offset, count - offset) : 0
  }

  /// Returns the name and the offset of the digits in `(NAME) = DIGEST`, with or without the
  /// blanks.
  func nameAndDigits(at offset: Int) -> (name: Range<Int>, digits: Int)? {
    let open = offset + (self[offset] == UInt8(ascii: " ") ? 1 : 0)
    guard self[open] == UInt8(ascii: "("), open + 1 < count else { return nil }
    var close = count - 1
    while close > open + 1 && self[close] != UInt8(ascii: ")") { close -= 1 }
    let equals = skipBlanks(close + 1)
    guard self[close] == UInt8(ascii: ")"), self[equals] == UInt8(ascii: "=") else { return nil }
    return (open + 1..<close, skipBlanks(equals + 1))
  }

  /// Decodes hexadecimal digits in place.
  func decode(at offset: Int, byteCount: Int, isReversed: Bool = false) -> UnsafeRawBufferPointer {
    let out = start + offset
    kernel_bytes(out, out, byteCount)
    var bytes = UnsafeMutableBufferPointer(start: out, count: byteCount)
    if isReversed { bytes.reverse() }
    return UnsafeRawBufferPointer(bytes)
  }

  /// Decodes the escapes of a part in place. Returns `nil` if an escape is invalid, or if
  /// the name would contain a NUL.
  func unescape(_ range: Range<Int>) -> Range<Int>? {
    var to = range.lowerBound
    var from = range.lowerBound
    while from < range.upperBound {
      var byte = start[from]
      if byte == 0 { return nil }
      if byte == UInt8(ascii: "\\") {
        from += 1
        guard from < range.upperBound, let meant = ManifestText.escaped(start[from]) else {
          return nil
        }
        byte = meant
      }
      start[to] = byte
      to += 1
      from += 1
    }
    return range.lowerBound..<to
  }

  /// Returns a part up to its first NUL.
  func upToNUL(_ range: Range<Int>) -> Range<Int> {
    let part = part(range)
    return range.lowerBound..<range.lowerBound + (part.firstIndex(of: 0) ?? part.count)
  }

  /// Returns a number by the rules of strtoumax(3) with base 0, and the offset of its end.
  func number(at offset: Int) -> (Int, Int)? {
    var index = offset
    while isBlank(index) || (9...13).contains(self[index]) { index += 1 }
    if self[index] == UInt8(ascii: "+") { index += 1 }
    var base = 10
    if self[index] == UInt8(ascii: "0") {
      base = 8
      if self[index + 1] | 0x20 == UInt8(ascii: "x"), ManifestText.digit(self[index + 2]) != nil {
        base = 16
        index += 2
      }
    }
    let first = index
    var value = 0
    while let digit = ManifestText.digit(self[index]), digit < base {
      value = min(value * base + Int(digit), 1 << 40)
      index += 1
    }
    return index > first ? (value, index) : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func escaped(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "n"): UInt8(ascii: "\n")
    case UInt8(ascii: "r"): UInt8(ascii: "\r")
    case UInt8(ascii: "\\"): byte
    default: nil
    }
  }
}
