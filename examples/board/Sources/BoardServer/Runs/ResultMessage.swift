// The result of a run, as a message: numbers for a demo, symptoms for a pitfall.

import Demos
import Foundation

/// The result of a run.
struct ResultMessage<Value: Encodable & Sendable>: Encodable {
  struct Answer: Encodable {
    let name: String
    @Nullable var actual: Value?
    @Nullable var predicted: Value?
    @Nullable var right: Bool?
  }

  struct Check: Encodable {
    let text: String
    let holds: Bool
  }

  let answers: [Answer]
  let checks: [Check]
  let verdict: String
  let next: String
  let deadlocked: Bool
  let lost: Int
  let remarks: [String]
}

extension ResultMessage<Double> {
  /// - Parameter isStopped: True if the run was stopped, so its promises prove nothing.
  init(_ result: DemoResult, isStopped: Bool) {
    let (run, findings) = (result.run, result.findings)
    answers = result.comparisons.map {
      Answer(
        name: $0.question.name, actual: $0.actual, predicted: $0.predicted, right: $0.isRight)
    }
    checks = isStopped ? [] : findings.checks.map { Check(text: $0.text, holds: $0.holds) }
    let isUnfinished = isStopped && !run.isDeadlocked
    let seconds = Double(run.log.events.last?.time ?? 0) / 1e9
    verdict =
      isUnfinished
      ? "Stopped after \(String(format: "%.2f", seconds)) s: the run proves nothing yet."
      : findings.verdict
    next = isUnfinished ? "" : findings.next
    (deadlocked, lost) = (run.isDeadlocked, run.lostEvents)
    remarks =
      isStopped ? ["The run was stopped: this is what had happened by then."] : result.remarks
  }
}

extension ResultMessage<String> {
  init(_ pitfall: Pitfall, _ verdict: PitfallVerdict, _ predicted: PitfallSymptom?) {
    answers = [
      Answer(
        name: "symptom",
        actual: verdict.result == .hidden ? nil : verdict.broken.symptom?.rawValue,
        predicted: predicted?.rawValue, right: predicted.flatMap { verdict.agrees(with: $0) })
    ]
    checks = [
      Check(text: "the versions behave as described", holds: verdict.result != .unexpected)
    ]
    self.verdict = verdict.sentence(predicted: predicted)
    (next, deadlocked, lost) = ("", false, 0)
    remarks = [pitfall.explanation, pitfall.remedy]
  }
}
