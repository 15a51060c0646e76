// Text that is safe in HTML and in SVG, and numbers as text.

enum HTMLText {
  /// Returns text with its special characters escaped. Control characters become visible
  /// ("␀"); those that reverse the direction of other text, or that XML forbids, become U+FFFD.
  static func escape(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(visible(scalar))
      }
    }
    return escaped
  }

  private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x00..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? "\u{fffd}"
    case 0x7f: "\u{2421}"
    case 0x80..<0xa0, 0x202a...0x202e, 0x2066...0x2069, 0x200e, 0x200f, 0x61c: "\u{fffd}"
    case 0x2028, 0x2029: "\u{240a}"
    case let value where value & 0xfffe == 0xfffe: "\u{fffd}"
    default: scalar
    }
  }

  /// Returns at most `most` characters of a label, escaped.
  static func label(_ text: String, most: Int = 60) -> String {
    guard text.utf8.count > most, text.count > most else { return escape(text) }
    return escape(String(text.prefix(most - 1))) + "…"
  }

  /// Returns escaped text in which the parts between backticks are code.
  static func rich(_ text: String) -> String {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    return parts.enumerated().reduce(into: "") { result, part in
      let isCode = part.offset % 2 == 1 && part.offset < parts.count - 1
      let isStray = part.offset % 2 == 1 && !isCode
      let words = escape(String(part.element))
      result += isCode ? "<code>\(words)</code>" : isStray ? "`" + words : words
    }
  }

  /// Returns a number with separators: "100,000".
  static func count(_ number: Int) -> String {
    let digits = String(number)
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place) % 3 == 0, digits[digits.startIndex] != "-" || place > 1 {
        text += ","
      }
      text.append(digit)
    }
    return text
  }

  /// Returns a number with a fixed number of decimals.
  static func decimal(_ value: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = Int((value * scale).rounded())
    guard places > 0 else { return String(scaled) }
    let whole = scaled / Int(scale)
    let digits = String(scaled % Int(scale))
    return "\(whole)." + String(repeating: "0", count: places - digits.count) + digits
  }
}
