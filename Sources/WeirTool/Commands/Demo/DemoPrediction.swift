// The prediction of a run, before it.

internal import Demos
internal import WeirLibC

/// The predicted answers to the questions of a demo, in their order.
struct DemoPrediction {
  let answers: [Double?]

  /// Parses the argument of `--predict`: `5,15s,-`.
  init(_ argument: RawArgument, for demo: Demo) throws(UsageError) {
    let parts = argument.text.split(separator: ",", omittingEmptySubsequences: false)
    let names = demo.questions.map { $0.name.uppercased() }.joined(separator: ",")
    guard parts.count == demo.questions.count else {
      throw UsageError("--predict of \(demo.name) takes \(names), not ", argument)
    }
    var answers: [Double?] = []
    for part in parts {
      if part == "-" || part.isEmpty {
        answers.append(nil)
      } else if let number = Self.number(part) {
        answers.append(number)
      } else {
        throw UsageError("--predict of \(demo.name) takes \(names), not ", argument)
      }
    }
    self.answers = answers
  }

  private init(answers: [Double?]) { self.answers = answers }

  /// Parses `5`, `1.5s` or `200ms`; a time becomes seconds.
  private static func number(_ text: some StringProtocol) -> Double? {
    let trimmed = String(text).filter { $0 != " " }
    if trimmed.hasSuffix("ms") { return Double(trimmed.dropLast(2)).map { $0 / 1000 } }
    if trimmed.hasSuffix("s") { return Double(trimmed.dropLast(1)) }
    return Double(trimmed)
  }

  /// Asks the questions on the terminal. An empty line skips one, an invalid answer repeats it.
  static func ask(_ demo: Demo, _ console: Console) throws -> DemoPrediction? {
    try console.write(Array("Before it runs (Enter skips):\n".utf8))
    var answers: [Double?] = []
    for question in demo.questions {
      answers.append(try ask(question, console))
    }
    return answers.allSatisfy { $0 == nil } ? nil : DemoPrediction(answers: answers)
  }

  private static func ask(_ question: Question, _ console: Console) throws -> Double? {
    while true {
      try console.write(Array("  \(question.text) ".utf8))
      guard let line = readLine() else {
        try console.write(Array("\n".utf8))
        return nil
      }
      let text = line.filter { $0 != "\r" && $0 != " " }
      if text.isEmpty { return nil }
      if let number = number(text), number >= 0 { return number }
    }
  }
}
