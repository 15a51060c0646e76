// Which event ended a wait, and whether the wait blocked its thread.

/// Matches each WAIT of a log with the event that ended it.
struct WaitMatcher {
  /// A wait's number; or, for waits without a number, its thread.
  private struct Key: Hashable {
    var object: ObjectKey
    var task: Int
    var thread: Int
  }

  /// For a WAIT the index of its end, for its end that of the WAIT; -1 for neither.
  private(set) var partner: [Int]
  /// For a WAIT: true if it blocked its thread.
  private(set) var isBlocking: [Bool]

  init(_ events: [TraceLog.Event]) {
    partner = Array(repeating: -1, count: events.count)
    isBlocking = Array(repeating: false, count: events.count)
    var open: [Key: Int] = [:]
    var latest: [Int: Int] = [:]  // the last event of each thread
    for (index, event) in events.enumerated() {
      let before = latest.updateValue(index, forKey: event.thread)
      let task = event.task ?? 0
      let key = Key(
        object: ObjectKey(event), task: task, thread: task == 0 ? event.thread : 0)
      switch event.kind {
      case .wait:
        open[key] = index
      case .acquired, .timeout, .cancel:
        guard let wait = open.removeValue(forKey: key) else { break }
        partner[wait] = index
        partner[index] = wait
        isBlocking[wait] =
          events[wait].lane.map { $0 != 1 } ?? (before == wait)
      default: break
      }
    }
    for wait in open.values {
      let event = events[wait]
      isBlocking[wait] = event.lane.map { $0 != 1 } ?? (latest[event.thread] == wait)
    }
  }
}

/// The identity of an object: its number, or its label in a log without numbers.
struct ObjectKey: Hashable {
  var number: Int
  var label: String

  init(_ event: TraceLog.Event) { self.init(event.object, event.label) }
  init(_ job: TraceLog.Job) { self.init(job.object, job.label) }

  private init(_ object: Int?, _ label: String) {
    number = object ?? 0
    self.label = object == nil ? label : ""
  }
}
