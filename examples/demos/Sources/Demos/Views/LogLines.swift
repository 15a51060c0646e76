// The log as plain lines: the columns of the documents.

/// Writes the notes of a log as lines: time, thread, how many run and wait, and the text.
///
///     s   thread  running  waiting
///     0.00     1        1        0  START 1 | TIMED OUT false
public struct LogLines: Sendable {
  private let isComplete: Bool
  private let language: Language
  /// True if the jobs are counted by their states, with a column for those that are suspended.
  private let hasSuspensions: Bool
  private let hasStarts: Bool
  private var running = 0
  private var jobs: [Int: Int] = [:]
  private var waiting: [Int: Int] = [:]
  private var states = JobStates()

  /// Creates the lines of a run that goes on.
  public init(language: Language) {
    (isComplete, self.language) = (false, language)
    (hasSuspensions, hasStarts) = (true, true)
  }

  private init(_ log: TraceLog, isComplete: Bool, language: Language) {
    (self.isComplete, self.language) = (isComplete, language)
    hasSuspensions = log.events.contains { $0.kind == .suspend }
    hasStarts = log.events.contains { $0.kind == .note && $0.label.hasPrefix("START") }
  }

  /// The heading of the columns. Logs of Swift tasks have one for those that are suspended.
  public var heading: String {
    "     s  thread  running  waiting" + (hasSuspensions ? "  suspended" : "")
  }

  /// Returns the heading and the lines of a log.
  ///
  /// - Parameters:
  ///   - isComplete: True to show waits, signals, jobs and progress too, and not only the lines
  ///     that the program prints.
  ///   - language: The language of the texts.
  public static func lines(
    _ log: TraceLog, isComplete: Bool = false, language: Language = .english
  ) -> [String] {
    var lines = LogLines(log, isComplete: isComplete, language: language)
    return [lines.heading] + log.events.compactMap { lines.line($0) }
  }

  /// Returns the line of the next event; `nil` if it has none.
  public mutating func line(_ event: TraceLog.Event) -> String? {
    if let object = event.object, let count = event.waiting { waiting[object] = count }
    if hasSuspensions {
      states.apply(event)
      running = states.count(.running)
    } else if hasStarts && event.kind == .note {
      if event.label.hasPrefix("START") { running += 1 }
      if event.label.hasPrefix("END") { running -= 1 }
    } else if !hasStarts, event.label != "main", let object = event.object,
      let count = event.running
    {
      jobs[object] = count
      running = jobs.values.reduce(0, +)
    }
    guard let text = text(event) else { return nil }
    let columns = [
      Self.padded(Self.seconds(event.time), 6),
      Self.padded(event.isMain ? "main" : "\(event.thread)", 8), Self.padded("\(running)", 9),
      Self.padded("\(waiting.values.reduce(0, +))", 9),
      hasSuspensions ? Self.padded("\(states.count(.suspended))", 11) : "",
    ]
    return columns.joined() + "  " + text
  }

  private func text(_ event: TraceLog.Event) -> String? {
    let number = event.task.map { " \($0)" } ?? ""
    if event.kind == .note {
      if let state = TaskState(event) {
        return isComplete ? language.translated(state.text(of: event.task ?? 0)) : nil
      }
      if !isComplete && ["request", "response", "picture"].contains(event.label) { return nil }
      return language.translated(Self.words(ofNote: event))
    }
    guard isComplete else { return nil }
    if event.kind == .permits { return "\(event.value) permits at \(event.label)" }
    let woken = event.woken == true ? ", a thread woken" : ""
    return "\(event.kind.rawValue) \(event.label)\(number)\(woken)"
  }

  /// Returns the text of a note. The number comes after the first word: START 4 | TIMED OUT false.
  private static func words(ofNote event: TraceLog.Event) -> String {
    guard let number = event.task else { return event.label }
    let words = event.label.split(separator: " ", maxSplits: 1)
    return "\(words.first ?? "") \(number)" + (words.count > 1 ? " \(words[1])" : "")
  }

  private static func seconds(_ nanoseconds: UInt64) -> String {
    let text = Demos.text(seconds: Double(nanoseconds) / 1e9)
    return String(text.dropLast(2))
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
