// Standard output, standard error and the terminal.

import Glibc
import SystemPackage

enum Output {
  static func write(_ lines: [String]) throws {
    try write(bytes: Array(lines.map { "\($0)\n" }.joined().utf8))
  }

  static func write(bytes: [UInt8]) throws {
    do {
      _ = try FileDescriptor.standardOutput.writeAll(bytes)
    } catch {
      throw Failure("write error: \(error)")
    }
  }

  static func report(_ message: String) {
    _ = try? FileDescriptor.standardError.writeAll(Array("weir-demo: \(message)\n".utf8))
  }
}

/// The terminal, if there is one.
enum Terminal {
  static var isInput: Bool { isatty(STDIN_FILENO) == 1 }
  static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The columns of text: at most 80.
  static var textColumns: Int {
    var size = winsize()
    _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return isOutput && size.ws_col != 0 ? max(20, min(80, Int(size.ws_col))) : 80
  }

  /// Asks a question, again after an answer that is none. An empty line, or none, skips it.
  static func ask<T>(
    _ question: String, advice: [String] = [], _ parse: (String) -> T?
  ) throws -> T? {
    while true {
      try Output.write(bytes: Array(question.utf8))
      guard let line = readLine() else {
        try Output.write([""])
        return nil
      }
      let text = line.trimmed
      if text.isEmpty { return nil }
      if let answer = parse(text) { return answer }
      try Output.write(advice)
    }
  }
}

extension String {
  var trimmed: String {
    let blanks: Set<Character> = [" ", "\t", "\r"]
    return String(drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
  }
}

/// Text in lines that fit.
enum TextLines {
  /// Returns rows of a name and a text, of which the texts begin in one column.
  static func table(_ rows: [(String, String)], columns: Int = 80) -> [String] {
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.flatMap { name, text in
      let gap = String(repeating: " ", count: width - name.count)
      return wrap("  \(name)\(gap)\(text)", columns: columns, indent: width + 2)
    }
  }

  /// Returns a text in lines that end between two words, but not after a number.
  ///
  /// - Parameters:
  ///   - columns: The longest line allowed; a longer word has a line of its own.
  ///   - indent: The blanks at the beginning of all lines but the first.
  static func wrap(_ text: String, columns: Int, indent: Int = 2) -> [String] {
    var words: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let isNumber = words.last?.last.map { "0"..."9" ~= $0 } ?? false
      if isNumber { words[words.count - 1] += " \(word)" } else { words.append(String(word)) }
    }
    var (lines, line) = ([] as [String], words.first ?? "")
    for word in words.dropFirst() {
      if line.count + 1 + word.count > columns {
        lines.append(line)
        line = String(repeating: " ", count: indent) + word
      } else {
        line += " \(word)"
      }
    }
    return lines + [line]
  }
}
