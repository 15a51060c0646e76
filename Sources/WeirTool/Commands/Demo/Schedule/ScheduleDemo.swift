// The verb `demo schedule`: the learner is the scheduler of a simulated machine.

internal import Demos
internal import FileJobs
internal import SystemPackage
internal import WeirLibC

struct ScheduleDemo {
  private let options: ScheduleOptions
  private let words: [RawArgument]
  private let console = Console()

  /// - Parameter words: The operands after `schedule`.
  init(_ options: ScheduleOptions, _ words: [RawArgument]) {
    self.options = options
    self.words = words
  }

  func run() throws {
    if words.count > 1 { throw UsageError("unexpected operand ", words[1]) }
    try options.check(hasLevel: !words.isEmpty)
    if let name = options.html { return try writePage(name) }
    let canPlay = TerminalStream.input.isTerminal && TerminalStream.output.isTerminal
    if let level = try level() {
      if let steps = try steps(level) {
        try play(level, steps)
      } else if canPlay {
        try play(from: level)
      } else {
        let text = text(level)
        try write(text.beginning + text.board(ScheduleGame(level)))
        try console.closeOutput()
      }
    } else if canPlay {
      try play(from: ScheduleLevel.all[0])
    } else {
      try write(ScheduleText.list(isPlain: options.plain))
      try console.closeOutput()
    }
  }

  private func level() throws(UsageError) -> ScheduleLevel? {
    guard let word = words.first else { return nil }
    guard let level = ScheduleLevel.all.first(where: { String($0.number) == word.text }) else {
      throw UsageError("a level is a number from 1 to \(ScheduleLevel.all.count), not ", word)
    }
    return level
  }

  private func text(_ level: ScheduleLevel) -> ScheduleText {
    var text = ScheduleText(level: level, isPlain: options.plain)
    if TerminalStream.output.isTerminal {
      text.width = max(40, min(80, TerminalStream.output.columns))
    }
    return text
  }

  // MARK: - Given steps

  /// A step of the command line.
  private enum Step {
    case thread(Int)
    case undo
  }

  /// Returns the steps of the command line; `nil` without an option that has steps.
  private func steps(_ level: ScheduleLevel) throws(UsageError) -> [Step]? {
    if options.solution { return (ScheduleGraph(level).solution ?? []).map { .thread($0) } }
    guard let argument = options.steps else { return nil }
    var steps: [Step] = []
    for word in argument.text.split(separator: ",", omittingEmptySubsequences: false) {
      if word == "u" {
        steps.append(.undo)
      } else if let number = Int(word), level.threads.indices.contains(number - 1) {
        steps.append(.thread(number - 1))
      } else {
        throw UsageError(
          "--steps takes numbers of threads from 1 to \(level.threads.count), such as 1,2,2, not ",
          argument)
      }
    }
    return steps
  }

  /// Takes the given steps, and ends with status 1 if they do not reach the goal.
  private func play(_ level: ScheduleLevel, _ steps: [Step]) throws {
    var game = ScheduleGame(level)
    let text = text(level)
    let isJSON = options.format == .json
    if isJSON {
      try console.write(ScheduleJSON.state(game))
    } else {
      try write(text.beginning)
    }
    for (index, step) in steps.enumerated() {
      var isBack = false
      switch step {
      case .undo:
        game.undo()
        isBack = true
      case .thread(let thread):
        guard game.step(thread) else { throw refusal(thread, index, game) }
      }
      if isJSON {
        try console.write(ScheduleJSON.state(game))
      } else {
        let lines = isBack ? text.undone(game) : text.step(game)
        try write(lines + text.board(game) + (options.plain ? [] : [""]))
      }
    }
    if isJSON {
      try console.write(ScheduleJSON.summary(game))
    } else {
      if steps.isEmpty { try write(text.board(game)) }
      try write(text.end(game))
    }
    if options.real && game.isReached { try runPitfall(level) }
    try console.closeOutput()
    if !game.isReached { throw ExitStatus.difference }
  }

  private func refusal(_ thread: Int, _ index: Int, _ game: ScheduleGame) -> FileError {
    let reason =
      game.isReached
      ? "the goal is already reached"
      : ScheduleText.words(for: game.level.condition(of: thread, in: game.state))
    return FileError(
      message: Array("step \(index + 1): thread \(thread + 1) cannot step: \(reason)".utf8))
  }

  // MARK: - On a terminal

  /// Plays a level and those after it.
  private func play(from first: ScheduleLevel) throws {
    for level in ScheduleLevel.all where level.number >= first.number {
      guard try play(level) else { break }
      if level.number == ScheduleLevel.all.count {
        try write(["That was the last level. The real runs: weir demo pitfalls"])
      }
    }
    try console.closeOutput()
  }

  /// Plays a level. Returns false if the player quits.
  private func play(_ level: ScheduleLevel) throws -> Bool {
    let text = text(level)
    var game = ScheduleGame(level)
    try write(text.beginning + text.board(game))
    while !game.isReached {
      let choices = game.choices.map { "\($0 + 1)" }
      let step = choices.isEmpty ? "" : "\(choices.joined(separator: ", ")) step, "
      guard let word = try answer("\(step)u undo, r restart, h hint, q quit: ") else {
        return false
      }
      switch word {
      case "q": return false
      case "u":
        game.undo()
        try write(text.undone(game) + text.board(game))
      case "r":
        game.restart()
        try write(text.undone(game) + text.board(game))
      case "h", "?": try write(text.hint)
      case "": break
      default:
        guard let number = Int(word), level.threads.indices.contains(number - 1) else {
          try write(["There is no \(word) here."])
          continue
        }
        guard game.step(number - 1) else {
          let condition = level.condition(of: number - 1, in: game.state)
          try write(["\(number) cannot step: \(ScheduleText.words(for: condition))."])
          continue
        }
        try write(text.step(game) + text.board(game))
        if game.isMissed { try write(text.end(game)) }
      }
    }
    try write(text.end(game))
    return try offerRealRun(level)
  }

  /// Runs the pitfall of a level if the player wants to see it. Returns false if the player
  /// quits.
  private func offerRealRun(_ level: ScheduleLevel) throws -> Bool {
    if !options.real {
      guard let word = try answer("Run it for real (y), the next level (Enter), or quit (q)? ")
      else { return false }
      if word == "q" { return false }
      if !word.hasPrefix("y") { return true }
    }
    try runPitfall(level)
    return true
  }

  /// Returns the answer to a question in lower case; `nil` at the end of the input.
  private func answer(_ question: String) throws -> String? {
    try console.write(Array(question.utf8))
    guard let line = readLine() else {
      try write([""])
      return nil
    }
    return line.lowercased().filter { $0 != " " && $0 != "\r" }
  }

  // MARK: - The pitfall, and the page

  private func runPitfall(_ level: ScheduleLevel) throws {
    guard let pitfall = Pitfall.named(level.pitfall) else { return }
    var pitfalls = PitfallsOptions.defaults
    pitfalls.plain = options.plain
    if !options.plain { try write([""]) }
    try PitfallsDemo(pitfalls, []).show(pitfall)
    if !options.plain { try write([""]) }
  }

  private func writePage(_ name: RawArgument) throws {
    do {
      let descriptor = try TraceFile.open(name)
      try TraceFile.empty(descriptor)
      try descriptor.writeAll(ScheduleHTML.page().utf8)
      try descriptor.closeWritten()
    } catch {
      throw FileError(name, error)
    }
    try console.closeOutput()
  }

  private func write(_ lines: [String]) throws {
    try console.write(Array(lines.map { "\($0)\n" }.joined().utf8))
  }
}
