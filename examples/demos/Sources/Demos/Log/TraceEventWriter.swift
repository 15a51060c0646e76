// A run as Trace Event JSON, for ui.perfetto.dev and chrome://tracing.
//
// DESIGN. The recorder writes this format too, but knows neither the main queue nor suspended
// tasks: it would draw a sleeping task on a thread. The state of the live view knows both, so the
// writer applies one event after the other to it, and writes what has changed.

/// Writes a log: a row for each thread and each job, counters, marks and arrows.
struct TraceEventWriter {
  private let events: [TraceLog.Event]
  private var state = LiveState()
  private var text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":["
  private var hasEvent = false
  /// The slices that are open on each thread, the outermost first.
  private var slices: [Int: [String]] = [:]
  /// The rows of the jobs by number, and the state that each shows.
  private var rows: [TraceLog.Job: (number: Int, part: String?)] = [:]
  /// The jobs of each label that run, without those that wait or are suspended.
  private var running: [String: Int] = [:]
  private var counts: [String: Int] = [:]
  /// For the event at which an arrow begins, and for that at which it ends: the number of the arrow.
  private var arrows: (out: [Int: Int], into: [Int: Int]) = ([:], [:])

  /// Returns the bytes of the file.
  static func bytes(_ log: TraceLog) -> [UInt8] {
    var writer = TraceEventWriter(log.events)
    for index in log.events.indices { writer.write(index) }
    return Array((writer.text + "\n]}\n").utf8)
  }

  private init(_ events: [TraceLog.Event]) {
    self.events = events
    var begins: [TraceLog.Job: Int] = [:]
    for (index, event) in events.enumerated() {
      switch event.kind {
      case .submit, .wake: begins[TraceLog.Job(event)] = index
      case .start, .acquired:
        guard let begin = begins.removeValue(forKey: TraceLog.Job(event)) else { break }
        arrows.out[begin] = index
        arrows.into[index] = index
      default: break
      }
    }
  }

  private mutating func write(_ index: Int) {
    let event = events[index]
    if slices[event.thread] == nil {
      slices[event.thread] = []
      open("M", event, "thread_name")
      text += ",\"args\":{\"name\":\"\(event.isMain ? "main" : "thread \(event.thread)")\"}}"
      open("M", event, "thread_sort_index")
      text += ",\"args\":{\"sort_index\":\(event.thread)}}"
    }
    state.apply(event)
    for thread in state.threads.keys.sorted() { writeSlices(of: thread, event) }
    for job in [TraceLog.Job(event), event.job].compactMap(\.self) {
      writePart(of: job, event)
    }
    writeCounts(event)
    writePoint(index, event)
  }

  /// Ends and begins slices of a thread, so that those of its jobs and of its wait are open.
  private mutating func writeSlices(of thread: Int, _ event: TraceLog.Event) {
    let wait = state.waitingThreads[thread].map { ["wait \($0)"] } ?? []
    let new = (state.threads[thread] ?? []).map { "\($0.label) \($0.task)" } + wait
    let old = slices[thread] ?? []
    guard new != old else { return }
    let common = zip(new, old).prefix { $0 == $1 }.count
    for name in old[common...].reversed() {
      open("E", event, name, thread: thread)
      text += "}"
    }
    for (place, name) in new.enumerated().dropFirst(common) {
      open("B", event, name, thread: thread)
      text += ",\"cat\":\"\(place < new.count - wait.count ? "job" : "wait")\"}"
    }
    slices[thread] = new
  }

  /// Shows the state of a job in its row, which begins and ends with the job.
  private mutating func writePart(of job: TraceLog.Job, _ event: TraceLog.Event) {
    guard let jobState = state.jobs[job] else { return }
    let new: String? =
      switch jobState {
      case .queued: "pending"
      case .waiting: "waits for \(event.label)"
      case .running: "running"
      case .suspended: "suspended"
      case .done: nil
      }
    let row = rows[job] ?? (rows.count + 1, nil)
    guard new != row.part else { return }
    func writeRow(_ writer: inout TraceEventWriter, _ phase: Character, _ name: String) {
      writer.open(phase, event, name)
      writer.text += ",\"cat\":\"life\",\"id2\":{\"local\":\"0x\(String(row.number, radix: 16))\"}}"
    }
    let name = "\(job.label) \(job.task)"
    if let part = row.part { writeRow(&self, "e", part) } else { writeRow(&self, "b", name) }
    if let new { writeRow(&self, "b", new) } else { writeRow(&self, "e", name) }
    rows[job] = (row.number, new)
    running[job.label, default: 0] += (new == "running" ? 1 : 0) - (row.part == "running" ? 1 : 0)
    write(count: running[job.label], "running", of: job.label, event)
  }

  private mutating func writeCounts(_ event: TraceLog.Event) {
    let free = event.kind == .permits ? event.free ?? event.value : event.free
    write(count: event.queued, "queued", of: event.label, event)
    write(count: free, "free", of: event.label, event)
    write(count: free == nil ? event.inUse : nil, "in_use", of: event.label, event)
    write(count: event.inUse == nil ? nil : event.waiting, "waiting", of: event.label, event)
    let isGroup = event.kind == .enter || event.kind == .leave
    write(count: isGroup ? event.value : nil, "outstanding", of: event.label, event)
  }

  private mutating func write(
    count: Int?, _ measure: String, of label: String, _ event: TraceLog.Event
  ) {
    guard let count, counts.updateValue(count, forKey: "\(measure) \(label)") != count else {
      return
    }
    open("C", event, label, thread: 0)
    text += ",\"args\":{\"\(measure)\":\(count)}}"
  }

  /// Writes a point for an end of an arrow, and a mark for any other event without a slice.
  private mutating func writePoint(_ index: Int, _ event: TraceLog.Event) {
    let name = event.kind == .note ? event.label : "\(event.kind.rawValue) \(event.label)"
    if let arrow = arrows.out[index] ?? arrows.into[index] {
      open("X", event, "\(name) \(event.task ?? 0)")
      text += ",\"cat\":\"point\",\"dur\":0,\"bind_id\":\"0x\(String(arrow + 1, radix: 16))\""
      text += ",\"flow_\(arrows.out[index] == nil ? "in" : "out")\":true}"
    } else if ![.start, .end, .wait, .suspend, .resume, .permits].contains(event.kind) {
      open("i", event, name)
      text += ",\"cat\":\"mark\",\"s\":\"t\""
      text += ",\"args\":{\"task\":\(event.task ?? 0),\"value\":\(event.value)}}"
    }
  }

  /// Begins an event on a thread; that of the log's event if none is named.
  private mutating func open(
    _ phase: Character, _ event: TraceLog.Event, _ name: String, thread: Int? = nil
  ) {
    text += hasEvent ? ",\n" : "\n"
    hasEvent = true
    text += "{\"ph\":\"\(phase)\",\"pid\":1,\"tid\":\(thread ?? event.thread)"
    if phase != "M" { text += ",\"ts\":\(Self.microseconds(event.time))" }
    text += ",\"name\":"
    JSONText.write(name, to: &text)
  }

  private static func microseconds(_ nanoseconds: UInt64) -> String {
    let rest = "\(1000 + nanoseconds % 1000)".dropFirst()
    return nanoseconds % 1000 == 0 ? "\(nanoseconds / 1000)" : "\(nanoseconds / 1000).\(rest)"
  }
}
