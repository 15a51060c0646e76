// The columns of a terminal that a text takes.

/// Measures and cuts text by columns. Escape sequences take none, and Chinese characters and emoji
/// take two.
enum TextWidth {
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
    0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd,
  ]

  /// Returns the columns of a text.
  static func of(_ text: String) -> Int { parts(of: text).reduce(0) { $0 + $1.width } }

  /// Returns a text that is cut to a number of columns. Escape sequences after the cut remain.
  static func cut(_ text: String, to columns: Int) -> String {
    var (left, isCut, result) = (columns, false, "")
    for part in parts(of: text) {
      isCut = isCut || part.width > left
      if isCut && part.width > 0 { continue }
      result += part.text
      left -= part.width
    }
    return result
  }

  /// Returns a text of a number of columns: cut, or with blanks at its end.
  static func padded(_ text: String, _ columns: Int) -> String {
    let text = cut(text, to: columns)
    return text + String(repeating: " ", count: max(0, columns - of(text)))
  }

  /// Returns a text in lines that fit, broken between words, or in one that is too long.
  static func wrapped(_ text: String, columns: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let longer = lines[lines.count - 1] + (lines.last == "" ? "" : " ") + word
      if of(longer) <= columns {
        lines[lines.count - 1] = longer
        continue
      }
      if lines.last != "" { lines.append("") }
      for character in word {
        if of(lines[lines.count - 1] + String(character)) > columns { lines.append("") }
        lines[lines.count - 1].append(character)
      }
    }
    return lines
  }

  /// Splits a text into characters and escape sequences of colors.
  private static func parts(of text: String) -> [(text: String, width: Int)] {
    var parts: [(text: String, width: Int)] = []
    var rest = text[...]
    while let character = rest.first {
      if character == "\u{1B}" {
        let sequence = rest.prefix { $0 != "m" }
        parts.append((sequence + "m", 0))
        rest = rest.dropFirst(sequence.count + 1)
      } else {
        let scalar = character.unicodeScalars.first?.value ?? 0
        parts.append((String(character), wide.contains { $0.contains(scalar) } ? 2 : 1))
        rest = rest.dropFirst()
      }
    }
    return parts
  }
}
