// The tables of examples/coverage.md: each element of the documents has a command that shows it.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CoverageTests {
  private struct Row {
    let element: String
    let commands: [String]
    let texts: [String]
  }

  private static let page = "\(packageRoot)/../coverage.md"

  private static func rows() throws -> [Row] {
    let text = try String(contentsOfFile: page, encoding: .utf8)
    let table = try #require(text.components(separatedBy: "\n## Coverage\n").dropFirst().first)
    return table.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap { line in
      // A bar within code is written \|.
      let cells = line.replacing("\\|", with: "\u{1}").split(separator: "|").map { cell in
        cell.replacing("\u{1}", with: "|").trimmingCharacters(in: .whitespaces)
      }
      guard cells.count >= 3, cells[0] != "element" else { return nil }
      return Row(element: cells[0], commands: code(cells[1]), texts: code(cells[2]))
    }
  }

  /// The parts of a cell between backticks.
  private static func code(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// Text on one line.
  private static func joined(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func output(of line: String) async throws -> String {
    if !line.hasPrefix("weir-demo ") {
      return joined(try String(contentsOfFile: "\(packageRoot)/../../\(line)", encoding: .utf8))
    }
    let directory = try TemporaryDirectory()
    var words = line.split(separator: " ").dropFirst().map(String.init)
    if words.first == "pitfalls" { words += ["--watchdog", "600"] }
    let command = weirDemo(words.map { Array($0.utf8) }, in: directory)
    let outcome = try await command.run()
    #expect(outcome.status == 0, "\(line): \(outcome.errorText)")
    var text = joined(outcome.outputText)
    if words.contains("--html") {
      let page = try String(
        contentsOfFile: String(decoding: directory.path("PAGE"), as: UTF8.self), encoding: .utf8)
      // The words of the run are JSON, in which these signs are escaped.
      let signs = [
        (#"\""#, "\""), (#"\\"#, #"\"#), (#"\u003c"#, "<"), (#"\u003e"#, ">"), (#"\u0026"#, "&"),
        (#"\n"#, "\n"),
      ]
      text += " " + joined(signs.reduce(page) { $0.replacing($1.0, with: $1.1) })
    }
    return text
  }

  /// Runs all distinct command lines, a few at once.
  private static func outputs(of lines: Set<String>) async throws -> [String: String] {
    try await withThrowingTaskGroup(of: (String, String).self) { group in
      var outputs: [String: String] = [:]
      for (index, line) in lines.sorted().enumerated() {
        if index >= 3, let (line, output) = try await group.next() { outputs[line] = output }
        group.addTask { (line, try await output(of: line)) }
      }
      for try await (line, output) in group { outputs[line] = output }
      return outputs
    }
  }

  @Test("each element of the documents is in the output of its command")
  func elements() async throws {
    let rows = try Self.rows()
    #expect(rows.count >= 100)
    #expect(Set(rows.map(\.element)).count == rows.count, "an element has two rows")
    let outputs = try await Self.outputs(of: Set(rows.flatMap(\.commands)))
    for row in rows {
      #expect(!row.commands.isEmpty && !row.texts.isEmpty, "\(row.element)")
      let output = row.commands.compactMap { outputs[$0] }.joined(separator: " ")
      for text in row.texts {
        let text = text.replacing("holds: ", with: #""holds":true,"text":""#)
        #expect(output.contains(Self.joined(text)), "\(row.element): \(row.commands): \(text)")
      }
    }
  }

  @Test("simulated commands are used wherever a demo can be simulated")
  func simulated() throws {
    for command in try Self.rows().flatMap(\.commands) where !command.contains("/") {
      let words = command.split(separator: " ")
      #expect(words[0] == "weir-demo", "\(command)")
      let isReal = words.count < 2 || words[1] == "pitfalls"
      #expect(isReal || words.contains("--virtual"), "\(command)")
    }
  }
}
