// The events of a run, in the form of Weir's recorder.

/// The events of a run, in the order of time: the one source of every view of a demo.
public struct TraceLog: Sendable {
  /// The events, in the order of time.
  public var events: [Event]

  /// The nanoseconds that a moment lasts: times that differ by no more are the same. In simulated
  /// time the events of one moment are a few nanoseconds apart.
  var moment: UInt64 = 0

  /// Creates a log of events, brings them into the order of time, and completes them: see
  /// ``EventCompletion``.
  init(events: [Event]) {
    let order = events.indices.sorted { (events[$0].time, $0) < (events[$1].time, $1) }
    self.events = order.map { events[$0] }
    var completion = EventCompletion()
    for index in self.events.indices { completion.complete(&self.events[index]) }
  }
}

extension TraceLog {
  /// The kind of an event, by the name it has in a JSON line.
  enum Kind: String, Sendable, CaseIterable {
    case submit
    case start
    case end
    case wait
    /// Permits were obtained, after a wait or at once.
    case acquired
    case timeout
    case signal
    /// A waiter got its permits; on the thread that granted them.
    case wake
    /// A wait ended without permits, a job was dropped, or a group was cancelled.
    case cancel
    /// The outstanding work of a group grew by one.
    case enter
    /// The outstanding work of a group shrank by one.
    case leave
    case note
    /// A Swift task suspends: from here on it has no thread.
    case suspend
    /// A suspended task goes on, on the thread of the event.
    case resume
    /// The number of permits of the gate or semaphore of a label, from this event on.
    case permits
  }

  /// A job of a queue, of lanes or of a set of tasks.
  struct Job: Hashable, Sendable {
    var object: Int?
    var label: String
    var task: Int
  }

  /// One event.
  public struct Event: Sendable, Equatable {
    /// The time since the first event, in nanoseconds.
    public var time: UInt64
    var kind: Kind
    /// The number of the thread, from 1 in the order of the first events. The main queue counts as
    /// one thread, whatever thread runs its blocks.
    var thread: Int
    /// True if the thread runs a block of the main queue.
    var isMain = false
    /// The label of the object, or the text of a note.
    var label: String
    /// The number of the gate, lanes or group; nil for a note.
    var object: Int?
    /// The identity of the object: its number, or its label without one.
    var key: String { object.map(String.init) ?? label }
    /// The number of the job, the wait or the note; nil for none.
    var task: Int?
    /// For a start or an end: the lane. For a wait: 1 if it blocks no thread.
    var lane: Int?
    /// The permits asked for, obtained or returned; for `enter` and `leave` the outstanding work
    /// afterwards; for a note its value.
    var value = 0
    /// For a signal: true if it woke a waiter.
    var woken: Bool?
    /// The free permits, from this event on; nil if their number was not recorded.
    var free: Int?
    /// The waiters, from this event on.
    var waiting: Int?
    /// The job that waits, that obtained or returns permits, or that is suspended.
    var job: Job?
    /// The rows that begin with this event, or that have another name from it on.
    var rows: [Row] = []
    /// The rows that have another state from this event on.
    var changes: [Change] = []
    var counts = RunState.Counts()
  }
}

extension TraceLog.Job {
  init(_ event: TraceLog.Event) {
    self.init(object: event.object, label: event.label, task: event.task ?? 0)
  }
}
