// The command `pitfalls`: mistakes that run for real, and the same code fixed.

import Demos

struct PitfallsCommand {
  /// The word after a version that makes the output of the process events for its parent.
  static let watchedWord = "watched"

  private static let symptoms = PitfallSymptom.allCases.map(\.rawValue)

  static let options: [CommandOption] = [
    .choice(
      "predict", "WORD",
      "Compare this prediction of the broken version with the run, and ask no questions: "
        + symptoms.alternatives, symptoms),
    .number("watchdog", "S", "End each run after this time [default: 5]", 0.01...3600),
    .choice(
      "format", "FORMAT", "Write text, or json: an object per line [default: text]",
      ["text", "json"]),
  ]

  private let prediction: PitfallSymptom?
  private let seconds: Double
  private let isJSON: Bool
  private let text = PitfallsText(width: max(40, Terminal.textColumns))

  /// Runs the command by the words after its name.
  static func run(_ words: [String]) throws {
    let arguments = try Arguments(words, options: options, of: "pitfalls")
    if arguments.requestsHelp { return try Output.write(Help.pitfalls) }
    try PitfallsCommand(arguments).run(try arguments.operands(atMost: 3))
  }

  private init(_ arguments: Arguments) throws(UsageError) {
    prediction = arguments["predict"].flatMap { PitfallSymptom(rawValue: $0) }
    seconds = arguments["watchdog"].flatMap(Double.init) ?? 5
    isJSON = arguments["format"] == "json"
  }

  private func run(_ operands: [String]) throws {
    if prediction != nil && (operands.isEmpty || operands[0] == "all") {
      throw UsageError("--predict takes the name of one pitfall")
    }
    guard let name = operands.first else {
      if isJSON { throw UsageError("--format json takes the name of a pitfall, or all") }
      return try Output.write(text.list)
    }
    let pitfalls = name == "all" ? Pitfall.all : Pitfall.named(name).map { [$0] } ?? []
    guard let first = pitfalls.first else {
      throw UsageError("no pitfall is called \(name); weir-demo pitfalls lists them")
    }
    guard operands.count > 1 else { return try run(pitfalls) }
    guard pitfalls.count == 1, let version = PitfallVersion(rawValue: operands[1]) else {
      throw UsageError("unexpected operand \(operands[1])")
    }
    if operands.count == 2 { PitfallRun.run(first, version) }
    guard operands[2] == PitfallsCommand.watchedWord else {
      throw UsageError("unexpected operand \(operands[2])")
    }
    PitfallRun.runWatched(first, version)
  }

  // MARK: - Watched runs

  private func run(_ pitfalls: [Pitfall]) throws {
    var counts: [PitfallVerdict.Result: Int] = [:]
    for (index, pitfall) in pitfalls.enumerated() {
      if index > 0 && !isJSON { try Output.write(["", ""]) }
      counts[try run(pitfall, asks: pitfalls.count == 1), default: 0] += 1
    }
    let (shown, hidden) = (counts[.shown] ?? 0, counts[.hidden] ?? 0)
    let unexpected = counts[.unexpected] ?? 0
    if isJSON {
      try Output.write(
        bytes: PitfallsJSON.summary(shown: shown, hidden: hidden, unexpected: unexpected))
    } else if pitfalls.count > 1 {
      try Output.write(text.summary(shown: shown, hidden: hidden, unexpected: unexpected))
    }
    if unexpected > 0 { throw BrokenPromise() }
  }

  /// Runs both versions of a pitfall, and shows them.
  private func run(_ pitfall: Pitfall, asks: Bool) throws -> PitfallVerdict.Result {
    if !isJSON { try Output.write(text.beginning(pitfall)) }
    let prediction = try prediction ?? (!isJSON && asks ? ask() : nil)
    let broken = try PitfallsRun(pitfall, .broken, seconds: seconds)
    if !isJSON { try Output.write(text.middle(pitfall, broken)) }
    let fixed = try PitfallsRun(pitfall, .fixed, seconds: seconds)
    let verdict = PitfallVerdict(pitfall, broken: broken.outcome, fixed: fixed.outcome)
    if isJSON {
      try Output.write(
        bytes: PitfallsJSON.object(pitfall, broken: broken, fixed: fixed, verdict, prediction))
    } else {
      try Output.write(text.end(pitfall, fixed, verdict, prediction))
    }
    return verdict.result
  }

  /// Asks for a prediction on a terminal. An empty line skips the question; an invalid answer
  /// repeats it.
  private func ask() throws -> PitfallSymptom? {
    guard Terminal.isInput && Terminal.isOutput else { return nil }
    while true {
      let words = PitfallsCommand.symptoms.alternatives
      try Output.write(bytes: Array("What will happen: \(words) (Enter skips)? ".utf8))
      guard let line = readLine() else {
        try Output.write([""])
        return nil
      }
      let word = line.lowercased().filter { $0 != " " && $0 != "\r" }
      if word.isEmpty { return nil }
      let matches = PitfallSymptom.allCases.filter { $0.rawValue.hasPrefix(word) }
      if matches.count == 1 { return matches[0] }
    }
  }
}
