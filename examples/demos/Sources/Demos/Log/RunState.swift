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
// - The elements of Weir's maps and windows are tasks too, and the recorder sees only their begins
//   and ends. An element that is found on no thread of its own (another job began there, or the
//   element ended elsewhere) belongs to an object that is loose: its elements count as suspended
//   from their beginning to their end. A log is read twice, so that this is known from its start.
// - A job that nobody has submitted, and that begins where an element has just begun, is the
//   element's task by another name: both are one row, which has the name of the job.
//
// The main queue has a row beside the threads, and its blocks have none of their own.
// EventCompletion tells the threads and the jobs of the events.

/// Computes the changes of state of each event, in the order of time.
struct RunState {
  typealias Job = TraceLog.Job
  typealias ObjectKey = TraceLog.ObjectKey

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
    let row: String
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
    /// The element that has begun here, until something else happens to a job here.
    var element: Job?
    var shown: (state: TraceLog.State, subject: String)?
  }

  private var jobs: [Job: JobState] = [:]
  private var threads: [Int: ThreadState] = [:]
  private var rows: [String: TraceLog.Row] = [:]
  /// The elements whose tasks have another name, by the job of this name.
  private var elements: [Job: Job] = [:]
  /// The numbers of the objects of each label, in the order of their first events.
  private var objects: [String: [Int?]] = [:]
  private var names: [Int: String] = [:]
  private var jobsOfNumber: [Int: [Job]] = [:]
  private var counts = Counts()
  private var changedJobs: [Job] = []
  private var changedThreads: [Int] = []
  private var changes: [TraceLog.Change] = []
  private var newRows: [TraceLog.Row] = []

  /// The objects whose jobs are tasks that leave their threads without an event.
  private(set) var loose: Set<ObjectKey>

  init(loose: Set<ObjectKey> = []) { self.loose = loose }

  /// True if a job has begun and not ended.
  func isOpen(_ job: Job) -> Bool {
    guard let state = jobs[elements[job] ?? job] else { return false }
    return state.hasBegun && !state.isOver
  }

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
    let element = threads[event.thread]?.element
    switch event.kind {
    case .start, .end, .suspend, .resume, .wait: threads[event.thread]?.element = nil
    default: break
    }
    let named = Job(event)
    let job = elements[named] ?? named
    let isMain = event.label == "main"
    switch event.kind {
    case .submit where event.task != nil && !isMain:
      if jobs[job] == nil || jobs[job]?.isOver == true { add(job) }
    case .start: start(named, event, within: element)
    case .end: end(named, job, event)
    case .suspend: leave(job)
    case .resume: move(job, to: event.thread)
    case .wait: wait(event)
    case .acquired, .timeout, .cancel:
      if let waiter = event.job, jobs[waiter]?.awaits != nil {
        jobs[waiter]?.awaits = nil
        changedJobs.append(waiter)
      }
      let lonely = lonelyWait(event)
      if jobs[lonely] != nil {
        jobs[lonely]?.isOver = true
        changedJobs.append(lonely)
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
    addRow(
      event.isMain
        ? TraceLog.Row(id: Self.mainRow, group: "main", name: "main", number: nil)
        : TraceLog.Row(
          id: "t\(event.thread)", group: "threads", name: "thread \(event.thread)",
          number: event.thread))
    if event.isMain { mainThread = event.thread }
  }

  private static let mainRow = "main"
  private var mainThread: Int?

  private func row(of thread: Int) -> String { thread == mainThread ? Self.mainRow : "t\(thread)" }

  private mutating func addRow(_ row: TraceLog.Row) {
    rows[row.id] = row
    newRows.append(row)
  }

  /// The label of an object, with a number from the second of this label on.
  private mutating func name(of job: Job) -> String {
    var known = objects[job.label] ?? []
    let place = known.firstIndex(of: job.object) ?? known.count
    if place == known.count {
      known.append(job.object)
      objects[job.label] = known
    }
    var name = job.label
    for prefix in ["com.apple.root.", "com.apple."] where name.hasPrefix(prefix) {
      name.removeFirst(prefix.count)
    }
    return place == 0 ? name : "\(name) #\(place + 1)"
  }

  private mutating func describe(_ job: Job, as id: String) {
    let group = name(of: job)
    addRow(
      TraceLog.Row(
        id: id, group: group, name: names[job.task] ?? "\(group) \(job.task)", number: job.task))
    jobsOfNumber[job.task, default: []].append(job)
  }

  private mutating func add(_ job: Job) {
    let id = jobs[job]?.row ?? "j\(name(of: job)) \(job.task)"
    let isNew = jobs[job] == nil
    let shown = jobs[job]?.shown
    jobs[job] = JobState(row: id)
    jobs[job]?.shown = shown
    if isNew { describe(job, as: id) }
    changedJobs.append(job)
  }

  // MARK: - Jobs and threads

  /// True for the label of a map or a window: the place of its call.
  static func isElement(_ job: Job?) -> Bool {
    guard let label = job?.label, let colon = label.lastIndex(of: ":") else { return false }
    return label[..<colon].hasSuffix(".swift") && label[colon...].dropFirst().allSatisfy(\.isNumber)
  }

  private mutating func start(_ named: Job, _ event: TraceLog.Event, within element: Job?) {
    let thread = event.thread
    if named.label == "main" {
      threads[thread]?.jobs.append(nil)
      return changedThreads.append(thread)
    }
    if let element, let row = jobs[element]?.row, jobs[named] == nil, !Self.isElement(named) {
      elements[named] = element
      describe(named, as: row)
      return move(element, to: thread)
    }
    // A task that begins where an element is finds no element there.
    while let element = job(of: thread), Self.isElement(element), element != named {
      loosen(element)
    }
    if jobs[named] == nil || jobs[named]?.isOver == true { add(named) }
    jobs[named]?.hasBegun = true
    jobs[named]?.awaits = nil
    if Self.isElement(named) { threads[thread]?.element = named }
    if loose.contains(ObjectKey(event)) { leave(named) } else { move(named, to: thread) }
  }

  private mutating func end(_ named: Job, _ job: Job, _ event: TraceLog.Event) {
    if named.label == "main" {
      if let place = threads[event.thread]?.jobs.lastIndex(of: nil) {
        threads[event.thread]?.jobs.remove(at: place)
      }
      return changedThreads.append(event.thread)
    }
    if elements.removeValue(forKey: named) != nil { return }
    guard let state = jobs[job], state.hasBegun, !state.isOver else { return }
    if let thread = state.thread, thread != event.thread { loosen(job) }
    leave(job)
    for label in state.holds.sorted() { release(label, by: job) }
    jobs[job]?.isOver = true
    jobs[job]?.awaits = nil
  }

  /// Takes the jobs of an object for tasks that leave their threads without an event.
  private mutating func loosen(_ job: Job) {
    loose.insert(ObjectKey(job))
    leave(job)
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
    if let waiter = event.job, jobs[waiter] != nil {
      leave(waiter)
      jobs[waiter]?.awaits = event.label
    } else if event.task != nil {
      let waiter = lonelyWait(event)
      add(waiter)
      jobs[waiter]?.hasBegun = true
      jobs[waiter]?.awaits = event.label
    }
  }

  /// The job that stands for a task of which only the wait is known.
  private func lonelyWait(_ event: TraceLog.Event) -> Job {
    Job(object: event.object, label: "\(event.label) wait", task: event.task ?? 0)
  }

  private mutating func setWait(_ label: String?, on thread: Int) {
    threads[thread]?.waits = label
    changedThreads.append(thread)
    changedJobs += threads[thread]?.jobs.compactMap(\.self) ?? []
  }

  private mutating func hold(_ label: String, by job: Job) {
    guard let state = jobs[job], !state.isOver, !state.holds.contains(label) else { return }
    jobs[job]?.holds.insert(label)
    changes.append(TraceLog.Change(row: state.row, state: .holding, subject: label))
  }

  private mutating func release(_ label: String, by job: Job) {
    guard jobs[job]?.holds.remove(label) != nil, let row = jobs[job]?.row else { return }
    changes.append(TraceLog.Change(row: row, state: .released, subject: label))
  }

  /// The notes after which a thread waits, and that for which it does.
  private static let waits = ["group wait": "the group", "loop wait": "the other blocks"]

  private mutating func note(_ event: TraceLog.Event) {
    if let awaited = Self.waits[event.label] { return setWait(awaited, on: event.thread) }
    guard event.label.hasPrefix("name ") else { return }
    let name = String(event.label.dropFirst("name ".count))
    guard let number = event.task, number > 0 else { return rename(row(of: event.thread), name) }
    names[number] = name
    for job in jobsOfNumber[number] ?? [] {
      if let id = jobs[elements[job] ?? job]?.row { rename(id, name) }
    }
  }

  private mutating func rename(_ id: String, _ name: String) {
    guard var row = rows[id] else { return }
    row.name = name
    addRow(row)
  }

  // MARK: - The states

  private func state(of job: JobState) -> (TraceLog.State, subject: String) {
    if job.isOver { return (.done, "") }
    if !job.hasBegun { return (.queued, rows[job.row]?.group ?? "") }
    if let thread = job.thread {
      if let label = threads[thread]?.waits { return (.waiting, label) }
      return (.running, thread == mainThread ? "main" : "thread \(thread)")
    }
    if let label = job.awaits { return (.waiting, label) }
    return (.suspended, rows[job.row]?.group ?? "")
  }

  private mutating func showJob(_ job: Job) {
    guard let state = jobs[job] else { return }
    let (now, subject) = self.state(of: state)
    if let shown = state.shown, shown.state == now && shown.subject == subject { return }
    count(state.shown?.state, -1)
    count(now, 1)
    jobs[job]?.shown = (now, subject)
    changes.append(TraceLog.Change(row: state.row, state: now, subject: subject))
  }

  private mutating func showThread(_ thread: Int) {
    guard let state = threads[thread] else { return }
    let isAlone = !state.jobs.contains { $0 != nil }
    let now: (state: TraceLog.State, subject: String) =
      if let label = state.waits {
        (.waiting, label)
      } else if let top = state.jobs.last {
        (.running, top.flatMap { jobs[$0]?.row.dropFirst() }.map(String.init) ?? "main")
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
  public enum State: String, Sendable {
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
  public struct Row: Sendable, Equatable {
    /// `main`, `t` and the number of a thread, or `j` and the name of a job.
    public var id: String
    /// The label of the rows that belong together.
    public var group: String
    /// The name to show.
    public var name: String
    /// The number of the thread or job.
    public var number: Int?
  }

  /// A row has another state from an event on.
  public struct Change: Sendable, Equatable {
    /// The identity of the row.
    public var row: String
    /// The state.
    public var state: State
    /// What the row runs, waits for, holds, or is run by.
    public var subject: String
  }
}

extension TraceLog.ObjectKey {
  /// The object of a job.
  init(_ job: TraceLog.Job) {
    number = job.object ?? 0
    label = job.object == nil ? job.label : ""
  }
}
