internal import CFileKernels

/// The columns that text takes on a terminal.
enum TextWidth {
  /// Returns the columns of a text without control characters.
  static func columns(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    scalar.isASCII ? 1 : Int(kernel_character_columns(scalar.value))
  }

  /// Returns the end of a text that fits, after `...` if its beginning is left out.
  static func end(of text: String, columns limit: Int) -> String {
    if columns(of: text) <= limit { return text }
    var (kept, rest) = ([] as [Unicode.Scalar], limit - 3)
    for scalar in text.unicodeScalars.reversed() {
      rest -= columns(of: scalar)
      if rest < 0 { break }
      kept.append(scalar)
    }
    var end = String.UnicodeScalarView()
    end.append(contentsOf: kept.reversed())
    return "...\(String(end))"
  }

  /// Returns a text in lines that end between two words, but not after a number.
  ///
  /// - Parameters:
  ///   - columns: The longest line allowed; a longer word has a line of its own.
  ///   - indent: The blanks at the beginning of all lines but the first.
  static func lines(of text: String, columns limit: Int, indent: Int = 2) -> [String] {
    var lines: [String] = []
    let words = words(of: text)
    var line = words.first ?? ""
    for word in words.dropFirst() {
      if columns(of: line) + 1 + columns(of: word) > limit {
        lines.append(line)
        line = String(repeating: " ", count: indent) + word
      } else {
        line += " \(word)"
      }
    }
    return lines + [line]
  }

  /// Returns the words of a text, each number with the word after it.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let isNumber = words.last?.last.map { "0"..."9" ~= $0 } ?? false
      if isNumber { words[words.count - 1] += " \(word)" } else { words.append(String(word)) }
    }
    return words
  }
}
