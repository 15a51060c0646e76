// The words of a report: everything on its page but the log.

/// The words of a report on one run of a demo.
///
/// All members are plain text and may hold any characters. In `verdict`, `next` and `notes`, text
/// between backticks is set as code.
public struct DemoReport: Sendable {
  /// The title, such as "Downloads: a group and a semaphore".
  public var title: String
  /// The command line that made the run.
  public var subtitle: String
  /// True if the run was computed by the simulated machine.
  public var isSimulated: Bool
  /// The questions, with the predictions and the facts.
  public var questions: [Question]
  /// The result in one sentence.
  public var verdict: String
  /// The experiment to try next.
  public var next: String
  /// The code that ran.
  public var code: [Listing]
  /// Remarks, one paragraph each.
  public var notes: [String]
  /// HTML that is inserted as it is, such as a game; nil for none. It must be trusted.
  public var extra: String?

  /// Creates a report.
  public init(
    title: String, subtitle: String, isSimulated: Bool = false, questions: [Question] = [],
    verdict: String = "", next: String = "", code: [Listing] = [], notes: [String] = [],
    extra: String? = nil
  ) {
    self.title = title
    self.subtitle = subtitle
    self.isSimulated = isSimulated
    self.questions = questions
    self.verdict = verdict
    self.next = next
    self.code = code
    self.notes = notes
    self.extra = extra
  }

  /// A question, the learner's prediction and the fact.
  public struct Question: Sendable {
    /// The question, such as "How many run at once?".
    public var text: String
    /// The unit of both values, such as "s"; empty for none.
    public var unit: String
    /// The prediction; nil if the learner made none.
    public var predicted: String?
    /// The fact, from the log.
    public var actual: String
    /// True if the prediction was right; nil if there is none.
    public var isRight: Bool?

    /// Creates a question.
    public init(
      text: String, unit: String = "", predicted: String? = nil, actual: String,
      isRight: Bool? = nil
    ) {
      self.text = text
      self.unit = unit
      self.predicted = predicted
      self.actual = actual
      self.isRight = isRight
    }
  }

  /// A listing of the code that ran.
  public struct Listing: Sendable {
    /// The language: "C" or "Swift".
    public var language: String
    /// The title, such as a file name.
    public var title: String
    /// The lines.
    public var lines: [Line]

    /// Creates a listing.
    public init(language: String, title: String, lines: [Line]) {
      self.language = language
      self.title = title
      self.lines = lines
    }
  }

  /// A line of a listing.
  public struct Line: Sendable {
    /// The text, without a line feed.
    public var text: String
    /// The step that the line is: "submit", "wait", "run", "signal", "end", "enter", "leave" or
    /// "notify"; nil for none. The page marks it with the tasks that are there.
    public var tag: String?

    /// Creates a line.
    public init(_ text: String, tag: String? = nil) {
      self.text = text
      self.tag = tag
    }
  }
}
