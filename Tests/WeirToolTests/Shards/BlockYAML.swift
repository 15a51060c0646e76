// A reader of the part of YAML that `weir submit --kubernetes` writes.

import Foundation
import TestSupport
import Testing

/// Block mappings and block sequences whose scalars are plain words, or are written as JSON,
/// which means the same in YAML 1.2.
struct BlockYAML {
  private var lines: [(indent: Int, text: ArraySlice<UInt8>)]

  /// Returns the value of a document: a dictionary, an array, a number or a string.
  static func value(of document: [UInt8]) throws -> Any {
    // YAML does not print these, and takes some of them for a line break; JSON allows them.
    let text = try #require(String(validating: document, as: UTF8.self))
    let special: Set<Unicode.Scalar> = ["\u{85}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{7F}"]
    #expect(text.unicodeScalars.allSatisfy { !special.contains($0) && ($0 >= " " || $0 == "\n") })
    let lines = document.split(separator: 10).map { line in
      let content = line.drop { $0 == UInt8(ascii: " ") }
      return (indent: line.count - content.count, text: content)
    }
    var reader = Self(lines: lines.filter { $0.text.first != UInt8(ascii: "#") })
    let value = try reader.value(after: -1)
    try #require(reader.lines.isEmpty, "\(reader.lines.first.map { Array($0.text) } ?? [])")
    return value
  }

  /// Reads the value whose lines are indented more than `indent`.
  private mutating func value(after indent: Int) throws -> Any {
    let first = try #require(lines.first)
    try #require(first.indent > indent)
    if first.text.starts(with: Array("- ".utf8)) { return try sequence(at: first.indent) }
    if key(of: first.text) != nil { return try mapping(at: first.indent) }
    lines.removeFirst()
    return try scalar(first.text)
  }

  private mutating func sequence(at indent: Int) throws -> [Any] {
    var result: [Any] = []
    while let line = lines.first, line.indent == indent, line.text.starts(with: Array("- ".utf8)) {
      lines[0] = (indent + 2, line.text.dropFirst(2))
      result.append(try value(after: indent))
    }
    return result
  }

  private mutating func mapping(at indent: Int) throws -> [String: Any] {
    var result: [String: Any] = [:]
    while let line = lines.first, line.indent == indent, let key = key(of: line.text) {
      lines.removeFirst()
      let rest = line.text.dropFirst(key.utf8.count + 1).drop { $0 == UInt8(ascii: " ") }
      try #require(result[key] == nil, "twice: \(key)")
      result[key] = rest.isEmpty ? try value(after: indent) : try scalar(rest)
    }
    return result
  }

  /// Returns the plain word before a colon.
  private func key(of text: ArraySlice<UInt8>) -> String? {
    guard let end = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let key = String(decoding: text[..<end], as: UTF8.self)
    let isEnd = end + 1 == text.endIndex || text[end + 1] == UInt8(ascii: " ")
    return isEnd && key.allSatisfy { $0.isASCII && $0.isLetter } ? key : nil
  }

  private func scalar(_ text: ArraySlice<UInt8>) throws -> Any {
    if text.first == UInt8(ascii: "\"") || text.first == UInt8(ascii: "[") {
      return try JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
    }
    let word = String(decoding: text, as: UTF8.self)
    let plain = "./-"
    try #require(
      word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || plain.contains($0)) })
    return Int(word) as Any? ?? word
  }
}
