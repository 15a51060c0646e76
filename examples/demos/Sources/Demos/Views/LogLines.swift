// The log as plain lines: the columns of the documents.

/// Writes the notes of a log as lines: time, thread, how many run and wait, and the text.
///
///     s   thread  running  waiting
///     0.00     1        1        0  START 1 | TIMED OUT false
public enum LogLines {
  /// Returns the heading of the columns. Logs of Swift tasks have one for those that are suspended.
  public static func heading(_ log: TraceLog) -> String {
    "     s  thread  running  waiting" + (hasSuspensions(log) ? "  suspended" : "")
  }

  private static func hasSuspensions(_ log: TraceLog) -> Bool {
    log.events.contains { $0.kind == .suspend }
  }

  /// Returns the lines of a log.
  ///
  /// - Parameters:
  ///   - isComplete: True to show waits, signals, jobs and progress too, and not only the lines
  ///     that the program prints.
  ///   - language: The language of the texts.
  public static func lines(
    _ log: TraceLog, isComplete: Bool = false, language: Language = .english
  ) -> [String] {
    var running = 0
    var jobs: [Int: Int] = [:]
    let hasStarts = log.events.contains { $0.kind == .note && $0.label.hasPrefix("START") }
    var waiting: [Int: Int] = [:]
    let hasSuspensions = hasSuspensions(log)
    var state = LiveState()
    var lines: [String] = []
    for event in log.events {
      if let object = event.object, let count = event.waiting { waiting[object] = count }
      if hasSuspensions {
        state.apply(event)
        running = state.count(.running)
      } else if hasStarts && event.kind == .note {
        if event.label.hasPrefix("START") { running += 1 }
        if event.label.hasPrefix("END") { running -= 1 }
      } else if !hasStarts, event.label != "main", let object = event.object,
        let count = event.running
      {
        jobs[object] = count
        running = jobs.values.reduce(0, +)
      }
      guard let text = text(event, isComplete, language) else { continue }
      let columns = [
        padded(seconds(event.time), 6), padded(event.isMain ? "main" : "\(event.thread)", 8),
        padded("\(running)", 9), padded("\(waiting.values.reduce(0, +))", 9),
        hasSuspensions ? padded("\(state.count(.suspended))", 11) : "",
      ]
      lines.append(columns.joined() + "  " + text)
    }
    return lines
  }

  private static func text(
    _ event: TraceLog.Event, _ isComplete: Bool, _ language: Language
  ) -> String? {
    let number = event.task.map { " \($0)" } ?? ""
    if event.kind == .note {
      if let state = TaskState(event) {
        let row = state.text(of: event.task ?? 0) + (state.percentage.map { " \($0) %" } ?? "")
        return isComplete ? language.translated(row) : nil
      }
      let word = event.label.prefix { $0 != " " }
      if !isComplete
        && ["request", "response", "picture", "SIZE", "DRAWN", "COST", "TIME"].contains(word)
      {
        return nil
      }
      return language.translated(words(ofNote: event))
    }
    guard isComplete else { return nil }
    if event.kind == .permits { return "\(event.value) permits at \(event.label)" }
    let woken = event.woken == true ? ", a thread woken" : ""
    return "\(event.kind.rawValue) \(event.label)\(number)\(woken)"
  }

  /// Returns the text of a note. The number comes after the first word: START 4 | TIMED OUT false.
  static func words(ofNote event: TraceLog.Event) -> String {
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

extension TaskState {
  /// The state that a row of the downloads takes with an event, before the download is completed.
  fileprivate init?(_ event: TraceLog.Event) {
    switch event.label {
    case "pending": self = .pending
    case "progress": self = .inProgress(event.value)
    default: return nil
    }
  }
}
