// The programs, run as a reader runs them: what holds in every run, and never
// an order or a number of seconds.

import Foundation
import Demos
import Testing

@Suite(.timeLimit(.minutes(2))) struct ProgramTests {
  @Test(arguments: ImageStep.allCases)
  func images(step: ImageStep) async throws {
    let printed = try await run("images", ["--step", "\(step.rawValue)"])
    #expect(printed.status == 0 && printed.errors.isEmpty)
    #expect(printed.text.contains(step.remark))
    // The table: a blank line before it and behind it.
    let parts = printed.text.components(separatedBy: "\n\n")
    try #require(parts.count > 2)
    let table = parts[1].split(separator: "\n").map(String.init)
    #expect(Self.log(0, of: table) == step.shape)

    let count = step == .deadlock ? 3 : step.images
    let its = Self.log(1, of: table)
    try expectOrder(its, ends: step == .deadlock ? 0 : count)
    #expect(numbers("START", in: its).count == count)
    #expect(printed.text.contains("the watchdog") == (step == .deadlock))
    let weirs = Self.log(2, of: table)
    let refused = weirs.count { $0.hasPrefix("refused") }
    try expectOrder(weirs, ends: step.images - refused)

    let verdicts = printed.text.matches(of: /peak (\d+)(?: of (\d+))?, (\d+) of (\d+) pictures/)
      .map { match in [match.1, match.2 ?? "0", match.3, match.4].map { Int($0) ?? -1 } }
    try #require(verdicts.count == 2)
    #expect(verdicts[0][2] == (step == .deadlock ? 0 : step.images))
    #expect(verdicts[1][2] == step.images - refused)
    for (log, statistics) in zip([its, weirs], verdicts) where step != .noLimit {
      let (peak, limit) = (statistics[0], statistics[1])
      #expect(peak >= 1 && limit == 3)
      // In the tutorial's code who timed out has no permit, and starts all the same.
      let isLost = log.contains { $0.hasPrefix("START") && isTimedOut($0) }
      #expect(peak <= limit || isLost)
    }
    if step == .woken {
      let woken = weirs.count { $0.hasSuffix("THREAD WOKEN true") }
      #expect((1...12).contains(woken) || refused > 0)
    }
  }

  /// A log from the table of `images`.
  private static func log(_ column: Int, of table: [String]) -> [String] {
    table.dropFirst().map { cell(column, of: $0) }.filter { !$0.isEmpty }
  }

  /// Each number has a START, so many have an END, and that later.
  private func expectOrder(_ log: [String], ends: Int) throws {
    let (started, ended) = (numbers("START", in: log), numbers("END", in: log))
    #expect(Set(started).count == started.count && Set(started) == Set(1...started.count))
    #expect(ended.count == ends && Set(ended).count == ends)
    for number in ended {
      let start = log.firstIndex { $0.split(separator: " ").prefix(2) == ["START", "\(number)"] }
      let end = log.firstIndex { $0.split(separator: " ").prefix(2) == ["END", "\(number)"] }
      #expect(try #require(start) < #require(end))
    }
  }

  private func isTimedOut(_ line: String) -> Bool {
    line.hasSuffix("TIMED OUT true") || line.hasSuffix("timedOut")
  }

  @Test(arguments: ["cellular", "wifi"])
  func imagesOnAnotherNetwork(network: String) async throws {
    let printed = try await run("images", ["--network", network, "--speed", "20"])
    #expect(printed.status == 0)
    let (peak, limit) = try #require(printed.numbers(/Weir: +peak (\d+) of (\d+), 15 of 15/))
    #expect(peak <= limit && limit == (network == "wifi" ? 6 : 3))
  }

  @Test func imagesOnLanesTimeOut() async throws {
    let printed = try await run("images", ["--step", "3", "--queue", "lanes"])
    #expect(printed.status == 0)
    #expect(printed.text.contains("15 of 15 pictures"))
    #expect(printed.text.contains("| TIMED OUT true"))
  }

  @Test func gallery() async throws {
    let printed = try await run("gallery", [])
    #expect(printed.status == 0 && printed.errors.isEmpty)
    let verdict = try #require(printed.lines.last)
    #expect(verdict.contains(" 0 requests were left behind"))
    let short = printed.lines.filter { $0.contains("nobody is told") }
    #expect(short.count == 2 && short.allSatisfy { $0.hasPrefix("task group") })
    let weirs = printed.lines.filter { $0.hasPrefix("Weir's map") }
    #expect(weirs.count == 5)
    for (name, text) in [
      ("3 at a time", " [1 2 3 4 5] "), ("#3 is nil", " [1 2 nil 4 5] "),
      ("#3 fails", " throws status(500) "), ("cancelled", " throws CancellationError "),
    ] {
      #expect(weirs.count { $0.hasPrefix("Weir's map, \(name) ") && $0.contains(text) } == 1)
    }
    let limited = printed.lines.filter { $0.contains(" 3 at a time ") }
    #expect(limited.count == 3 && limited.allSatisfy { $0.contains(#/   5         [1-3] /#) })
    let gated = printed.lines.first { $0.contains("a gate of 2") }
    #expect(gated?.contains(#/   5         [12] /#) == true)
  }

  @Test(arguments: [
    ("gallery", ["--speed", "0"], "The speed is above 0 and at most 1000."),
    ("images", ["--queue", "threads"], "The value 'threads' is invalid for '--queue <queue>'"),
    ("images", ["--step", "7"], "There are the steps 1 to 6, and no step 7."),
  ])
  func badOptions(program: String, arguments: [String], sentence: String) async throws {
    let printed = try await run(program, arguments)
    #expect(printed.status == 64)
    #expect(printed.text.isEmpty)
    #expect(printed.errors.contains(sentence), "\(printed.errors)")
  }
}

/// A cell of the table of `images`: columns of 28, with a blank between.
private func cell(_ column: Int, of line: String) -> String {
  String(line.dropFirst(column * 29).prefix(28)).trimmingCharacters(in: .whitespaces)
}

private func numbers(_ word: String, in log: [String]) -> [Int] {
  log.compactMap { line in
    let words = line.split(separator: " ")
    return words.first.map(String.init) == word ? Int(words[1]) : nil
  }
}
