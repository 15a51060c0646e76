// The facts about an event that earlier events tell.
//
// DESIGN. The recorder knows neither the main queue, nor that a Swift task is suspended, nor the
// number of permits of a gate. The demos report these facts by events of the kinds that the recorder
// has, and this walk recognises them: for a whole log, and for events that arrive one by one. It leaves
// completed events as they are. RunState then has the states that the event leaves.
//
// - The main queue's blocks have the label "main". All events in them are events of one thread.
// - A WAIT in lane 1 of a set of tasks, with the number of a task that runs, suspends this task. An
//   ACQUIRED with this number resumes it.
// - The note "permits LABEL" has the number of permits of the gate or semaphore LABEL.

/// Completes events in the order of time.
struct EventCompletion {
  private struct WaitKey: Hashable {
    var object: String
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

  private static let permitsNote = "permits "

  /// The numbers of the threads; that of the main queue is under nil.
  private var numbers: [Int?: Int] = [:]
  /// The open blocks of the main queue on each thread.
  private var mainBlocks: [Int: Set<TraceLog.Job>] = [:]
  private var states = RunState()
  private var waits: [WaitKey: TraceLog.Job?] = [:]
  private var gates: [String: Gate] = [:]
  private var permits: [String: Int] = [:]
  /// The queues, the sets of tasks and the groups: waits for them are not for permits.
  private var others: Set<String> = []

  mutating func complete(_ event: inout TraceLog.Event) {
    findThread(&event)
    recognise(&event)
    switch event.kind {
    case .submit, .start, .end, .enter, .leave: others.insert(event.key)
    case .suspend, .resume: event.job = TraceLog.Job(event)
    case .wait, .acquired, .timeout, .signal, .wake, .cancel:
      if !others.contains(event.key) { completeWait(&event) }
    case .permits: permits[event.label] = event.value
    case .note: break
    }
    states.apply(&event)
  }

  private mutating func findThread(_ event: inout TraceLog.Event) {
    let thread = event.thread
    let block = TraceLog.Job(event)
    let isMainBlock = event.label == "main" && (event.kind == .start || event.kind == .end)
    if isMainBlock && event.kind == .start { mainBlocks[thread, default: []].insert(block) }
    event.isMain = mainBlocks[thread]?.isEmpty == false
    if isMainBlock && event.kind == .end {
      for other in mainBlocks.keys { mainBlocks[other]?.remove(block) }
    }
    let key = event.isMain ? nil : thread
    event.thread = numbers[key] ?? numbers.count + 1
    numbers[key] = event.thread
  }

  private mutating func recognise(_ event: inout TraceLog.Event) {
    if event.kind == .note, event.label.hasPrefix(Self.permitsNote) {
      event.kind = .permits
      event.label.removeFirst(Self.permitsNote.count)
    }
    guard event.task != nil, event.kind == .acquired || event.kind == .wait && event.lane == 1
    else { return }
    if states.isOpen(TraceLog.Job(event)) { event.kind = event.kind == .wait ? .suspend : .resume }
  }

  private mutating func completeWait(_ event: inout TraceLog.Event) {
    let task = event.task ?? 0
    let wait = WaitKey(object: event.key, task: task, thread: task == 0 ? event.thread : 0)
    let top = states.job(of: event.thread)
    var gate = gates[event.key] ?? Gate()
    switch event.kind {
    case .wait:
      gate.waiting += 1
      event.job = top
      waits[wait] = .some(top)
    case .wake:
      event.job = waits[wait] ?? nil
      if task != 0, gate.granted.insert(task).inserted {
        gate.inUse += event.value
        gate.waiting -= waits[wait] == nil ? 0 : 1
      }
    case .acquired:
      let known = waits.removeValue(forKey: wait)
      event.job = known ?? top
      if task == 0 || gate.granted.remove(task) == nil {
        gate.inUse += event.value
        gate.waiting -= known == nil ? 0 : 1
      }
    case .timeout, .cancel:
      let known = waits.removeValue(forKey: wait)
      event.job = known ?? top
      gate.waiting -= known == nil ? 0 : 1
    default:
      event.job = top
      gate.inUse -= event.value
    }
    gates[event.key] = gate
    event.free = permits[event.label].map { max(0, $0 - gate.inUse) }
    event.waiting = gate.waiting
  }
}
