// A demo: a concurrent program to predict, to watch and to vary.
//
// DESIGN. A demo is a value with closures and no protocol: the tool lists, runs and shows all of
// them alike, and the code of each is in one file of the folder Demos. What a demo found is
// computed from the log of its run, never from the times that it asked for.

/// A concurrent program with knobs, questions, and findings about its run.
public struct Demo: Sendable, Encodable {
  enum CodingKeys: CodingKey { case name, abstract, speed, knobs, questions }

  /// The name on the command line.
  public let name: String
  /// A sentence on what the demo shows.
  public let abstract: String
  /// The seconds of the demo in a second, if none is chosen: so that the run can be followed.
  public let speed: Double
  /// True if a slow run would measure something else: it runs at full speed, and is shown afterwards.
  public var isReplayed = false
  /// The options that change the run.
  public let knobs: [Knob]
  /// The questions to answer before the run.
  public let questions: [Question]
  /// Measures what the recorder would disturb, before the recorded run. Its notes begin the log.
  var measure: @Sendable (KnobValues, any Machine) -> [Measurement] = { _, _ in [] }
  /// Explains why values do not go together; `nil` if they do.
  public var complaint: @Sendable (KnobValues) -> String? = { _ in nil }
  /// True if the run depends on the threads of libdispatch's pool, which grows by the clock.
  var usesPool: @Sendable (KnobValues) -> Bool = { _ in false }
  /// Describes the values of the knobs before the run, in a sentence.
  let introduction: @Sendable (KnobValues) -> String
  /// Starts the run on the main queue. `finish` is called once, at its end, on any thread.
  let start: @Sendable (KnobValues, any Machine, _ finish: @escaping @Sendable () -> Void) -> Void
  /// Computes the findings from the log.
  let findings: @Sendable (KnobValues, DemoRun) -> Findings
  /// Returns the code of the run.
  let code: @Sendable (KnobValues) -> [Listing]

  /// Returns the demo of a name.
  public static func named(_ name: String) -> Demo? { all.first { $0.name == name } }

  /// Describes a run before it, in a few sentences.
  public func opening(_ values: KnobValues) -> String {
    introduction(values)
      + (usesPool(values)
        ? " The pool decides how many blocks of a concurrent queue run at once; libdispatch"
          + " promises no number." : "")
  }
}

/// A measurement that was made before the recorded run: a note of its log.
struct Measurement: Sendable {
  let label: String
  let number: Int
  let value: Int

  init(_ label: String, _ number: Int = 0, value: Int) {
    (self.label, self.number, self.value) = (label, number, value)
  }
}

/// A question about a run, asked before it.
public struct Question: Sendable, Encodable {
  enum Unit: String, Sendable, Encodable {
    case count
    case seconds
  }

  /// The name of the answer in JSON.
  package let name: String
  package let text: String
  let unit: Unit

  init(_ name: String, _ text: String, _ unit: Unit) {
    (self.name, self.text, self.unit) = (name, text, unit)
  }

  /// A Boolean value that indicates whether a number can answer the question: 0 to 1,000,000,000.
  package func takes(_ answer: Double) -> Bool { (0...1e9).contains(answer) }

  /// A Boolean value that indicates whether a prediction is right: a count exactly, a time within
  /// a fifth, or within 10 ms unless it is shorter than that.
  func isRight(_ predicted: Double, actual: Double) -> Bool {
    switch unit {
    case .count: predicted == actual
    case .seconds: abs(predicted - actual) <= (actual < 0.01 ? actual : max(actual, 0.05)) / 5
    }
  }
}

/// The findings about a run.
package struct Findings: Sendable {
  /// A promise that held or did not.
  struct Check: Sendable, Encodable {
    let text: String
    let holds: Bool
  }

  /// The answers to the questions, in their order; `nil` for what never happened.
  var answers: [Double?]
  /// The promises, in the order in which they are shown.
  var checks: [Check]
  /// The lines of a table, each as wide as it is.
  package var table: [String] = []
  /// Remarks on how the results were found, as sentences.
  var remarks: [String] = []
  var verdict: String
  var next: String

  init(answers: [Double?], checks: [(String, Bool)], verdict: String, next: String) {
    self.answers = answers
    self.checks = checks.map { Check(text: $0.0, holds: $0.1) }
    (self.verdict, self.next) = (verdict, next)
  }

  /// True if every promise held.
  package var isSound: Bool { checks.allSatisfy(\.holds) }
}

/// The code of a run, as a learner would write it.
public struct Listing: Sendable, Encodable {
  /// A line, and the states of the tasks that are at it.
  struct Line: Sendable, Encodable {
    let text: String
    /// `submit`, `wait`, `run`, `signal`, `end`, `enter`, `leave` or `notify`; some of them with
    /// commas between; or `nil`.
    let tag: String?
    /// The queues whose tasks can be at the line, with commas between; `nil` for all. A queue
    /// `serial` stands for `serial 1` too, and `picture=2` for one task.
    let queues: String?
  }

  /// The title, such as `lanes are the limit`.
  let title: String
  let lines: [Line]

  /// - Parameter text: The code. ` @tag` or ` @tag:queues` at the end of a line is the line's tag.
  ///   A line with the tag `omitted` is left out.
  init(_ title: String, _ text: String) {
    self.title = title
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      guard let mark = line.lastIndex(of: "@"), line[..<mark].hasSuffix(" "),
        !line[mark...].contains(" ")
      else { return Line(text: String(line), tag: nil, queues: nil) }
      let words = line[mark...].dropFirst().split(separator: ":").map(String.init)
      return words[0] == "omitted"
        ? nil
        : Line(
          text: String(line[..<mark].dropLast()), tag: words[0],
          queues: words.count > 1 ? words[1] : nil)
    }
  }
}

/// Returns a line of a listing if the values of the knobs ask for it, and otherwise none.
func only(_ condition: Bool, _ line: String) -> String { condition ? line : " @omitted" }
