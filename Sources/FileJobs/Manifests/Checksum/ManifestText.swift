internal import CFileKernels

/// The bytes of a line, and a NUL, as in C. Decoded values overwrite the line.
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

  func withStart<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R { body(start) }

  func isBlank(_ index: Int) -> Bool { self[index].isBlank }

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

  func isEnd(of part: UnsafeRawBufferPointer) -> Bool {
    part.baseAddress.map { $0 + part.count == UnsafeRawPointer(start + count) } ?? false
  }

  func digitCount(at offset: Int) -> Int {
    offset < count ? kernel_digit_count(start + offset, count - offset) : 0
  }

  /// Returns the name and the offset of the digits in `(NAME) = DIGEST`, with or without the
  /// blanks; with several before the name if `isLax`.
  func nameAndDigits(at offset: Int, isLax: Bool) -> (name: Range<Int>, digits: Int)? {
    let open = isLax ? skipBlanks(offset) : offset + (self[offset] == UInt8(ascii: " ") ? 1 : 0)
    guard self[open] == UInt8(ascii: "("), open + 1 < count else { return nil }
    var close = count - 1
    while close > open + 1 && self[close] != UInt8(ascii: ")") { close -= 1 }
    let equals = skipBlanks(close + 1)
    guard self[close] == UInt8(ascii: ")"), self[equals] == UInt8(ascii: "=") else { return nil }
    return (open + 1..<close, skipBlanks(equals + 1))
  }

  /// Removes the colons of `openssl dgst -c` in place. Returns false if the part is no such digest.
  func removeColons(_ range: Range<Int>, byteCount: Int) -> Bool {
    guard byteCount > 0, range.count == 3 * byteCount - 1 else { return false }
    for (place, index) in range.enumerated() {
      let isColon = self[index] == UInt8(ascii: ":")
      if isColon != (place % 3 == 2) || !isColon && self[index].hexadecimalValue == nil {
        return false
      }
    }
    for place in 0..<2 * byteCount {
      start[range.lowerBound + place] = start[range.lowerBound + place + place / 2]
    }
    return true
  }

  /// Decodes hexadecimal digits in place.
  func decode(at offset: Int, byteCount: Int, isReversed: Bool = false) -> UnsafeRawBufferPointer {
    let out = start + offset
    kernel_bytes(out, out, byteCount)
    var bytes = UnsafeMutableBufferPointer(start: out, count: byteCount)
    if isReversed { bytes.reverse() }
    return UnsafeRawBufferPointer(bytes)
  }

  /// Returns the ranges of a name and of the last word, which is hexadecimal, with the blanks between
  /// them left out; `nil` for another line.
  func nameAndLastDigits() -> (name: Range<Int>, digits: Int)? {
    var digits = count
    while digits > 0 && !isBlank(digits - 1) { digits -= 1 }
    var end = digits
    while end > 0 && isBlank(end - 1) { end -= 1 }
    guard end > 0, digits < count, digitCount(at: digits) == count - digits,
      !part(0..<end).contains(0)
    else { return nil }
    return (0..<end, digits)
  }

  /// Decodes a CRC of four to eight digits at the end of the line, in the bytes of the last four.
  func decodeCRC(at digits: Int) -> UnsafeRawBufferPointer {
    var value: UInt32 = 0
    for index in digits..<count {
      value = value << 4 | UInt32(start[index].hexadecimalValue ?? 0)
    }
    for place in 0..<4 {
      start[count - 4 + place] = UInt8(truncatingIfNeeded: value >> (24 - place * 8))
    }
    return part(count - 4..<count)
  }

  // MARK: Words

  func wordCount(at offset: Int) -> Int {
    var end = offset
    while end < count && !isBlank(end) { end += 1 }
    return end - offset
  }

  func isBase64(_ range: Range<Int>, of byteCount: Int) -> Bool {
    let padding = (3 - byteCount % 3) % 3
    guard range.count == (byteCount + 2) / 3 * 4 else { return false }
    // The bits of the last digit that belong to no byte are zero.
    let last = range.upperBound - padding - 1
    let spare = UInt8(padding == 2 ? 15 : padding == 1 ? 3 : 0)
    if (Base64.value(of: start[last]) ?? 0) & spare != 0 { return false }
    return range.allSatisfy { index in
      index >= range.upperBound - padding
        ? start[index] == UInt8(ascii: "=") : Base64.value(of: start[index]) != nil
    }
  }

  /// True if the line has as many hexadecimal digits in a row as the digest of a list.
  var hasDigest: Bool {
    var run = 0
    for index in 0..<count {
      run = start[index].hexadecimalValue == nil ? 0 : run + 1
      if run == 32 { return true }
    }
    return false
  }

  /// Returns true if a part has digits of base64 only, and no blank.
  func isBase64(_ range: Range<Int>) -> Bool {
    range.allSatisfy { start[$0] == UInt8(ascii: "=") || Base64.value(of: start[$0]) != nil }
  }

  func decodeBase64(at offset: Int, byteCount: Int) -> UnsafeRawBufferPointer {
    var to = offset
    _ = Base64.decode(part(offset..<offset + (byteCount + 2) / 3 * 4)) { byte in
      start[to] = byte
      to += 1
    }
    return part(offset..<to)
  }

  /// Decodes escapes in place. Returns `nil` if one is invalid, or the name would contain a NUL.
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
      if self[index + 1] | 0x20 == UInt8(ascii: "x"), self[index + 2].hexadecimalValue != nil {
        base = 16
        index += 2
      }
    }
    let first = index
    var value = 0
    while let digit = self[index].hexadecimalValue, digit < base {
      value = min(value * base + Int(digit), 1 << 40)
      index += 1
    }
    return index > first ? (value, index) : nil
  }

  static func escaped(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "n"): UInt8(ascii: "\n")
    case UInt8(ascii: "r"): UInt8(ascii: "\r")
    case UInt8(ascii: "\\"): byte
    default: nil
    }
  }
}
