internal import CFileKernels

/// Text without the characters by which a name could command a terminal, forge a line, or
/// reorder the text after it: all that are not printable characters of the locale, and the
/// embeddings, overrides and isolates of Unicode.
///
/// DESIGN. Messages quote the names in them (``QuotedName``). All text passes through here as
/// well before it reaches a terminal or standard error, so that a name which was forgotten
/// there does no harm. The text then has octal escapes.
enum TerminalText {
  /// The bytes that are not escaped although they are no printable characters.
  enum Kept {
    /// Newlines, NUL at the end of a record, and the colors of ``TerminalColor``.
    case text
    /// The colors: the text is one line.
    case colors
    /// Nothing: the text is a name.
    case nothing
    /// The byte that ends a record, a newline or NUL.
    case terminator(UInt8)
  }

  static func hasControls(_ bytes: UnsafeRawBufferPointer, keeping kept: Kept = .text) -> Bool {
    var index = 0
    while index < bytes.count {
      let (length, isShown) = character(at: index, in: bytes, keeping: kept)
      if !isShown { return true }
      index += length
    }
    return false
  }

  /// Returns the text with each byte of another character in octal, after a backslash.
  static func printable(
    _ bytes: UnsafeRawBufferPointer, keeping kept: Kept = .text
  ) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + 64)
    var index = 0
    while index < bytes.count {
      let (length, isShown) = character(at: index, in: bytes, keeping: kept)
      for byte in bytes[index..<(index + length)] {
        if isShown { text.append(byte) } else { append(octal: byte, to: &text) }
      }
      index += length
    }
    return text
  }

  private static func append(octal byte: UInt8, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\\"))
    for shift in [6, 3, 0] { text.append(UInt8(ascii: "0") + (byte >> UInt8(shift)) & 7) }
  }

  /// The length of the character or the color at an index, and true if it is shown as it is.
  private static func character(
    at index: Int, in bytes: UnsafeRawBufferPointer, keeping kept: Kept
  ) -> (length: Int, isShown: Bool) {
    let byte = bytes[index]
    if (0x20..<0x7F).contains(byte) { return (1, true) }
    switch kept {
    case .text where byte == newline || byte == 0: return (1, true)
    case .terminator(byte): return (1, true)
    case .text, .colors:
      for color in TerminalColor.sequences
      where bytes[index...].starts(with: color) { return (color.count, true) }
    default: break
    }
    var isPrintable = false
    let rest = UnsafeRawBufferPointer(rebasing: bytes[index...])
    let length = kernel_terminal_character(rest.baseAddress, rest.count, &isPrintable)
    return (length, isPrintable)
  }

  private static let newline = UInt8(ascii: "\n")
}
