// A transcript: a text with commands, and what each writes and ends with. Tests/Transcripts/README.md
// describes the form.

import TestSupport

/// A text of sections, each with commands that run in one shell.
struct Transcript {
  /// A command with the lines that it is to write.
  struct Step: Sendable {
    /// The number of the line that begins the command.
    var line: Int
    var command: String
    /// The lines after the command: of its output, of its messages, its status.
    var expected: [String] = []
    /// The number of the line after the command.
    var end: Int

    /// Describes how the results differ from the expected lines; `nil` if they do not.
    func difference(from results: Results) -> String? {
      let actual = results.lines
      let (status, expectedStatus) = (Self.status(of: actual), Self.status(of: expected))
      let isEqual =
        status == expectedStatus
        && [true, false].allSatisfy { isMessage in
          matches(
            Self.part(of: actual, isMessage: isMessage)[...],
            Self.part(of: expected, isMessage: isMessage)[...])
        }
      return isEqual
        ? nil
        : "$ \(command)\n" + actual.map { "  \($0)\n" }.joined() + "instead of\n"
          + expected.map { "  \($0)\n" }.joined()
    }

    private static func status(of lines: [String]) -> String {
      lines.last { $0.wholeMatch(of: /\[\d+\]/) != nil } ?? "[0]"
    }

    private static func part(of lines: [String], isMessage: Bool) -> [String] {
      lines.filter { $0.hasPrefix("! ") == isMessage && $0.wholeMatch(of: /\[\d+\]/) == nil }
    }
  }

  /// The end of a command, and what it wrote.
  struct Results: Sendable {
    var output: [UInt8]
    var messages: [UInt8]
    var status: Int32

    /// The results in the form of a transcript.
    var lines: [String] {
      shownLines(output) + shownLines(messages).map { "! \($0)" }
        + (status == 0 ? [] : ["[\(status)]"])
    }
  }

  struct Section: Sendable {
    var title: String
    var line: Int
    var needs: [String] = []
    var steps: [Step] = []
  }

  /// The commands before the first section, which every section runs first.
  private(set) var beginning = Section(title: "", line: 1)
  private(set) var sections: [Section] = []
  /// What is wrong with the text.
  private(set) var faults: [String] = []

  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("## ") {
        sections.append(Section(title: String(line.dropFirst(3)), line: index + 1))
      } else if line.hasPrefix("needs ") {
        change { $0.needs += line.dropFirst(6).split(separator: " ").map(String.init) }
      } else if line.hasPrefix("  ") {
        add(String(line.dropFirst(2)), index)
      }
    }
  }

  private mutating func change(_ body: (inout Section) -> Void) {
    if sections.isEmpty { body(&beginning) } else { body(&sections[sections.count - 1]) }
  }

  private mutating func add(_ text: String, _ index: Int) {
    var isStray = false
    change { section in
      let last = section.steps.count - 1
      let next = last < 0 ? 0 : section.steps[last].end + section.steps[last].expected.count
      if text.hasPrefix("$ ") {
        let command = String(text.dropFirst(2))
        section.steps.append(Step(line: index + 1, command: command, end: index + 2))
      } else if next != index + 1 {
        isStray = true
      } else if text.hasPrefix("> ") && section.steps[last].expected.isEmpty {
        section.steps[last].command += "\n" + text.dropFirst(2)
        section.steps[last].end += 1
      } else {
        section.steps[last].expected.append(text)
      }
    }
    if isStray { faults.append("line \(index + 1) belongs to no command") }
  }
}

/// Runs commands in one `sh`, one after the other, and returns the results of each. The last is
/// missing if it ended the shell. The path of the directory is `$top` in them.
func runInOneShell(
  _ commands: [String], after beginning: String, in directory: TemporaryDirectory,
  isMerged: Bool = false
) async throws -> (results: [Transcript.Results], rest: Outcome) {
  let mark = "\u{1}#"
  var script = beginning + "\n"
  for command in commands {
    script += "{ \(command)\n}\nset -- $?; printf '\\n\(mark)%d\\n' $1\n"
    if !isMerged { script += "printf '\\n\(mark)\\n' >&2\n" }
  }
  var shell = shell(script, in: directory)
  shell.isMerged = isMerged
  let outcome = try await shell.run()
  let end = Array("\n\(mark)".utf8)
  let (outputs, messages) = (outcome.output.parts(between: end), outcome.errors.parts(between: end))
  func text(_ parts: [ArraySlice<UInt8>], _ index: Int) -> [UInt8] {
    guard index < parts.count else { return [] }
    let text = index == 0 ? parts[0] : parts[index].drop { $0 != 0x0A }.dropFirst()
    return Array(Array(text).parts(between: directory.path).joined(separator: "$top".utf8))
  }
  let found = outputs.dropLast().indices.map { index in
    let status = outputs[index + 1].prefix { $0 != 0x0A }
    return Transcript.Results(
      output: text(outputs, index), messages: isMerged ? [] : text(messages, index),
      status: Int32(String(decoding: status, as: UTF8.self)) ?? -1)
  }
  return (found, outcome)
}

extension Array<UInt8> {
  /// The parts between the places of a separator.
  fileprivate func parts(between separator: [UInt8]) -> [ArraySlice<UInt8>] {
    var (parts, begin, index): ([ArraySlice<UInt8>], Int, Int) = ([], 0, 0)
    while index + separator.count <= count {
      if self[index...].starts(with: separator) {
        parts.append(self[begin..<index])
        index += separator.count
        begin = index
      } else {
        index += 1
      }
    }
    return parts + [self[begin...]]
  }
}

// MARK: - Lines

/// Returns the lines of an output as a transcript shows them.
private func shownLines(_ bytes: [UInt8]) -> [String] {
  let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
  guard let last = lines.last, !last.isEmpty else { return lines.dropLast().map(shownLine) }
  return lines.dropLast().map(shownLine) + [shownLine(last) + " (no-eol)"]
}

private func shownLine(_ bytes: ArraySlice<UInt8>) -> String {
  let text = String(decoding: bytes, as: UTF8.self)
  let isPlain =
    !bytes.isEmpty && text.utf8.elementsEqual(bytes)
    && !bytes.contains { $0 < 0x20 || $0 == 0x7F }
    && text.firstMatch(of: /^(?:! |\$ |> |\[\d+\]$)|[ ]$| \((?:esc|no-eol)\)$/) == nil
  if isPlain { return text }
  let escaped = bytes.enumerated().map { index, byte in
    switch byte {
    case UInt8(ascii: "\\"): "\\\\"
    case UInt8(ascii: "\t"): "\\t"
    case UInt8(ascii: "\r"): "\\r"
    case 0x21...0x7E where index > 0 || !"!$>[".utf8.contains(byte): String(UnicodeScalar(byte))
    case 0x20 where index > 0 && index < bytes.count - 1: " "
    default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
  return escaped.joined() + " (esc)"
}

/// Returns true if lines are those of a pattern, in which a line `...` stands for any lines, and
/// `...` in a line for any text.
private func matches(_ lines: ArraySlice<String>, _ pattern: ArraySlice<String>) -> Bool {
  guard let first = pattern.first else { return lines.isEmpty }
  if first == "..." || first == "! ..." {
    return (lines.startIndex...lines.endIndex).contains {
      matches(lines[$0...], pattern.dropFirst())
    }
  }
  guard let line = lines.first, isLine(line, first) else { return false }
  return matches(lines.dropFirst(), pattern.dropFirst())
}

private func isLine(_ line: String, _ pattern: String) -> Bool {
  guard pattern.contains("...") else { return line == pattern }
  let parts = pattern.split(separator: "...", omittingEmptySubsequences: false)
  guard line.hasPrefix(parts[0]) else { return false }
  var rest = line.dropFirst(parts[0].count)
  for part in parts.dropFirst().dropLast() {
    guard let place = rest.firstRange(of: part) else { return false }
    rest = rest[place.upperBound...]
  }
  return rest.hasSuffix(parts[parts.count - 1])
}
