// The prediction of a run, before it.

import Demos

struct Prediction {
  let answers: [Double?]

  /// Parses the argument of `--predict`: `5,15s,-`.
  init(_ list: String, for demo: Demo) throws(UsageError) {
    let parts = list.split(separator: ",", omittingEmptySubsequences: false)
    let names = demo.questions.map { $0.name.uppercased() }.joined(separator: ",")
    guard parts.count == demo.questions.count else {
      throw UsageError("--predict of \(demo.name) takes \(names), not \(list)")
    }
    var answers: [Double?] = []
    for (part, question) in zip(parts, demo.questions) {
      if part == "-" || part.isEmpty {
        answers.append(nil)
      } else if let number = Self.number(part), question.takes(number) {
        answers.append(number)
      } else {
        throw UsageError("--predict of \(demo.name) takes \(names), not \(list)")
      }
    }
    self.answers = answers
  }

  private init(answers: [Double?]) { self.answers = answers }

  /// Parses `5`, `1.5s`, `200ms` or `600us`; a time becomes seconds.
  private static func number(_ text: some StringProtocol) -> Double? {
    let trimmed = String(text).trimmed
    for unit in ["us", "µs"] where trimmed.hasSuffix(unit) {
      return Double(trimmed.dropLast(2)).map { $0 / 1e6 }
    }
    if trimmed.hasSuffix("ms") { return Double(trimmed.dropLast(2)).map { $0 / 1000 } }
    if trimmed.hasSuffix("s") { return Double(trimmed.dropLast(1)) }
    return Double(trimmed)
  }

  /// Asks the questions on the terminal. An empty line skips one, an invalid answer repeats it.
  static func ask(_ demo: Demo) throws -> Prediction? {
    try Output.write(["Before it runs (Enter skips):"])
    let advice = ["  Type a number, such as 3, 1.9 or 400ms; Enter skips."]
    let answers = try demo.questions.map { question in
      try Terminal.ask("  \(question.text) ", advice: advice) { answer in
        // A comma as the decimal point, as much of Europe writes it.
        number(String(answer.map { $0 == "," ? "." : $0 })).flatMap {
          question.takes($0) ? $0 : nil
        }
      }
    }
    return answers.allSatisfy { $0 == nil } ? nil : Prediction(answers: answers)
  }

}
