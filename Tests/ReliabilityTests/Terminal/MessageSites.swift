// The messages of the sources: each call that makes one of foreign text.
//
// DESIGN. The parser knows Swift's comments, strings with interpolations, and parentheses, which
// is all it needs to find the arguments of a call. A message that has nothing but literals
// contains no foreign byte and is left out.

import Foundation

/// A call in the sources that makes a message.
struct MessageSite: Hashable {
  /// `WeirTool/Commands/Check/CheckOutput.swift:102`.
  let place: String
  /// The longest literal of the message: what an output is searched for.
  let text: String
}

enum MessageSites {
  /// The functions and initializers that make messages.
  private static let makers: Set = [
    "report", "reportBeforeRun", "UsageError", "FileError", "Refusal", "Finding", "Resumption",
    "Fault", "Unwritten", "writeError", "withUsageError", "withError", "damaged",
  ]

  /// Returns the sites of all files below these folders of Sources.
  static func all(in folders: [String]) throws -> [MessageSite] {
    let root = #filePath.components(separatedBy: "/Tests/")[0] + "/Sources/"
    var sites: [MessageSite] = []
    for folder in folders {
      let files = try FileManager.default.subpathsOfDirectory(atPath: root + folder)
      for file in files.sorted() where file.hasSuffix(".swift") {
        let source = try String(contentsOfFile: "\(root)\(folder)/\(file)", encoding: .utf8)
        var parser = SourceParser(Array(source.utf8))
        for call in parser.calls(of: makers) where call.isForeign && isText(call.text) {
          sites.append(MessageSite(place: "\(folder)/\(file):\(call.line)", text: call.text))
        }
      }
    }
    return sites
  }

  /// True if a text has a word.
  private static func isText(_ text: String) -> Bool {
    text.unicodeScalars.count { $0.properties.isAlphabetic } >= 3
  }

  /// Returns a text with each run of blanks and line ends as one blank: a terminal breaks lines.
  static func folded(_ text: String) -> String {
    text.split(whereSeparator: { $0 == " " || $0 == "\n" || $0 == "\r" || $0 == "\r\n" })
      .joined(separator: " ")
  }
}

/// A call in a source.
private struct SourceCall {
  let line: Int
  /// The longest literal among the arguments.
  let text: String
  /// True if an argument is not a literal.
  let isForeign: Bool
}

/// A parser of the calls in Swift.
private struct SourceParser {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the calls of functions with these names, also those within other calls.
  mutating func calls(of names: Set<String>) -> [SourceCall] {
    var calls: [SourceCall] = []
    var word = ""
    var before = ""
    index = 0
    line = 1
    while index < bytes.count {
      if skipComment() { continue }
      let byte = bytes[index]
      if byte == quote {
        _ = literal()
        word = ""
      } else if isWord(byte) {
        word.unicodeScalars.append(Unicode.Scalar(byte))
        advance()
      } else {
        if byte == UInt8(ascii: "("), names.contains(word), before != "func", before != "case" {
          let (start, at) = (index, line)
          advance()
          calls.append(arguments(at))
          (index, line) = (start, at)
        }
        if !word.isEmpty { before = word }
        word = ""
        advance()
      }
    }
    return calls
  }

  private let quote = UInt8(ascii: "\"")

  private func isWord(_ byte: UInt8) -> Bool {
    Unicode.Scalar(byte).properties.isAlphabetic || byte == UInt8(ascii: "_")
      || (0x30...0x39).contains(byte)
  }

  private mutating func advance() {
    if bytes[index] == 0x0A { line += 1 }
    index += 1
  }

  private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  private mutating func skipComment() -> Bool {
    guard starts(with: "//") else { return false }
    while index < bytes.count && bytes[index] != 0x0A { index += 1 }
    return true
  }

  /// Parses the arguments after an opening parenthesis.
  private mutating func arguments(_ line: Int) -> SourceCall {
    var depth = 1
    var literals: [String] = []
    var isForeign = false
    var word = ""
    while index < bytes.count && depth > 0 {
      if skipComment() { continue }
      let byte = bytes[index]
      if byte == quote {
        let (parts, hasGaps) = literal()
        literals += parts
        if hasGaps { isForeign = true }
        continue
      }
      if isWord(byte) {
        word.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        // Labels and conversions are no foreign text.
        if !word.isEmpty && byte != UInt8(ascii: ":") && !["Array", "utf8"].contains(word) {
          isForeign = true
        }
        word = ""
      }
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      advance()
    }
    return SourceCall(
      line: line, text: literals.max { $0.count < $1.count } ?? "", isForeign: isForeign)
  }

  /// Parses a string literal: its texts between interpolations.
  private mutating func literal() -> (parts: [String], hasGaps: Bool) {
    let end = starts(with: "\"\"\"") ? "\"\"\"" : "\""
    index += end.utf8.count
    var parts: [[UInt8]] = [[]]
    while index < bytes.count && !starts(with: end) {
      if starts(with: "\\(") {
        index += 2
        parts.append([])
        var depth = 1
        while index < bytes.count && depth > 0 {
          if bytes[index] == quote {
            _ = literal()
            continue
          }
          if bytes[index] == UInt8(ascii: "(") { depth += 1 }
          if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
          advance()
        }
      } else if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
        index += 1
        switch bytes[index] {
        case UInt8(ascii: "n"), 0x0A: parts[parts.count - 1].append(0x20)
        default: parts[parts.count - 1].append(bytes[index])
        }
        advance()
      } else {
        parts[parts.count - 1].append(bytes[index])
        advance()
      }
    }
    index = min(bytes.count, index + end.utf8.count)
    return (parts.map { String(decoding: $0, as: UTF8.self) }, parts.count > 1)
  }
}
