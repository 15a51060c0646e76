// The result of a run beside the prediction, for every view.

internal import Demos

struct DemoResult {
  let demo: Demo
  let values: KnobValues
  let run: DemoRun
  let findings: Findings
  let prediction: DemoPrediction?

  /// A question with both answers.
  struct Comparison {
    let question: Question
    let predicted: Double?
    /// `nil` if it never happened.
    let actual: Double?
    /// `nil` without a prediction.
    var isRight: Bool? {
      predicted.map { predicted in
        actual.map { question.isRight(predicted, actual: $0) } ?? false
      }
    }

    func text(_ value: Double?) -> String {
      guard let value else { return "never" }
      return question.unit == .seconds ? Quantities.fixed(value, digits: 2) + " s" : "\(Int(value))"
    }
  }

  var comparisons: [Comparison] {
    zip(demo.questions, findings.answers).enumerated().map { index, pair in
      Comparison(
        question: pair.0, predicted: prediction?.answers[index], actual: pair.1)
    }
  }

  // MARK: - Text

  /// True if every promise held, as far as the log can tell.
  var isSound: Bool { run.lostEvents > 0 || findings.isSound }

  /// The lines after the run.
  var conclusion: [String] {
    var lines: [String] = []
    if prediction != nil {
      lines += comparisons.map { comparison in
        let actual = "\(comparison.question.text) \(comparison.text(comparison.actual))"
        guard let predicted = comparison.predicted, let isRight = comparison.isRight else {
          return actual
        }
        return "\(actual): \(isRight ? "right" : "you predicted \(comparison.text(predicted))")"
      }
    }
    if run.lostEvents > 0 {
      lines.append("\(run.lostEvents) events of the log were lost: the result is incomplete.")
    } else {
      lines += findings.checks.filter { !$0.holds }.map { "does not hold: \($0.text)" }
    }
    if demo.usesPool(values) && !run.isSimulated && run.speed != 1 {
      lines.append(
        "The pool adds a thread a second of the clock, and not of the demo: compare with --speed 1 "
          + "or --virtual.")
    }
    if run.isStuck { lines.append("The run did not end by itself.") }
    if run.isSimulated { lines.append("A simulated schedule, with two cores.") }
    return lines + ["\(demo.name): \(findings.verdict)", "Next: \(next)"]
  }

  /// The next thing to try, unless this run has the same values.
  private var next: String {
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

  // MARK: - JSON

  /// The line of `--score`.
  var score: [UInt8] {
    JSONText.object("score") { json in
      json.append("demo", demo.name)
      json.append("right", comparisons.count { $0.isRight == true })
      json.append("of", comparisons.count)
      appendAnswers(to: &json)
    }
  }

  private func appendAnswers(to json: inout JSONText) {
    for comparison in comparisons {
      let name = comparison.question.name
      if let actual = comparison.actual { json.append("actual_\(name)", seconds: actual) }
      if let predicted = comparison.predicted {
        json.append("predicted_\(name)", seconds: predicted)
        json.append("right_\(name)", comparison.isRight ?? false)
      }
    }
  }

  /// The objects of `--format json`: the demo, its events, and a summary.
  var json: [UInt8] {
    var lines = JSONText.object("demo") { json in
      json.append("demo", demo.name)
      json.append("simulated", run.isSimulated)
      json.append("cores", run.cores)
      for knob in demo.knobs where !values[knob.name].isEmpty {
        json.append("knob_\(knob.name)", values[knob.name])
      }
    }
    for event in run.log.events { lines += object(event) }
    return lines
      + JSONText.object("summary") { json in
        json.append("complete", !run.isStuck)
        appendAnswers(to: &json)
        json.append("sound", isSound)
        json.append("verdict", findings.verdict)
      }
  }

  private func object(_ event: TraceLog.Event) -> [UInt8] {
    JSONText.object("event") { json in
      json.append("t", event.time)
      json.append("ev", event.kind.rawValue)
      json.append("thr", event.thread)
      json.append("q", event.label)
      if let task = event.task { json.append("task", task) }
      json.append("v", event.value)
      if let woken = event.woken { json.append("woken", woken) }
      if let queued = event.queued { json.append("queued", queued) }
      if let running = event.running { json.append("running", running) }
      if let free = event.free { json.append("free", free) }
      if let waiting = event.waiting { json.append("waiting", waiting) }
    }
  }
}
