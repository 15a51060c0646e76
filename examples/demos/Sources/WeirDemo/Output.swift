// Standard output, standard error and the terminal.

import Glibc
import SystemPackage

enum Output {
  /// Writes lines to standard output.
  static func write(_ lines: [String]) throws {
    try write(bytes: Array(lines.map { "\($0)\n" }.joined().utf8))
  }

  /// Writes bytes to standard output.
  static func write(bytes: [UInt8]) throws {
    do {
      _ = try FileDescriptor.standardOutput.writeAll(bytes)
    } catch {
      throw Failure("write error: \(error)")
    }
  }

  /// Writes a message to standard error, as one line without control characters.
  static func report(_ message: String) {
    let text = String(message.map { $0.isControl ? "?" : $0 })
    _ = try? FileDescriptor.standardError.writeAll(Array("weir-demo: \(text)\n".utf8))
  }
}

extension Character {
  fileprivate var isControl: Bool {
    unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) }
  }
}

/// The terminal, if there is one.
enum Terminal {
  static var isInput: Bool { isatty(STDIN_FILENO) == 1 }
  static var isOutput: Bool { isatty(STDOUT_FILENO) == 1 }
  /// True if the terminal has no control sequences.
  static var isDumb: Bool { ["dumb", ""].contains(variable("TERM")) }

  /// The present size; 80 columns and 24 rows if it is unknown.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return (size.ws_col == 0 ? 80 : Int(size.ws_col), size.ws_row == 0 ? 24 : Int(size.ws_row))
  }

  /// The columns of text: at most 80.
  static var textColumns: Int { isOutput ? max(20, min(80, size.columns)) : 80 }

  /// A Boolean value that indicates whether text is colored, by the value of `--color`.
  static func hasColors(_ when: String) -> Bool {
    switch when {
    case "always": true
    case "never": false
    default: isOutput && !isDumb && variable("NO_COLOR").isEmpty
    }
  }

  private static func variable(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }
}

/// Text in lines that fit.
enum TextLines {
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
