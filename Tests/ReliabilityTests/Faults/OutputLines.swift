// The judgement of an output by its lines.

import TestSupport

struct OutputLines {
  let made: [UInt8]
  let expected: [UInt8]
  let messages: String
  /// True if the run ended early, so that anything may be missing at the end.
  let isEarly: Bool

  private static let names = [
    "alpha.txt", "bravo.txt", "charlie.txt", "delta.txt", "echo.txt", "foxtrot.txt", "golf.txt",
    "hotel.txt", "india.txt", "juliet.txt", "kilo.txt", "lima.txt",
  ]

  /// Splits an output; the last line may be cut.
  static func lines(_ bytes: [UInt8]) -> (whole: [String], isCut: Bool) {
    let isCut = !bytes.isEmpty && bytes.last != 0x0A && bytes.last != 0
    return (
      String(decoding: bytes, as: UTF8.self).split { $0 == "\n" || $0 == "\0" }.map(String.init),
      isCut
    )
  }

  /// True if two outputs of a merge are the same, of groups but for their order and their headings: a
  /// file that cannot be examined is no saving.
  static func isSame(_ made: [UInt8], _ expected: [UInt8], _ name: String) -> Bool {
    made == expected
      || name == "shard of duplicates" && Set(groups(made)) == Set(groups(expected))
  }

  /// The lines without what differs from run to run.
  static func steady(_ bytes: [UInt8]) -> [String] {
    lines(bytes).whole.filter { line in
      !line.contains("\"type\":\"summary\"") && !line.contains("\"type\":\"manifest\"")
        && !line.hasPrefix("#mtree ")
    }
  }

  /// The commands of a job log that did not fail, with their exit status.
  static func commands(_ bytes: [UInt8]) -> [String] {
    lines(bytes).whole.dropFirst().map { line in
      line.split(separator: "\t").suffix(3).joined(separator: " ")
    }
  }

  /// Lines with one blank for many: the columns of a count depend on the sizes that were found.
  static func columns(_ bytes: [UInt8]) -> [String] {
    steady(bytes).map { $0.split(separator: " ").joined(separator: " ") }
  }

  // MARK: Lines of files

  func problem(verdicts: Bool = false, ignoring suffix: String? = nil) -> String? {
    let made = Self.lines(made)
    var steady = suffix == nil ? Self.steady(self.made) : Self.columns(self.made)
    if let suffix { steady.removeAll { $0.hasSuffix(suffix) } }
    var left = suffix == nil ? Self.steady(expected) : Self.columns(expected)
    if let suffix { left.removeAll { $0.hasSuffix(suffix) } }
    for (index, line) in steady.enumerated() {
      if let place = left.firstIndex(of: line) {
        left.remove(at: place)
        continue
      }
      if made.isCut && index == steady.count - 1 && isEarly {
        if left.contains(where: { $0.hasPrefix(line) }) { continue }
      }
      if line.contains("\"type\":\"error\"") || line.hasPrefix("#weir") { continue }
      if verdicts && isExcuse(line) { continue }
      // Without a manifest all files are new; no list is written.
      if verdicts && line.hasSuffix(": new") && messages.contains("manifest.sums: ") { continue }
      if suffix != nil && isExplained(line) { continue }
      if isCutOutput(line, &left) { continue }
      return "wrong line '\(line)'"
    }
    guard !isEarly, let lost = left.first(where: { !isExplained($0) }) else { return nil }
    return "lost '\(lost)'"
  }

  /// True if a verdict says that the file could not be read, and a message names it.
  private func isExcuse(_ line: String) -> Bool {
    let words = ["FAILED open or read", "\"unreadable\"", "\"changed\"", "(os error "]
    return words.contains { line.contains($0) }
  }

  /// True if the line is the beginning of the output of a command that was ended, alone or with
  /// the first line of the next command after it.
  private func isCutOutput(_ line: String, _ left: inout [String]) -> Bool {
    let reasons = ["its output or its status could not be read", "its output is cut"]
    guard reasons.contains(where: messages.contains) else { return false }
    if let place = left.firstIndex(where: { line.hasSuffix($0) }) {
      let begin = line.dropLast(left.remove(at: place).count)
      return left.contains { $0.hasPrefix(begin) }
    }
    return left.contains { $0.hasPrefix(line) }
  }

  private func isExplained(_ line: String) -> Bool {
    let roots = [
      "manifest.sums: ", " tree: ", " each: ", " list.txt: ", " list.nul: ", " each.txt: ",
      " and 1 other: ", "Error: ",
    ]
    if roots.contains(where: { messages.contains($0) }) { return true }
    let parents = ["deep", "inner", "tree", "each", "links"]
    if let name = Self.names.first(where: { line.contains($0) }) {
      return messages.contains(name)
        || parents.contains { line.contains("\($0)/") && messages.contains("\($0): ") }
    }
    return parents.contains { line.contains($0) && messages.contains($0) } || line.hasPrefix("#")
  }

  // MARK: Other outputs

  /// Each name in the expected output is in this one, or in a message.
  func nameProblem() -> String? {
    let (text, whole) = (
      String(decoding: made, as: UTF8.self), String(decoding: expected, as: UTF8.self)
    )
    let lost = Self.names.first { name in
      whole.contains(name) && !text.contains(name) && !isExplained(name)
        && !["deep: ", "inner: "].contains { messages.contains($0) }
    }
    let wrong = Self.names.first { text.contains($0) && !whole.contains($0) }
    return lost.map { "lost \($0)" } ?? wrong.map { "wrong \($0)" }
  }

  func prefixProblem() -> String? {
    let text = Self.steady(made).joined(separator: "\n")
    return Self.steady(expected).joined(separator: "\n").hasPrefix(text) ? nil : "differs"
  }

  /// Each group is a part of an expected one; what is missing is explained.
  func groupProblem() -> String? {
    let expectedGroups = Self.groups(expected)
    let madeGroups = Self.groups(made)
    for group in madeGroups where !expectedGroups.contains(where: group.isSubset) {
      return "wrong group \(group)"
    }
    if isEarly { return nil }
    for group in expectedGroups {
      let found = madeGroups.first { $0.isSubset(of: group) } ?? []
      let lost = group.subtracting(found).filter { !isExplained($0) }
      if lost.count > (found.isEmpty ? 1 : 0) { return "lost \(lost)" }
    }
    return nil
  }

  static func groups(_ bytes: [UInt8]) -> [Set<String>] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .split(separator: "").map { lines in
        Set(lines.filter { !$0.hasPrefix("#") }.map(String.init))
      }
  }

  /// No command is there twice, and each is an expected one.
  func logProblem() -> String? {
    let known = Set(Self.commands(expected).compactMap { $0.split(separator: " ").last })
    var last: [Substring: Int] = [:]
    for line in Self.commands(made) {
      guard let name = line.split(separator: " ").last else { return "an empty line" }
      if !known.contains(name) { return "wrong line '\(line)'" }
      last[name, default: 0] += 1
    }
    guard let twice = last.first(where: { $0.value > 1 }) else { return nil }
    return "\(twice.key) is there twice"
  }
}
