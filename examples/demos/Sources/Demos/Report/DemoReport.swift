// The words of a report: everything on its page but the log.

/// The words of a report on one run.
///
/// All members are plain text and may hold any characters. In `verdict`, `next` and `notes`, text
/// between backticks is set as code.
public struct DemoReport: Sendable {
  /// The title, such as "Downloads: a group and a semaphore".
  public var title: String
  /// The command line that made the run.
  public var command: String
  /// The name of the demo, whose screen the page shows; empty for another program.
  public var demo = ""
  /// The values of the demo's knobs.
  public var knobs: [(name: String, value: String)] = []
  /// The machine's cores; 0 if they are unknown.
  public var cores = 0
  /// True if the run was computed by the simulated machine.
  public var isSimulated = false
  /// The questions, with the predictions and the facts.
  public var questions: [Question] = []
  /// The result in one sentence.
  public var verdict: String
  /// The promises, and if they held.
  public var checks: [Findings.Check] = []
  /// The experiment to try next.
  public var next = ""
  /// The code that ran.
  public var code: [Listing] = []
  /// Remarks, one paragraph each.
  public var notes: [String] = []

  /// Creates a report with a title, a command line and a result.
  public init(title: String, command: String, verdict: String = "") {
    self.title = title
    self.command = command
    self.verdict = verdict
  }

  /// A question, the learner's prediction and the fact.
  public struct Question: Sendable {
    /// The question, such as "How many run at once?".
    public var text: String
    /// The prediction; nil if the learner made none.
    public var predicted: String?
    /// The fact, from the log.
    public var actual: String
    /// True if the prediction was right; nil if there is none.
    public var isRight: Bool?

    /// Creates a question.
    public init(text: String, predicted: String? = nil, actual: String, isRight: Bool? = nil) {
      self.text = text
      self.predicted = predicted
      self.actual = actual
      self.isRight = isRight
    }
  }
}

extension DemoReport {
  /// The members of the page's data that the report gives: the run and the words.
  var json: [(String, JSONValue)] {
    let questions = questions.map { question in
      JSONValue.object([
        ("text", .string(question.text)), ("predicted", .optional(question.predicted)),
        ("actual", .string(question.actual)),
        ("right", question.isRight.map { .bool($0) } ?? .null),
      ])
    }
    let checks = checks.map { check in
      JSONValue.object([("text", .string(check.text)), ("holds", .bool(check.holds))])
    }
    return [
      (
        "run",
        .object([
          ("demo", .string(demo)), ("virtual", .bool(isSimulated)), ("cores", .number(cores)),
          ("speed", .number(1)),
          ("knobs", .object(knobs.map { ($0.name, .string($0.value)) })),
        ])
      ),
      (
        "report",
        .object([
          ("title", .string(title)), ("command", .string(command)),
          ("isSimulated", .bool(isSimulated)), ("questions", .array(questions)),
          ("verdict", .string(verdict)), ("checks", .array(checks)), ("next", .string(next)),
          ("code", .array(code.map(\.json))), ("notes", .array(notes.map { .string($0) })),
        ])
      ),
    ]
  }
}

extension Listing {
  fileprivate var json: JSONValue {
    .object([
      ("language", .string(language)), ("title", .string(title)),
      (
        "lines",
        .array(lines.map { .object([("text", .string($0.text)), ("tag", .optional($0.tag))]) })
      ),
    ])
  }
}
