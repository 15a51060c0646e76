// The result of a run beside the prediction, for every view.

/// The result of a run: the findings, compared with a prediction.
public struct DemoResult: Sendable {
  package let demo: Demo
  package let values: KnobValues
  package let run: DemoRun
  package let findings: Findings
  /// The predicted answers, one for each question; `nil` if there was no prediction.
  let prediction: [Double?]?

  /// Compares a run with a prediction.
  ///
  /// - Parameter prediction: The predicted answers in the order of the questions, with `nil` for a
  ///   question that was skipped; `nil` if there was no prediction. A missing answer, and one that
  ///   ``Question/takes(_:)`` does not accept, count as skipped.
  public init(demo: Demo, values: KnobValues, run: DemoRun, prediction: [Double?]? = nil) {
    (self.demo, self.values, self.run) = (demo, values, run)
    findings = demo.findings(values, run)
    self.prediction = prediction.map { answers in
      demo.questions.indices.map { index in
        let answer = index < answers.count ? answers[index] : nil
        return answer.flatMap { demo.questions[index].takes($0) ? $0 : nil }
      }
    }
  }

  /// A question with both answers.
  struct Comparison: Sendable {
    let question: Question
    /// The predicted answer; `nil` for none.
    let predicted: Double?
    /// The answer of the log; `nil` if it never happened.
    let actual: Double?
    /// True if the prediction was right; `nil` without one.
    var isRight: Bool? {
      predicted.map { predicted in
        actual.map { question.isRight(predicted, actual: $0) } ?? false
      }
    }

    /// Returns an answer to the question as text, such as `5`, `1.90 s`, `612 µs` or `never`.
    func text(_ answer: Double?) -> String {
      guard let answer else { return "never" }
      return question.unit == .seconds ? Demos.text(brief: answer) : "\(Int(answer))"
    }
  }

  /// The questions with both answers, in their order.
  var comparisons: [Comparison] {
    zip(demo.questions, findings.answers).enumerated().map { index, pair in
      Comparison(question: pair.0, predicted: prediction?[index], actual: pair.1)
    }
  }

  // MARK: - Text

  /// The remarks on how the run was made and how it ended, as sentences.
  var remarks: [String] {
    var lines: [String] = []
    if demo.usesPool(values) && !run.isSimulated && run.speed != 1 {
      lines.append(
        "The pool adds a thread a second of the clock, and not of the demo: compare with --speed 1 "
          + "or --virtual.")
    }
    if run.isStuck { lines.append("The run did not end by itself.") }
    if run.isSimulated { lines.append("A simulated schedule, with two cores.") }
    return lines + findings.remarks
  }

  /// The lines after the run: the comparisons, broken promises, remarks, the verdict, and the next
  /// thing to try.
  package var conclusion: [String] {
    let answers = prediction == nil ? [] : comparisons.map(sentence)
    let broken = findings.checks.filter { !$0.holds }
    return answers + broken.map { "does not hold: \($0.text)" } + remarks
      + ["\(demo.name): \(findings.verdict)", "Next: \(next)"]
  }

  private func sentence(_ comparison: Comparison) -> String {
    let actual = "\(comparison.question.text) \(comparison.text(comparison.actual))"
    guard let predicted = comparison.predicted, let isRight = comparison.isRight else {
      return actual
    }
    return "\(actual): \(isRight ? "right" : "you predicted \(comparison.text(predicted))")"
  }

  /// The line of `weir-demo --score`: JSON, with a mark for the prediction.
  package var score: String {
    func rounded(_ number: Double) -> Double { (number * 1e6).rounded() / 1e6 }
    var members = [
      "\"type\":\"score\"", "\"demo\":\"\(demo.name)\"",
      "\"right\":\(comparisons.count { $0.isRight == true })", "\"of\":\(comparisons.count)",
      "\"complete\":\(!run.isStuck)",
      "\"seconds\":\(rounded(Double(run.log.events.last?.time ?? 0) / 1e9))",
    ]
    for comparison in comparisons {
      let name = comparison.question.name
      if let actual = comparison.actual { members.append("\"actual_\(name)\":\(rounded(actual))") }
      guard let predicted = comparison.predicted, let isRight = comparison.isRight else { continue }
      members += ["\"predicted_\(name)\":\(predicted)", "\"right_\(name)\":\(isRight)"]
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// The next thing to try, unless this run has the same values.
  var next: String {
    let words = findings.next.split { " .,:?".contains($0) }.map(String.init)
    var options: [(String, String)] = []
    for index in words.indices where words[index].hasPrefix("--") {
      options.append(
        (String(words[index].dropFirst(2)), index + 1 < words.count ? words[index + 1] : ""))
    }
    let isThisRun =
      !options.isEmpty && options.allSatisfy { name, value in values[name] == value }
    return isThisRun ? "Write the page with --html page.html, and step through it." : findings.next
  }
}
