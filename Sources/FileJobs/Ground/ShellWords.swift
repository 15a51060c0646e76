/// Words as a shell reads them.
package enum ShellWords {
  /// Returns the command of a job log, on one line.
  static func line(of arguments: [[UInt8]]) -> [UInt8] {
    Array(arguments.map { quoted($0) }.joined(separator: [UInt8(ascii: " ")]))
  }

  /// Returns the line of a command for every shell: a word may have a newline in it.
  package static func posixLine(of arguments: [[UInt8]]) -> [UInt8] {
    let words = arguments.enumerated().map { place, word in
      place > 0 || isCommand(word) ? self.word(word) : posix(word)
    }
    return Array(words.joined(separator: [UInt8(ascii: " ")]))
  }

  /// Returns a word, in quotes if it needs them, for every shell.
  package static func word(_ word: [UInt8]) -> [UInt8] { isPlain(word) ? word : posix(word) }

  /// Returns true if a shell reads the first word of a line as a command, and not as an assignment or a
  /// word of its own.
  private static func isCommand(_ word: [UInt8]) -> Bool {
    !word.contains(UInt8(ascii: "=")) && !reserved.contains(String(decoding: word, as: UTF8.self))
  }

  private static let reserved: Set<String> = [
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in",
    "function", "select", "time", "coproc",
  ]

  /// Returns a word in single quotes, as every shell reads it. An unfinished part of it is no word.
  package static func posix(_ word: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "'")
    let parts = word.split(separator: quote, omittingEmptySubsequences: false)
    return [quote] + parts.joined(separator: "'\\''".utf8) + [quote]
  }

  /// The punctuation that needs no quotes.
  private static let plain = Set("_@%+=:,./-".utf8)

  private static func isPlain(_ word: [UInt8]) -> Bool {
    !word.isEmpty
      && word.allSatisfy { $0.isLetter || $0.isDigit || $0 >= 0x80 || plain.contains($0) }
  }

  /// Returns a word. Only bash and its like read one with control bytes: `$'\012'`.
  private static func quoted(_ word: [UInt8]) -> [UInt8] {
    if isPlain(word) { return word }
    let hasControl = word.contains { $0 < 0x20 || $0 == 0x7F }
    var out = Array((hasControl ? "$'" : "'").utf8)
    for byte in word {
      switch byte {
      case UInt8(ascii: "'"): out += (hasControl ? "\\'" : "'\\''").utf8
      case UInt8(ascii: "\\") where hasControl: out += "\\\\".utf8
      case 0..<0x20, 0x7F:
        let digits = String(byte, radix: 8)
        out += "\\\(String(repeating: "0", count: 3 - digits.count))\(digits)".utf8
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "'"))
    return out
  }
}
