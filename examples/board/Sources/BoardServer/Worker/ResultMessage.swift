// The result of a run and its exports, as messages of a worker.

import Demos
import Foundation

/// The result of a run.
struct ResultMessage: Encodable {
  struct Answer: Encodable {
    let name: String
    @Nullable var actual: Double?
    @Nullable var predicted: Double?
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
  let sound: Bool
  let stuck: Bool
  let deadlocked: Bool
  let lost: Int
  let remarks: [String]

  /// - Parameter isStopped: True if the run was stopped, so its promises prove nothing.
  init(_ result: DemoResult, isStopped: Bool) {
    let (run, findings) = (result.run, result.findings)
    answers = result.comparisons.map {
      Answer(
        name: $0.question.name, actual: $0.actual, predicted: $0.predicted, right: $0.isRight)
    }
    checks = isStopped ? [] : findings.checks.map { Check(text: $0.text, holds: $0.holds) }
    let isUnfinished = isStopped && !run.isDeadlocked
    verdict =
      isUnfinished
      ? "Stopped after \(ResultMessage.seconds(run.log)) s: the run proves nothing yet."
      : findings.verdict
    next = isUnfinished ? "" : findings.next
    sound = isStopped || result.isSound
    (stuck, deadlocked, lost) = (run.isStuck, run.isDeadlocked, run.lostEvents)
    remarks =
      isStopped ? ["The run was stopped: this is what had happened by then."] : result.remarks
  }

  /// Returns the time of the last event in seconds, with two decimals.
  private static func seconds(_ log: TraceLog) -> String {
    String(format: "%.2f", Double(log.events.last?.time ?? 0) / 1e9)
  }

  /// Writes the result and the exports of a run.
  static func write(_ result: DemoResult, isStopped: Bool, _ writer: MessageWriter) {
    writer.add("result", ResultMessage(result, isStopped: isStopped))
    if let page = try? HTMLReport.page(result.report, result.run.log, .find()) {
      writer.add(file: "report.html", Array(page.utf8))
    }
    writer.add(file: "trace.json", result.run.traceEvents)
    writer.add(file: "run.json", result.json)
  }
}
