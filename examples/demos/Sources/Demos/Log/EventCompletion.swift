// The facts about an event that earlier events tell.
//
// DESIGN. The recorder knows neither the main queue, nor that a Swift task is suspended, nor the
// number of permits of a gate: it counts the free permits from the most that were in use at once.
// The demos report these facts by events of the kinds that the recorder has, and this walk
// recognises them: for a whole log, and for events that arrive one by one. It leaves completed
// events as they are, so a log can be written and read again.
//
// RunState then has the states that the event leaves.
//
// - The main queue's blocks have the label "main". All events in them are events of one thread,
//   and so are those of a thread that has the note "main".
// - A WAIT in lane 1 of a set of tasks, with the number of a task that runs, suspends this task. An
//   ACQUIRED with this number resumes it.
// - The note "permits LABEL" has the number of permits of the gate or semaphore LABEL.

/// Completes events in the order of time.
struct EventCompletion {
  private typealias ObjectKey = TraceLog.ObjectKey

  private struct WaitKey: Hashable {
    var object: ObjectKey
    var task: Int
    var thread: Int
  }

  private struct Gate {
    /// The permits in use; below 0 if more were returned than taken.
    var inUse = 0
    var waiting = 0
    /// The waits whose WAKE has counted their permits.
    var granted: Set<Int> = []
  }

  private struct Queue {
    var queued: Set<Int> = []
    var running = 0
  }

  private static let permitsNote = "permits "

  /// The numbers of the threads; that of the main queue is under nil.
  private var numbers: [Int?: Int] = [:]
  private var mainThreads: Set<Int> = []
  /// The open blocks of the main queue on each thread.
  private var mainBlocks: [Int: Set<TraceLog.Job>] = [:]
  /// The states of the threads and the jobs.
  private(set) var states: RunState
  /// The jobs that have begun and not ended.
  private var begun: Set<TraceLog.Job> = []
  private var waits: [WaitKey: TraceLog.Job?] = [:]
  private var gates: [ObjectKey: Gate] = [:]
  private var gateOfLabel: [String: ObjectKey] = [:]
  private var permits: [String: Int] = [:]
  private var queues: [ObjectKey: Queue] = [:]
  private var groups: Set<ObjectKey> = []

  /// - Parameter loose: The objects whose jobs leave their threads without an event.
  init(loose: Set<TraceLog.ObjectKey> = []) { states = RunState(loose: loose) }

  /// Completes the next event.
  mutating func complete(_ event: inout TraceLog.Event) {
    findThread(&event)
    recognise(&event)
    switch event.kind {
    case .submit, .start, .end, .suspend, .resume: completeJob(&event)
    case .wait, .acquired, .timeout, .signal, .wake, .cancel: completeWait(&event)
    case .permits:
      permits[event.label] = event.value
      if let key = gateOfLabel[event.label], let gate = gates[key] { count(gate, &event) }
    case .enter, .leave: groups.insert(ObjectKey(event))
    case .note: break
    }
    states.apply(&event)
  }

  // MARK: - Threads

  private mutating func findThread(_ event: inout TraceLog.Event) {
    let thread = event.thread
    let block = TraceLog.Job(event)
    let isMainBlock = event.label == "main" && (event.kind == .start || event.kind == .end)
    if isMainBlock && event.kind == .start { mainBlocks[thread, default: []].insert(block) }
    if event.kind == .note && event.label == "main" { mainThreads.insert(thread) }
    event.isMain = mainThreads.contains(thread) || mainBlocks[thread]?.isEmpty == false
    if isMainBlock && event.kind == .end {
      for other in mainBlocks.keys { mainBlocks[other]?.remove(block) }
    }
    let key = event.isMain ? nil : thread
    event.thread = numbers[key] ?? numbers.count + 1
    numbers[key] = event.thread
  }

  // MARK: - Jobs

  private mutating func recognise(_ event: inout TraceLog.Event) {
    if event.kind == .note, event.label.hasPrefix(Self.permitsNote) {
      event.kind = .permits
      event.label.removeFirst(Self.permitsNote.count)
    }
    guard event.task != nil, event.kind == .acquired || event.kind == .wait && event.lane == 1
    else { return }
    if states.isOpen(TraceLog.Job(event)) { event.kind = event.kind == .wait ? .suspend : .resume }
  }

  private mutating func completeJob(_ event: inout TraceLog.Event) {
    guard let task = event.task else { return }
    let job = TraceLog.Job(event)
    let key = ObjectKey(event)
    switch event.kind {
    case .submit: queues[key, default: Queue()].queued.insert(task)
    case .start:
      queues[key, default: Queue()].queued.remove(task)
      if begun.insert(job).inserted { queues[key, default: Queue()].running += 1 }
    case .end:
      if begun.remove(job) != nil { queues[key, default: Queue()].running -= 1 }
    default:
      if states.isOpen(job) { event.job = job }
      return
    }
    count(queues[key, default: Queue()], &event)
  }

  // MARK: - Permits

  private mutating func completeWait(_ event: inout TraceLog.Event) {
    let key = ObjectKey(event)
    if groups.contains(key) { return }
    let task = event.task ?? 0
    let wait = WaitKey(object: key, task: task, thread: task == 0 ? event.thread : 0)
    if queues[key] != nil {
      // A job that is dropped, or a wait for a place in the backlog of lanes.
      if event.kind == .cancel { queues[key]?.queued.remove(task) }
      return count(queues[key, default: Queue()], &event)
    }
    gateOfLabel[event.label] = key
    let top = states.job(of: event.thread)
    switch event.kind {
    case .wait:
      gates[key, default: Gate()].waiting += 1
      event.job = top
      waits[wait] = .some(top)
    case .wake:
      event.job = waits[wait] ?? nil
      if task != 0, gates[key, default: Gate()].granted.insert(task).inserted {
        gates[key]?.inUse += event.value
        gates[key]?.waiting -= waits[wait] == nil ? 0 : 1
      }
    case .acquired:
      let known = waits.removeValue(forKey: wait)
      event.job = known ?? top
      if task == 0 || gates[key, default: Gate()].granted.remove(task) == nil {
        gates[key, default: Gate()].inUse += event.value
        gates[key]?.waiting -= known == nil ? 0 : 1
      }
    case .timeout, .cancel:
      let known = waits.removeValue(forKey: wait)
      event.job = known ?? top
      gates[key, default: Gate()].waiting -= known == nil ? 0 : 1
    default:
      event.job = top
      gates[key, default: Gate()].inUse -= event.value
      if permits[event.label] == nil, gates[key, default: Gate()].inUse < 0 {
        gates[key]?.inUse = 0
      }
    }
    count(gates[key, default: Gate()], &event)
  }

  private func count(_ queue: Queue, _ event: inout TraceLog.Event) {
    event.queued = event.queued ?? queue.queued.count
    event.running = event.running ?? queue.running
  }

  private func count(_ gate: Gate, _ event: inout TraceLog.Event) {
    event.inUse = max(0, gate.inUse)
    event.free = permits[event.label].map { max(0, $0 - gate.inUse) }
    event.waiting = event.waiting ?? gate.waiting
  }
}
