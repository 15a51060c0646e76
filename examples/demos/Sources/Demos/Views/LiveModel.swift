// The state of a run while it runs, for a view that is redrawn.

internal import Synchronization

/// The threads, tasks and permits of a run at a moment. The events come from the trace while the
/// run goes on, or from a log that is replayed.
public final class LiveModel: Sendable {
  private let state = Mutex(LiveState())
  private let events = Mutex<LiveEvents?>(nil)
  private let speed: Double

  /// Creates a model without events.
  ///
  /// - Parameter speed: The number of seconds of the demo in a second.
  public init(speed: Double) {
    self.speed = speed
  }

  /// Begins to follow the events of the process.
  public func observe() {
    let events = LiveEvents(speed: speed) { event in self.state.withLock { $0.apply(event) } }
    self.events.withLock { $0 = events }
    events.start()
  }

  /// Stops following.
  public func finish() { events.withLock { $0.take() }?.finish() }

  /// Applies the events of a log up to a time.
  ///
  /// - Parameter first: The first event to apply.
  /// - Returns: The first event after the time.
  public func replay(_ log: TraceLog, from first: Int, to nanoseconds: UInt64) -> Int {
    state.withLock { state in
      var index = first
      while index < log.events.count, log.events[index].time <= nanoseconds {
        state.apply(log.events[index])
        index += 1
      }
      state.now = nanoseconds
      return index
    }
  }

  /// Returns the screen: at most `rows` lines of at most `columns` characters.
  public func screen(
    title: String, columns: Int, rows: Int, usesColors: Bool, language: Language = .english
  ) -> [String] {
    state.withLock { state in
      LiveScreen(
        state: state, columns: columns, rows: rows, usesColors: usesColors, language: language
      ).lines(title: title)
    }
  }
}

/// The state that the events leave.
struct LiveState: Sendable {
  enum TaskState: String, Sendable {
    case queued = "Q"
    case waiting = "W"
    case running = "R"
    case done = "D"
  }

  struct Job: Hashable, Sendable {
    let label: String
    let number: Int
  }

  struct Permits: Sendable {
    var inUse = 0
    var waiting = 0
    var most = 0
  }

  var now: UInt64 = 0
  var jobs: [Job: TaskState] = [:]
  var order: [Job] = []
  /// The jobs that each thread runs, outermost first; an empty list for an idle thread.
  var threads: [Int: [Job]] = [:]
  var threadOrder: [Int] = []
  var waitingThreads: [Int: String] = [:]
  var permits: [String: Permits] = [:]
  var permitOrder: [String] = []
  var groups: [String: Int] = [:]
  var notes: [String] = []

  mutating func apply(_ event: TraceLog.Event) {
    let (label, thread, count) = (event.label, event.thread, event.value)
    now = max(now, event.time)
    if threads[thread] == nil {
      threads[thread] = []
      threadOrder.append(thread)
    }
    let job = Job(label: label, number: event.task ?? 0)
    switch event.kind {
    case .submit: set(job, .queued)
    case .start:
      set(job, .running)
      threads[thread]?.append(job)
    case .end:
      set(job, .done)
      for other in threads.keys { threads[other]?.removeAll { $0 == job } }
    case .wait:
      change(label) { $0.waiting += 1 }
      guard event.lane != 1 else { break }
      waitingThreads[thread] = label
      if let inner = threads[thread]?.last { jobs[inner] = .waiting }
    case .acquired:
      change(label) { permits in
        permits.inUse += count
        permits.most = max(permits.most, permits.inUse)
        if event.task != nil { permits.waiting = max(0, permits.waiting - 1) }
      }
      resume(thread)
    case .timeout, .cancel:
      change(label) { $0.waiting = max(0, $0.waiting - 1) }
      resume(thread)
    case .signal: change(label) { $0.inUse = max(0, $0.inUse - count) }
    case .enter, .leave: groups[label] = count
    case .note:
      let quiet = ["pending", "progress", "request", "response", "picture"]
      guard !quiet.contains(label) else { break }
      notes.append(event.task.map { "\(label) \($0)" } ?? label)
      if notes.count > 50 { notes.removeFirst() }
    case .wake: break
    }
  }

  private mutating func set(_ job: Job, _ state: TaskState) {
    if jobs.updateValue(state, forKey: job) == nil { order.append(job) }
  }

  private mutating func resume(_ thread: Int) {
    waitingThreads[thread] = nil
    if let inner = threads[thread]?.last { jobs[inner] = .running }
  }

  private mutating func change(_ label: String, _ body: (inout Permits) -> Void) {
    if permits[label] == nil { permitOrder.append(label) }
    body(&permits[label, default: Permits()])
  }
}
