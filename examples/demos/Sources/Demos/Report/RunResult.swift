// The result of a run, in words.

/// The result of a run: for the board's message, and for the page of a run.
public struct RunResult: Encodable, Sendable {
  struct Answer: Encodable {
    let name: String
    @Nullable var actual: Double?
    @Nullable var predicted: Double?
    @Nullable var right: Bool?
  }

  var answers: [Answer] = []
  var checks: [Findings.Check] = []
  var verdict = ""
  var next = ""
  var deadlocked = false
  var remarks: [String] = []

  init() {}

  /// Describes the result of a demo.
  ///
  /// - Parameter isStopped: True if the run was stopped, so its promises prove nothing.
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

/// A value that is `null` in JSON if there is none; without this it is left out.
@propertyWrapper
public struct Nullable<Value: Encodable & Sendable>: Encodable, Sendable {
  /// The value.
  public var wrappedValue: Value?

  /// Wraps a value.
  public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  /// Encodes the value, or `null`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}
