// The command `pitfalls`: mistakes that run for real, and the same code fixed.

import Demos
import Foundation
import SystemPackage

struct PitfallsCommand {
  /// The word after a version by which this program runs it for its parent.
  private static let watchedWord = "watched"

  static let options: [CommandOption] = [
    .number("watchdog", "S", "End each run after this time [default: 5]", 0.01...3600),
    CommandOption("json", "", "Write a line of JSON for each, as the course has them"),
  ]

  private let milliseconds: Int
  private let isJSON: Bool
  private let text = PitfallsText(width: max(40, Terminal.textColumns))

  static func run(_ words: [String]) throws {
    let arguments = try Arguments(words, options: options, of: "pitfalls")
    if arguments.requestsHelp { return try Output.write(Help.pitfalls) }
    let command = PitfallsCommand(
      milliseconds: Int((arguments["watchdog"].flatMap(Double.init) ?? 5) * 1000),
      isJSON: arguments.has("json"))
    try command.run(try arguments.operands(atMost: 3))
  }

  private func run(_ operands: [String]) throws {
    guard let name = operands.first else { return try Output.write(text.list) }
    let pitfalls = name == "all" ? Pitfall.all : Pitfall.named(name).map { [$0] } ?? []
    guard let first = pitfalls.first else {
      throw UsageError("no pitfall is called \(name); weir-demo pitfalls lists them")
    }
    guard operands.count > 1 else {
      let results = try pitfalls.map { try run($0, asks: pitfalls.count == 1 && !isJSON) }
      if results.contains(false) { throw BrokenPromise() }
      return
    }
    guard pitfalls.count == 1, let version = PitfallVersion(rawValue: operands[1]),
      operands.count == 2 || operands[2] == Self.watchedWord
    else { throw UsageError("unexpected operand \(operands.last ?? "")") }
    PitfallRun.run(first, version, isWatched: operands.count == 3)
  }

  /// Runs both versions of a pitfall, and shows them. Returns true if they did what is described.
  private func run(_ pitfall: Pitfall, asks: Bool) throws -> Bool {
    if !isJSON { try Output.write(text.beginning(pitfall)) }
    let prediction = try asks ? ask() : nil
    let broken = try watch(pitfall, .broken)
    if !isJSON { try Output.write(text.middle(broken)) }
    let fixed = try watch(pitfall, .fixed)
    let verdict = PitfallVerdict(broken: broken, fixed: fixed)
    let words = "Verdict: \(verdict.sentence(predicted: prediction))"
    try Output.write(
      isJSON
        ? [try json(pitfall, broken, fixed)] : text.happened(fixed) + text.paragraph(words))
    return verdict.isExpected
  }

  private func watch(_ pitfall: Pitfall, _ version: PitfallVersion) throws -> PitfallRun {
    do {
      return try PitfallRun.watch(
        pitfall, version,
        words: ["pitfalls", pitfall.name, version.rawValue, Self.watchedWord], limit: milliseconds)
    } catch {
      throw Failure("the run of a pitfall: \(error)")
    }
  }

  /// The words, the code and the outcomes, which the course records.
  private func json(_ pitfall: Pitfall, _ broken: PitfallRun, _ fixed: PitfallRun) throws -> String
  {
    func code(_ version: PitfallVersion) -> String {
      pitfall.lines(version).map(\.text).joined(separator: "\n")
    }
    let fault = pitfall.lines(.broken).firstIndex(where: \.isFaulty) ?? 0
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let members = [
      "name": pitfall.name, "title": pitfall.title, "described": pitfall.symptom.rawValue,
      "expectation": pitfall.expectation, "explanation": pitfall.explanation,
      "remedy": pitfall.remedy, "brokenCode": code(.broken), "brokenFault": "\(fault + 1)",
      "brokenHappened": broken.sentence, "fixedCode": code(.fixed),
      "fixedHappened": fixed.sentence,
    ]
    return String(decoding: try encoder.encode(members), as: UTF8.self)
  }

  /// Asks for a prediction on a terminal. An empty line skips the question; an invalid answer
  /// repeats it.
  private func ask() throws -> PitfallSymptom? {
    guard Terminal.isInput && Terminal.isOutput else { return nil }
    let words = PitfallSymptom.allCases.map(\.rawValue).alternatives
    return try Terminal.ask("What will happen: \(words) (Enter skips)? ") { answer in
      let matches = PitfallSymptom.allCases.filter { $0.rawValue.hasPrefix(answer.lowercased()) }
      return matches.count == 1 ? matches[0] : nil
    }
  }
}
