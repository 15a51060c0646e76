// Text for a terminal, which must not obey the names of files.

/// Text without the control characters by which a name could command a terminal: those of
/// ASCII except the newline, the tab and NUL (which ends a line and is in no name), and those of Unicode.
enum TerminalText {
  /// Returns true if the bytes have control characters.
  static func hasControls(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.indices.contains { controlLength(at: $0, in: bytes) > 0 }
  }

  /// Returns the bytes with each byte of a control character in octal, after a backslash.
  static func printable(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + 64)
    var index = 0
    while index < bytes.count {
      let length = controlLength(at: index, in: bytes)
      if length == 0 { text.append(bytes[index]) }
      for byte in bytes[index..<(index + length)] {
        text.append(UInt8(ascii: "\\"))
        for shift in [6, 3, 0] { text.append(UInt8(ascii: "0") + (byte >> UInt8(shift)) & 7) }
      }
      index += max(length, 1)
    }
    return text
  }

  /// The number of bytes of the control character at an index; 0 if there is none.
  private static func controlLength(at index: Int, in bytes: UnsafeRawBufferPointer) -> Int {
    switch bytes[index] {
    case 0, UInt8(ascii: "\n"), UInt8(ascii: "\t"): 0
    case 0..<0x20, 0x7F: 1
    case 0xC2 where index + 1 < bytes.count && (0x80...0x9F).contains(bytes[index + 1]): 2
    default: 0
    }
  }
}
