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

  /// The columns of text: at most 80.
  static var textColumns: Int {
    var size = winsize()
    _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return isOutput && size.ws_col != 0 ? max(20, min(80, Int(size.ws_col))) : 80
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
