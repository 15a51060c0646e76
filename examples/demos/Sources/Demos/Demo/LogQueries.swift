// Questions that findings ask of a log.

extension TraceLog {
  /// The notes whose text begins with a word.
  func notes(_ word: String) -> [Event] {
    events.filter { $0.kind == .note && $0.label.hasPrefix(word) }
  }

  /// The numbers of the notes that begin with a word, in order.
  func numbers(_ word: String) -> [Int] { notes(word).compactMap(\.task) }

  /// Returns the largest number of activities at once, each between two notes.
  func peak(from begin: String = "START", to end: String = "END") -> Int {
    var (count, steps) = (0, [(time: UInt64, count: Int)]())
    for event in events where event.kind == .note {
      count += event.label.hasPrefix(begin) ? 1 : event.label.hasPrefix(end) ? -1 : 0
      steps.append((event.time, count))
    }
    return lasting(steps)
  }

  /// Returns the largest count that lasts for longer than a moment, or to the end, and 1 for a shorter
  /// one. In simulated time the events of one moment are nanoseconds apart, so a job that begins as
  /// another one ends may seem to overlap it. A picture shows no such overlap, and none counts.
  private func lasting(_ steps: [(time: UInt64, count: Int)]) -> Int {
    let lasting = zip(steps, steps.dropFirst()).map { step, next in
      next.time - step.time > moment ? step.count : min(1, step.count)
    }
    return max(lasting.max() ?? 0, steps.last?.count ?? 0)
  }

  /// The time of the last note that begins with a word, in seconds of the demo.
  func lastSeconds(_ word: String = "END") -> Double {
    Double(notes(word).last?.time ?? 0) / 1e9
  }

  /// The time between the first note that begins with a word and the last with another.
  func seconds(from first: String, to last: String) -> Double {
    let begin = notes(first).first?.time ?? 0
    return Double((notes(last).last?.time ?? begin) - begin) / 1e9
  }

  /// The largest number of jobs that were in progress at once.
  var peakInProgress: Int {
    lasting(events.map { ($0.time, $0.counts.inProgress) })
  }

  /// True if each number of `begin` comes once, before its `end`, and each `end` has a `begin`.
  ///
  /// - Parameter allowsOpen: True if an `end` may be missing, since the run was ended.
  func areInOrder(
    _ begin: String = "START", _ end: String = "END", allowsOpen: Bool = false
  ) -> Bool {
    var open: Set<Int> = []
    var ended: Set<Int> = []
    for event in events where event.kind == .note {
      guard let task = event.task else { continue }
      if event.label.hasPrefix(begin) {
        if ended.contains(task) || !open.insert(task).inserted { return false }
      } else if event.label.hasPrefix(end) {
        if open.remove(task) == nil { return false }
        ended.insert(task)
      }
    }
    return open.isEmpty || allowsOpen
  }

  func events(_ kind: Kind, of label: String? = nil) -> [Event] {
    events.filter { $0.kind == kind && (label == nil || $0.label == label) }
  }

  /// True if every enter of the groups has its leave.
  var isBalanced: Bool { events(.enter).count == events(.leave).count }
}

/// Returns seconds with two decimals, such as `1.90 s`.
func text(seconds: Double) -> String {
  let hundredths = Int((seconds * 100).rounded())
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
}

/// Returns seconds, and a time below a tenth of a second in the unit that it is in: `1.31 ms`.
func text(brief seconds: Double) -> String {
  guard seconds > 0 && seconds < 0.1 else { return text(seconds: seconds) }
  let nanoseconds = Int((seconds * 1e9).rounded())
  if nanoseconds < 1000 { return "\(nanoseconds) ns" }
  if nanoseconds < 999_500 { return "\((nanoseconds + 500) / 1000) µs" }
  return "\(text(seconds: seconds * 1000).dropLast())ms"
}

/// Returns a number with its noun.
func text(_ count: Int, _ one: String, _ many: String? = nil) -> String {
  "\(count) \(count == 1 ? one : many ?? one + "s")"
}

/// Returns a text at the right of a column.
func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
