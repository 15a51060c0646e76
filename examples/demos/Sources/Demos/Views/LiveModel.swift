// The state of a run while it runs, for a view that is redrawn.

internal import Dispatch
internal import Synchronization

/// The threads, tasks and permits of a run at a moment. The events come from the trace while the
/// run goes on, or from a log that is replayed.
public final class LiveModel: Sendable {
  private let state = Mutex(LiveState())
  private let events = Mutex<LiveEvents?>(nil)
  /// The time of the clock at the first event.
  private let began = Mutex<UInt64?>(nil)
  private let speed: Double

  /// Creates a model without events.
  ///
  /// - Parameter speed: The number of seconds of the demo in a second.
  public init(speed: Double) {
    self.speed = speed
  }

  /// Begins to follow the events of the process.
  public func observe() {
    let events = LiveEvents(speed: speed) { event in
      self.began.withLock { $0 = $0 ?? DispatchTime.now().uptimeNanoseconds }
      self.state.withLock { $0.apply(event) }
    }
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
    // Time passes between events, too, while the run goes on.
    let began = events.withLock { $0 == nil } ? nil : began.withLock { $0 }
    let passed = began.map { Double(DispatchTime.now().uptimeNanoseconds - $0) * speed } ?? 0
    return state.withLock { state in
      state.now = max(state.now, UInt64(passed))
      return LiveScreen(
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
    case suspended = "S"
    case done = "D"
  }

  typealias Job = TraceLog.Job

  struct Permits: Sendable {
    var inUse = 0
    /// The free permits; nil if their number is not known.
    var free: Int?
    var waiting = 0
  }

  var now: UInt64 = 0
  var jobs: [Job: TaskState] = [:]
  var order: [Job] = []
  /// The jobs that each thread runs, outermost first; an empty list for an idle thread.
  var threads: [Int: [Job]] = [:]
  var mainThread: Int?
  var waitingThreads: [Int: String] = [:]
  var permits: [String: Permits] = [:]
  var permitOrder: [String] = []
  var groups: [String: Int] = [:]
  /// The lists of the download tutorial.
  var lists = Lists()
  var alert: String?
  var notes: [String] = []

  mutating func apply(_ event: TraceLog.Event) {
    let (label, thread) = (event.label, event.thread)
    now = max(now, event.time)
    if threads[thread] == nil { threads[thread] = [] }
    if event.isMain { mainThread = thread }
    count(event)
    let job = Job(event)
    switch event.kind {
    case .submit: set(job, .queued)
    case .start, .resume:
      leaveThreads(job)
      set(job, .running)
      threads[thread]?.append(job)
    case .suspend:
      set(job, .suspended)
      leaveThreads(job)
    case .end:
      set(job, .done)
      leaveThreads(job)
    case .wait:
      if let waiter = event.job { set(waiter, .waiting) }
      if event.lane != 1 {
        waitingThreads[thread] = label
      } else if let waiter = event.job {
        leaveThreads(waiter)
      }
    case .acquired, .timeout, .cancel:
      if waitingThreads[thread] == label { waitingThreads[thread] = nil }
      if jobs[job] == .queued { set(job, .done) }
      guard let waiter = event.job, jobs[waiter] == .waiting else { break }
      // A task goes on when it has a thread.
      set(waiter, threads.values.contains { $0.contains(waiter) } ? .running : .suspended)
    case .enter, .leave: groups[label] = event.value
    case .note: add(event)
    case .wake, .signal, .permits: break
    }
  }

  /// Returns the number of jobs in a state, without those of the main queue.
  func count(_ state: TaskState) -> Int {
    jobs.count { $0.key.label != "main" && $0.value == state }
  }

  private mutating func set(_ job: Job, _ state: TaskState) {
    if jobs.updateValue(state, forKey: job) == nil { order.append(job) }
  }

  private mutating func leaveThreads(_ job: Job) {
    for thread in threads.keys { threads[thread]?.removeAll { $0 == job } }
  }

  private mutating func count(_ event: TraceLog.Event) {
    guard event.inUse != nil || event.kind == .permits else { return }
    if permits[event.label] == nil { permitOrder.append(event.label) }
    permits[event.label] = Permits(
      inUse: event.inUse ?? 0, free: event.free ?? (event.kind == .permits ? event.value : nil),
      waiting: event.waiting ?? 0)
  }

  private mutating func add(_ event: TraceLog.Event) {
    switch (event.label, event.task) {
    case ("pending", let id?): lists.downloads.append(Lists.Row(id: id))
    case ("progress", let id?): lists.show(.inProgress(event.value), of: id)
    case ("request", _), ("response", _), ("picture", _): break
    default:
      if event.label == "completed", let id = event.task { lists.show(.completed, of: id) }
      if event.label.hasPrefix("alert") { alert = event.label }
      notes.append(LogLines.words(ofNote: event))
      if notes.count > 50 { notes.removeFirst() }
    }
  }
}
