// The states of a run: one reducer from events to states, for lines, reports, board and course.
//
// DESIGN. The terminal, the pages and the findings once had a reducer each, and they disagreed. Now
// this one computes the states, and an event takes with it the changes that it makes
// (`TraceLog.Change`): a page only draws them.
//
// - A thread runs the last job that began on it and did not leave it. It waits from a wait that
//   blocks it to its next event: a thread that waits can report nothing else.
// - A job that has begun is at a thread, and then it runs or waits as this thread does. Else it
//   waits for permits, or it is suspended.
// - A Swift task leaves its thread by a suspend, or by a wait in lane 1, and comes back by a
//   resume. So its thread may run another task meanwhile.
//
// The main queue has a row beside the threads, and its blocks have none of their own.
// EventCompletion tells the threads and the jobs of the events.

struct RunState {
  typealias Job = TraceLog.Job

  /// The number of jobs in a state, without the blocks of the main queue.
  struct Counts: Sendable, Equatable {
    /// The jobs that a thread runs.
    var running = 0
    /// The jobs that wait, and the threads that wait without a job.
    var waiting = 0
    /// The tasks that have begun, and neither wait nor have a thread.
    var suspended = 0
    /// The jobs that have begun, not ended, and do not wait.
    var inProgress: Int { running + suspended }
  }

  private struct JobState {
    let row: TraceLog.Row
    var isOver = false
    var hasBegun = false
    /// The thread that runs the job; nil for none.
    var thread: Int?
    /// The label of the permits for which a task waits without a thread.
    var awaits: String?
    var holds: Set<String> = []
    var shown: (state: TraceLog.State, subject: String)?
  }

  private struct ThreadState {
    /// The jobs that the thread runs, the innermost last; nil for a block of the main queue.
    var jobs: [Job?] = []
    /// The label for which the thread waits.
    var waits: String?
    var shown: (state: TraceLog.State, subject: String)?
  }

  private var jobs: [Job: JobState] = [:]
  private var threads: [Int: ThreadState] = [:]
  private var counts = Counts()
  private var changedJobs: [Job] = []
  private var changedThreads: [Int] = []
  private var changes: [TraceLog.Change] = []
  private var newRows: [TraceLog.Row] = []

  /// True if a job has begun and not ended.
  func isOpen(_ job: Job) -> Bool { jobs[job].map { $0.hasBegun && !$0.isOver } ?? false }

  /// The innermost job of a thread.
  func job(of thread: Int) -> Job? { threads[thread]?.jobs.last ?? nil }

  /// Applies an event whose thread, kind and job are complete, and adds the changes to it.
  mutating func apply(_ event: inout TraceLog.Event) {
    changedJobs.removeAll(keepingCapacity: true)
    changedThreads.removeAll(keepingCapacity: true)
    (changes, newRows) = ([], [])
    addThread(event)
    if threads[event.thread]?.waits != nil { setWait(nil, on: event.thread) }
    reduce(event)
    for job in changedJobs { showJob(job) }
    for thread in changedThreads { showThread(thread) }
    (event.changes, event.rows, event.counts) = (changes, newRows, counts)
  }

  private mutating func reduce(_ event: TraceLog.Event) {
    let job = Job(event)
    let isMain = event.label == "main"
    switch event.kind {
    case .submit where event.task != nil && !isMain:
      if jobs[job] == nil || jobs[job]?.isOver == true { add(job) }
    case .start: start(job, event)
    case .end: end(job, event)
    case .suspend: leave(job)
    case .resume: move(job, to: event.thread)
    case .wait: wait(event)
    case .acquired, .timeout, .cancel:
      if let waiter = event.job, jobs[waiter]?.awaits != nil {
        jobs[waiter]?.awaits = nil
        changedJobs.append(waiter)
      }
      if event.kind == .acquired, let holder = event.job { hold(event.label, by: holder) }
      if event.kind == .cancel, let state = jobs[job], !state.hasBegun {
        jobs[job]?.isOver = true
        changedJobs.append(job)
      }
    case .signal: if let holder = event.job { release(event.label, by: holder) }
    case .note: note(event)
    default: break
    }
  }

  // MARK: - Rows

  private mutating func addThread(_ event: TraceLog.Event) {
    guard threads[event.thread] == nil else { return }
    threads[event.thread] = ThreadState()
    if event.isMain { mainThread = event.thread }
    newRows.append(
      event.isMain
        ? TraceLog.Row(id: "main", group: "main", name: "main", number: nil)
        : TraceLog.Row(
          id: row(of: event.thread), group: "threads", name: "thread \(event.thread)",
          number: event.thread))
  }

  private var mainThread: Int?

  private func row(of thread: Int) -> String { thread == mainThread ? "main" : "t\(thread)" }

  private mutating func add(_ job: Job) {
    let known = jobs[job]
    let name = "\(job.label) \(job.task)"
    let row = TraceLog.Row(id: "j\(name)", group: job.label, name: name, number: job.task)
    jobs[job] = JobState(row: row, shown: known?.shown)
    if known == nil { newRows.append(row) }
    changedJobs.append(job)
  }

  // MARK: - Jobs and threads

  private mutating func start(_ job: Job, _ event: TraceLog.Event) {
    if job.label == "main" {
      threads[event.thread]?.jobs.append(nil)
      return changedThreads.append(event.thread)
    }
    if jobs[job] == nil || jobs[job]?.isOver == true { add(job) }
    jobs[job]?.hasBegun = true
    jobs[job]?.awaits = nil
    move(job, to: event.thread)
  }

  private mutating func end(_ job: Job, _ event: TraceLog.Event) {
    if job.label == "main" {
      if let place = threads[event.thread]?.jobs.lastIndex(of: nil) {
        threads[event.thread]?.jobs.remove(at: place)
      }
      return changedThreads.append(event.thread)
    }
    guard let state = jobs[job], state.hasBegun, !state.isOver else { return }
    leave(job)
    for label in state.holds.sorted() { release(label, by: job) }
    jobs[job]?.isOver = true
    jobs[job]?.awaits = nil
  }

  /// Takes a job off its thread.
  private mutating func leave(_ job: Job) {
    changedJobs.append(job)
    guard let thread = jobs[job]?.thread else { return }
    jobs[job]?.thread = nil
    threads[thread]?.jobs.removeAll { $0 == job }
    changedThreads.append(thread)
  }

  private mutating func move(_ job: Job, to thread: Int) {
    guard jobs[job]?.isOver == false else { return }
    if jobs[job]?.thread == thread { return }
    leave(job)
    jobs[job]?.thread = thread
    jobs[job]?.awaits = nil
    threads[thread]?.jobs.append(job)
    changedThreads.append(thread)
  }

  // MARK: - Waits and permits

  private mutating func wait(_ event: TraceLog.Event) {
    guard event.lane == 1 else { return setWait(event.label, on: event.thread) }
    guard let waiter = event.job, jobs[waiter] != nil else { return }
    leave(waiter)
    jobs[waiter]?.awaits = event.label
  }

  private mutating func setWait(_ label: String?, on thread: Int) {
    threads[thread]?.waits = label
    changedThreads.append(thread)
    changedJobs += threads[thread]?.jobs.compactMap(\.self) ?? []
  }

  private mutating func hold(_ label: String, by job: Job) {
    guard let state = jobs[job], !state.isOver, !state.holds.contains(label) else { return }
    jobs[job]?.holds.insert(label)
    changes.append(TraceLog.Change(row: state.row.id, state: .holding, subject: label))
  }

  private mutating func release(_ label: String, by job: Job) {
    guard jobs[job]?.holds.remove(label) != nil, let row = jobs[job]?.row.id else { return }
    changes.append(TraceLog.Change(row: row, state: .released, subject: label))
  }

  /// The notes after which a thread waits, and that for which it does.
  private static let waits = ["group wait": "the group", "loop wait": "the other blocks"]

  private mutating func note(_ event: TraceLog.Event) {
    if let awaited = Self.waits[event.label] { setWait(awaited, on: event.thread) }
  }

  // MARK: - The states

  private func state(of job: JobState) -> (TraceLog.State, subject: String) {
    if job.isOver { return (.done, "") }
    if !job.hasBegun { return (.queued, job.row.group) }
    if let thread = job.thread {
      if let label = threads[thread]?.waits { return (.waiting, label) }
      return (.running, thread == mainThread ? "main" : "thread \(thread)")
    }
    if let label = job.awaits { return (.waiting, label) }
    return (.suspended, job.row.group)
  }

  private mutating func showJob(_ job: Job) {
    guard let state = jobs[job] else { return }
    let (now, subject) = self.state(of: state)
    if let shown = state.shown, shown.state == now && shown.subject == subject { return }
    count(state.shown?.state, -1)
    count(now, 1)
    jobs[job]?.shown = (now, subject)
    changes.append(TraceLog.Change(row: state.row.id, state: now, subject: subject))
  }

  private mutating func showThread(_ thread: Int) {
    guard let state = threads[thread] else { return }
    let isAlone = !state.jobs.contains { $0 != nil }
    let now: (state: TraceLog.State, subject: String) =
      if let label = state.waits {
        (.waiting, label)
      } else if let top = state.jobs.last {
        (.running, top.flatMap { jobs[$0]?.row.name } ?? "main")
      } else {
        (.idle, "")
      }
    let waitsAlone = now.state == .waiting && isAlone
    if waitsAlone != (lonelyWaits.contains(thread)) {
      counts.waiting += waitsAlone ? 1 : -1
      if waitsAlone { lonelyWaits.insert(thread) } else { lonelyWaits.remove(thread) }
    }
    let shown = state.shown ?? (.idle, "")
    if shown.state == now.state && shown.subject == now.subject { return }
    threads[thread]?.shown = now
    changes.append(TraceLog.Change(row: row(of: thread), state: now.state, subject: now.subject))
  }

  /// The threads that wait without a job.
  private var lonelyWaits: Set<Int> = []

  private mutating func count(_ state: TraceLog.State?, _ change: Int) {
    switch state {
    case .running: counts.running += change
    case .waiting: counts.waiting += change
    case .suspended: counts.suspended += change
    default: break
    }
  }
}

extension TraceLog {
  /// A state of a job or of a thread, by its letter.
  enum State: String, Sendable {
    case queued = "Q"
    case running = "R"
    case waiting = "W"
    case suspended = "S"
    /// A job has ended.
    case done = "D"
    /// A thread has no job.
    case idle = "I"
    /// A job holds permits of a label, beside its state.
    case holding = "H"
    /// A job no longer holds permits of a label.
    case released = "-"
  }

  /// A row of the picture: a thread or a job.
  struct Row: Sendable, Equatable {
    /// `main`, `t` and the number of a thread, or `j` and the name of a job.
    var id: String
    /// The label of the rows that belong together.
    var group: String
    var name: String
    var number: Int?
  }

  /// A row has another state from an event on.
  struct Change: Sendable, Equatable {
    var row: String
    var state: State
    /// What the row runs, waits for, holds, or is run by.
    var subject: String
  }
}
