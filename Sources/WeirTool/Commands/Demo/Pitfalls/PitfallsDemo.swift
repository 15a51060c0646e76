// The verb `demo pitfalls`: mistakes that run for real, and the same code fixed.

internal import Demos
internal import WeirLibC

struct PitfallsDemo {
  private let options: PitfallsOptions
  private let words: [RawArgument]
  private let console = Console()

  /// The word after a version that makes the output of the process events for its parent.
  static let watchedWord = "watched"
  private static let allWord = "all"

  /// - Parameter words: The operands after `pitfalls`.
  init(_ options: PitfallsOptions, _ words: [RawArgument]) {
    self.options = options
    self.words = words
  }

  func run() throws {
    guard let name = words.first else {
      try options.check(pitfalls: 0)
      if options.format == .json {
        throw UsageError("--format json takes the name of a pitfall, or all")
      }
      try write(text.list)
      return try console.closeOutput()
    }
    let isAll = name.text == PitfallsDemo.allWord
    guard let pitfall = isAll ? Pitfall.all.first : Pitfall.named(name.text) else {
      let names = Pitfall.all.map(\.name) + [PitfallsDemo.allWord]
      throw UsageError(
        "no pitfall is called ", name, UsageError.suggestion(for: name.text, among: names))
    }
    if words.count > 1 { try runHere(pitfall, isAll: isAll) }
    let pitfalls = isAll ? Pitfall.all : [pitfall]
    try options.check(pitfalls: pitfalls.count)
    try run(pitfalls)
  }

  private var text: PitfallsText {
    var text = PitfallsText(isPlain: options.plain)
    if TerminalStream.output.isTerminal {
      text.width = max(40, min(80, TerminalStream.output.columns))
    }
    return text
  }

  /// Runs one version in this process.
  private func runHere(_ pitfall: Pitfall, isAll: Bool) throws -> Never {
    guard !isAll, let version = PitfallVersion(rawValue: words[1].text) else {
      throw UsageError("unexpected operand ", words[1])
    }
    if words.count == 2 { PitfallsChild.run(pitfall, version) }
    guard words.count == 3, words[2].text == PitfallsDemo.watchedWord else {
      throw UsageError("unexpected operand ", words[2])
    }
    PitfallsChild.runWatched(pitfall, version)
  }

  // MARK: - Watched runs

  /// Runs one pitfall and asks no question; standard output stays open.
  func show(_ pitfall: Pitfall) throws {
    let runner = PitfallsRunner(seconds: options.seconds, console)
    defer { runner.finish() }
    _ = try run(pitfall, runner, asks: false)
  }

  private func run(_ pitfalls: [Pitfall]) throws {
    let runner = PitfallsRunner(seconds: options.seconds, console)
    defer { runner.finish() }
    var counts: [PitfallVerdict.Result: Int] = [:]
    for (index, pitfall) in pitfalls.enumerated() {
      if index > 0 && options.format == .text { try write(["", ""]) }
      counts[try run(pitfall, runner, asks: pitfalls.count == 1), default: 0] += 1
    }
    let (shown, hidden) = (counts[.shown] ?? 0, counts[.hidden] ?? 0)
    let unexpected = counts[.unexpected] ?? 0
    if options.format == .json {
      try console.write(
        PitfallsJSON.summary(shown: shown, hidden: hidden, unexpected: unexpected))
    } else if pitfalls.count > 1 {
      try write(text.summary(shown: shown, hidden: hidden, unexpected: unexpected))
    }
    try console.closeOutput()
    if unexpected > 0 { throw ExitStatus.difference }
  }

  /// Runs both versions of a pitfall, and shows them.
  private func run(
    _ pitfall: Pitfall, _ runner: PitfallsRunner, asks: Bool
  ) throws -> PitfallVerdict.Result {
    let isText = options.format == .text
    if isText { try write(text.beginning(pitfall)) }
    let prediction = try options.prediction ?? (isText && asks ? ask() : nil)
    let broken = try runner.run(pitfall, .broken)
    if isText { try write(text.middle(pitfall, broken)) }
    let fixed = try runner.run(pitfall, .fixed)
    let verdict = PitfallVerdict(pitfall, broken: broken.outcome, fixed: fixed.outcome)
    if isText {
      try write(text.end(pitfall, fixed, verdict, prediction))
    } else {
      try console.write(
        PitfallsJSON.object(pitfall, broken: broken, fixed: fixed, verdict, prediction))
    }
    return verdict.result
  }

  /// Asks for a prediction on a terminal. An empty line skips the question; an invalid answer
  /// repeats it.
  private func ask() throws -> PitfallSymptom? {
    guard TerminalStream.input.isTerminal && TerminalStream.output.isTerminal else { return nil }
    let words = OptionValue.alternatives(PitfallsOptions.predictions)
    while true {
      try console.write(Array("What will happen: \(words) (Enter skips)? ".utf8))
      guard let line = readLine() else {
        try write([""])
        return nil
      }
      let word = line.lowercased().filter { $0 != " " && $0 != "\r" }
      if word.isEmpty { return nil }
      let matches = PitfallSymptom.allCases.filter { $0.rawValue.hasPrefix(word) }
      if matches.count == 1 { return matches[0] }
    }
  }

  private func write(_ lines: [String]) throws {
    try console.write(Array(lines.map { "\($0)\n" }.joined().utf8))
  }
}
