// The events of a run, as Weir's recorder writes them.

internal import FoundationEssentials

/// The events of a run, in the order of time: the one source of every view of a demo.
///
/// ```swift
/// let log = try TraceLog(jsonLines: bytes)
/// let page = try HTMLReport.page(DemoReport(title: "A run", command: ""), log, .find())
/// ```
public struct TraceLog: Sendable {
  /// The events, in the order of time.
  public var events: [Event]

  /// True if the last line was cut off; the event it stood for is left out.
  public var isCutOff = false

  /// The nanoseconds that a moment lasts: times that differ by no more are the same. In simulated
  /// time the events of one moment are a few nanoseconds apart.
  public var moment: UInt64 = 0

  /// Creates a log of events, and sorts them by time if they are not in that order.
  ///
  /// Completes the events: see ``EventCompletion``.
  public init(events: [Event]) {
    self.events = events
    sort()
  }

  /// Reads JSON lines as `weir_trace_recorder_write` writes them.
  ///
  /// Unknown members and events of unknown kinds are ignored, as are empty lines. A last line
  /// without a line feed may be cut off.
  public init(jsonLines bytes: [UInt8]) throws(TraceLogError) {
    events = []
    let decoder = JSONDecoder()
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do throws(TraceLine.Failure) {
        if let event = try TraceLine.event(line, decoder) { events.append(event) }
      } catch {
        isCutOff = index == lines.count - 1
        if !isCutOff { throw TraceLogError(line: index + 1, reason: error.reason) }
      }
    }
    sort()
  }

  /// Reads JSON lines of a string.
  public init(jsonLines text: String) throws(TraceLogError) {
    try self.init(jsonLines: Array(text.utf8))
  }

  /// Brings the events into the order of time, and completes them.
  private mutating func sort() {
    let isSorted = zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time }
    if !isSorted {
      let order = events.indices.sorted { a, b in
        (events[a].time, a) < (events[b].time, b)
      }
      events = order.map { events[$0] }
    }
    var loose: Set<ObjectKey> = []
    repeat {
      var completion = EventCompletion(loose: loose)
      for index in events.indices { completion.complete(&events[index]) }
      if completion.states.loose == loose { break }
      loose = completion.states.loose
    } while true
  }
}

extension TraceLog {
  /// The kind of an event, by the name it has in a JSON line.
  public enum Kind: String, Sendable, CaseIterable {
    /// A job was put into a queue.
    case submit
    /// A job begins.
    case start
    /// A job has ended.
    case end
    /// A wait begins.
    case wait
    /// Permits were obtained, after a wait or at once.
    case acquired
    /// A wait ended without permits.
    case timeout
    /// Permits were returned.
    case signal
    /// A waiter got its permits; on the thread that granted them.
    case wake
    /// A wait ended without permits, a job was dropped, or a group was cancelled.
    case cancel
    /// The outstanding work of a group grew by one.
    case enter
    /// The outstanding work of a group shrank by one.
    case leave
    /// A mark of the program's own.
    case note
    /// A Swift task suspends: from here on it has no thread.
    case suspend
    /// A suspended task goes on, on the thread of the event.
    case resume
    /// The number of permits of the gate or semaphore of a label, from this event on.
    case permits
  }

  /// A job of a queue, of lanes or of a set of tasks.
  public struct Job: Hashable, Sendable {
    /// The number of the object.
    public var object: Int?
    /// The label of the object.
    public var label: String
    /// The number of the job.
    public var task: Int
  }

  /// The identity of an object: its number, or its label in a log without numbers.
  struct ObjectKey: Hashable {
    let number: Int
    let label: String

    init(_ event: Event) {
      number = event.object ?? 0
      label = event.object == nil ? event.label : ""
    }
  }

  /// One event.
  public struct Event: Sendable, Equatable {
    /// The time since the first event, in nanoseconds.
    public var time: UInt64
    /// The kind of event.
    public var kind: Kind
    /// The number of the thread, from 1 in the order of the first events. The main queue counts as
    /// one thread, whatever thread runs its blocks.
    public var thread: Int
    /// True if the thread runs a block of the main queue.
    public var isMain = false
    /// The label of the object, or the text of a note.
    public var label: String
    /// The number of the gate, lanes or group; nil for a note.
    public var object: Int?
    /// The number of the job, the wait or the note; nil for none.
    public var task: Int?
    /// For a start or an end: the lane. For a wait: 1 if it blocks no thread.
    public var lane: Int?
    /// The permits asked for, obtained or returned; for `enter` and `leave` the outstanding work
    /// afterwards; for a note its value.
    public var value = 0
    /// For a signal: true if it woke a waiter.
    public var woken: Bool?
    /// The jobs that wait for a lane, from this event on.
    public var queued: Int?
    /// The jobs that run, from this event on.
    public var running: Int?
    /// The permits in use, from this event on.
    public var inUse: Int?
    /// The free permits, from this event on; nil if their number was not recorded.
    public var free: Int?
    /// The waiters, from this event on.
    public var waiting: Int?
    /// The job that waits, that obtained or returns permits, or that is suspended.
    public var job: Job?
    /// The rows that begin with this event, or that have another name from it on.
    public internal(set) var rows: [Row] = []
    /// The rows that have another state from this event on.
    public internal(set) var changes: [Change] = []
    /// The number of jobs in each state after this event.
    var counts = RunState.Counts()
  }
}

extension TraceLog.Job {
  /// Creates the job that an event about a job names.
  init(_ event: TraceLog.Event) {
    self.init(object: event.object, label: event.label, task: event.task ?? 0)
  }
}

/// A line of a log that cannot be read.
public struct TraceLogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The number of the line, from 1.
  public var line: Int
  /// The reason, as a phrase.
  public var reason: String

  /// The line and the reason, for a message.
  public var description: String { "line \(line): \(reason)" }
}
