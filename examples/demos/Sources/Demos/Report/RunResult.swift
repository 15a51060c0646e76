// The result of a run, in words.

/// The result of a run: for the board's message, and for the page of a run.
public struct RunResult: Encodable, Sendable {
  struct Answer: Encodable {
    let name: String
    let actual: Double?
    let predicted: Double?
    let right: Bool?
  }

  let answers: [Answer]
  let checks: [Findings.Check]
  let verdict: String
  var next: String
  let deadlocked: Bool
  let remarks: [String]

  /// Describes the result of a demo. The promises of a run that was stopped prove nothing.
  public init(_ result: DemoResult, isStopped: Bool) {
    let (run, findings) = (result.run, result.findings)
    answers = result.comparisons.map {
      Answer(
        name: $0.question.name, actual: $0.actual, predicted: $0.predicted, right: $0.isRight)
    }
    checks = isStopped ? [] : findings.checks
    let isUnfinished = isStopped && !run.isDeadlocked
    let seconds = Double(run.log.events.last?.time ?? 0) / 1e9
    verdict =
      isUnfinished
      ? "Stopped after \(text(seconds: seconds)): the run proves nothing yet." : findings.verdict
    next = isUnfinished ? "" : findings.next
    deadlocked = run.isDeadlocked
    remarks =
      isStopped ? ["The run was stopped: this is what had happened by then."] : result.remarks
  }
}
