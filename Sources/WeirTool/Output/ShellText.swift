// A word of a command for `sh`.
//
// DESIGN. Messages quote names as GNU does, with $'\n' for a newline, which sh and dash do not
// read. Here there are single quotes only, and a newline within them stays one.

/// Text for `sh`. Its strings stand for bytes as those of `RawArgument` do.
enum ShellText {
  private static let marks = Set("@%+:,./_-".unicodeScalars)

  /// Returns a word that a shell reads as `text`.
  static func word(_ text: String) -> String {
    if isPlain(text) { return text }
    // By scalars: a quote before a combining mark is a part of another character, and still a
    // quote to the shell.
    let quoted = text.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }
    return "'" + quoted.joined() + "'"
  }

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
