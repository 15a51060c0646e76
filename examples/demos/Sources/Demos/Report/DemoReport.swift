// The words of a report: everything on its page but the log.

/// The words of a report on one run. All texts are plain, and may hold any characters.
public struct DemoReport: Encodable, Sendable {
  /// The title, such as "Downloads: a group and a semaphore".
  let title: String
  /// The command line that made the run.
  let command: String
  var questions: [Question] = []
  /// The run. Its demo has the screen of the page.
  var run = RunDescription()
  var result = RunResult()

  /// Creates a report with a title, a command line and a result.
  public init(title: String, command: String, verdict: String = "") {
    (self.title, self.command, result.verdict) = (title, command, verdict)
  }
}

extension DemoResult {
  /// The words of the page of the run, for ``HTMLReport``.
  public var report: DemoReport {
    let knobs = demo.knobs.filter { values.isGiven($0.name) }
      .map { " --\($0.name)" + ($0.isFlag ? "" : " \(values[$0.name])") }
    var report = DemoReport(
      title: demo.abstract,
      command: "weir-demo \(demo.name)" + knobs.joined() + (run.isSimulated ? " --virtual" : ""))
    report.questions = demo.questions
    report.run = RunDescription(demo, values, isSimulated: run.isSimulated, cores: run.cores)
    report.result = RunResult(self, isStopped: false)
    report.result.next = next
    return report
  }
}
