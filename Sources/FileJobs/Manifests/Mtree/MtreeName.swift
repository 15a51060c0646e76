// DESIGN. Weir writes `\ooo`, which every reader knows, for each byte that is no graphic ASCII
// character or has a meaning to a reader: `\` `#` `*` `?` `[` `=`. It reads every escape of vis(3).

/// The escapes of names and of the targets of links.
enum MtreeName {
  /// The maximum number of bytes that one byte of a name takes.
  static let expansion = 4

  /// The bytes below 64 and from 64 to 127 that need no escape, a bit for each.
  private static let plain: (UInt64, UInt64) = (0x5FFF_FBF6_0000_0000, 0x7FFF_FFFF_E7FF_FFFF)

  static func isPlain(_ byte: UInt8) -> Bool {
    byte < 128 && (byte < 64 ? plain.0 : plain.1) >> (byte & 63) & 1 != 0
  }

  /// Returns the number of bytes at the start of a name that are written without an escape.
  static func plainCount(_ name: UnsafeRawBufferPointer) -> Int {
    var count = 0
    while count < name.count && isPlain(name[count]) { count += 1 }
    return count
  }

  /// Decodes escapes in place. Returns the number of bytes that remain; `nil` if an escape
  /// is invalid, or if the name would contain a NUL.
  static func unescape(_ text: UnsafeMutableRawBufferPointer) -> Int? {
    guard let first = text.firstIndex(of: LineWriter.backslash) else {
      return text.contains(0) ? nil : text.count
    }
    var scanner = Escapes(text: text, from: first)
    var to = first
    while let step = scanner.next() {
      switch step {
      case .byte(0), .invalid: return nil
      case .nothing: break
      case .byte(let byte):
        text[to] = byte
        to += 1
      }
    }
    return text[..<first].contains(0) ? nil : to
  }

  private struct Escapes {
    let text: UnsafeMutableRawBufferPointer
    var from: Int

    enum Step {
      case byte(UInt8)
      /// An escape that stands for no byte.
      case nothing
      case invalid
    }

    mutating func next() -> Step? {
      guard let byte = take() else { return nil }
      return byte == LineWriter.backslash ? escape() : .byte(byte)
    }

    private mutating func take() -> UInt8? {
      guard from < text.count else { return nil }
      defer { from += 1 }
      return text[from]
    }

    private mutating func escape() -> Step {
      guard let letter = take() else { return .invalid }
      switch letter {
      case UInt8(ascii: "0")...UInt8(ascii: "7"): return octal(letter)
      case UInt8(ascii: "x"): return hexadecimal()
      case UInt8(ascii: "$"): return .nothing
      case UInt8(ascii: "^"): return control(0)
      case UInt8(ascii: "M"): return meta()
      default:
        if let meant = Escapes.letters.first(where: { $0.letter == letter })?.meant {
          return .byte(meant)
        }
        return letter > 0x20 && letter < 0x7F ? .byte(letter) : .invalid
      }
    }

    private static let letters: [(letter: UInt8, meant: UInt8)] = Array(
      zip("abtnvfrsE".utf8, [0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0x1B]))

    /// Reads one to three octal digits.
    private mutating func octal(_ first: UInt8) -> Step {
      var value = Int(first - UInt8(ascii: "0"))
      for _ in 0..<2 {
        guard from < text.count, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(text[from])
        else { break }
        value = value * 8 + Int(text[from] - UInt8(ascii: "0"))
        from += 1
      }
      return value < 256 ? .byte(UInt8(value)) : .invalid
    }

    private mutating func hexadecimal() -> Step {
      guard let high = take()?.hexadecimalValue, let low = take()?.hexadecimalValue else {
        return .invalid
      }
      return .byte(high << 4 | low)
    }

    /// Reads `^X`, or `^?` for DEL.
    private mutating func control(_ high: UInt8) -> Step {
      guard let letter = take() else { return .invalid }
      return .byte(high | (letter == UInt8(ascii: "?") ? 0x7F : letter & 0x1F))
    }

    /// Reads `M-x` or `M^X`, which set the highest bit.
    private mutating func meta() -> Step {
      switch take() {
      case UInt8(ascii: "-"):
        guard let letter = take() else { return .invalid }
        return .byte(0x80 | letter)
      case UInt8(ascii: "^"): return control(0x80)
      default: return .invalid
      }
    }
  }
}

extension LineWriter {
  mutating func append(mtreeName name: UnsafeRawBufferPointer) {
    let plain = MtreeName.plainCount(name)
    append(name[..<plain].rebased)
    for byte in name[plain...] {
      if MtreeName.isPlain(byte) {
        append(byte)
      } else {
        append(LineWriter.backslash)
        append(UInt8(ascii: "0") + byte >> 6)
        append(UInt8(ascii: "0") + byte >> 3 & 7)
        append(UInt8(ascii: "0") + byte & 7)
      }
    }
  }
}
