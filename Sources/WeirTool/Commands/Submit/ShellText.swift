// Words and comments of a script for a POSIX shell.
//
// DESIGN. Messages quote names as GNU does, with $'\n' for a newline, and cut long commands:
// sh and dash do not read the one, and nobody runs the other. A script quotes with single
// quotes only, and a newline within them stays one.

/// Texts of a script for `sh`. Their strings stand for bytes as those of `RawArgument` do.
enum ShellText {
  /// Returns a word that a shell reads as `text`.
  static func word(_ text: String) -> String {
    if isPlain(text) { return text }
    return "'" + replacing("'", in: text, with: "'\\''") + "'"
  }

  /// Returns the words of a command.
  static func command(_ words: [String]) -> String { words.map(word).joined(separator: " ") }

  /// Returns a name for a comment, in one line and without control characters.
  static func shown(_ name: String) -> String {
    RawArgument(bytes: QuotedName.bytes(of: RawArgument(argument: name).bytes)).text
  }

  /// Returns a command for a comment, in one line.
  static func shown(_ words: [String]) -> String { words.map(shown).joined(separator: " ") }

  /// Returns text with each occurrence of a scalar replaced. The characters of Swift will not
  /// do: a quote before a combining mark is part of another character, and still a quote to
  /// the shell.
  static func replacing(_ scalar: Unicode.Scalar, in text: String, with other: String) -> String {
    var result = String.UnicodeScalarView()
    for found in text.unicodeScalars {
      if found == scalar {
        result.append(contentsOf: other.unicodeScalars)
      } else {
        result.append(found)
      }
    }
    return String(result)
  }

  private static let marks = Set("@%+:,./_-".unicodeScalars)

  private static func isPlain(_ text: String) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: marks.contains(scalar)
        }
      }
  }
}
