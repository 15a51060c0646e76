// The log as plain lines: the columns of the documents.

/// Writes the notes of a run as lines: time, thread, how many jobs run, wait and are suspended, and
/// the text.
///
///     s   thread  running  waiting  suspended
///     0.00     1        1        0          0  START 1 | TIMED OUT false
package struct LogLines: Sendable {
  package static let heading = "     s  thread  running  waiting  suspended"

  private let isComplete: Bool

  /// - Parameter isComplete: True to show waits, signals, jobs and progress too, and not only the
  ///   lines that the program prints.
  package init(isComplete: Bool = false) { self.isComplete = isComplete }

  package func line(_ event: TraceLog.Event) -> String? {
    guard let text = text(event) else { return nil }
    let counts = event.counts
    let columns = [
      (seconds(event.time), 6), (event.isMain ? "main" : "\(event.thread)", 8),
      ("\(counts.running)", 9), ("\(counts.waiting)", 9), ("\(counts.suspended)", 11),
    ]
    return columns.map { padded($0, $1) }.joined() + "  " + text
  }

  private func text(_ event: TraceLog.Event) -> String? {
    let number = event.task.map { " \($0)" } ?? ""
    if event.kind == .note {
      if event.label == "pending" || event.label == "progress" {
        let percentage = event.label == "progress" ? " \(event.value) %" : ""
        let word = percentage.isEmpty ? "Pending" : "Downloading"
        return isComplete ? "\(word) #\(event.task ?? 0)\(percentage)" : nil
      }
      let word = String(event.label.prefix { $0 != " " })
      let silent = ["request", "response", "picture", "SIZE", "DRAWN", "COST", "TIME"]
      if !isComplete && silent.contains(word) { return nil }
      return words(ofNote: event)
    }
    guard isComplete else { return nil }
    if event.kind == .permits { return "\(event.value) permits at \(event.label)" }
    let woken = event.woken == true ? ", a thread woken" : ""
    return "\(event.kind.rawValue) \(event.label)\(number)\(woken)"
  }

  /// Returns the text of a note. The number comes after the first word: START 4 | TIMED OUT false.
  private func words(ofNote event: TraceLog.Event) -> String {
    guard let number = event.task else { return event.label }
    let words = event.label.split(separator: " ", maxSplits: 1)
    return "\(words.first ?? "") \(number)" + (words.count > 1 ? " \(words[1])" : "")
  }

  private func seconds(_ nanoseconds: UInt64) -> String {
    let text = Demos.text(seconds: Double(nanoseconds) / 1e9)
    return String(text.dropLast(2))
  }
}
