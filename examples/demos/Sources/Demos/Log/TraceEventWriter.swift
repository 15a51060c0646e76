// A run as Trace Event JSON, for ui.perfetto.dev and chrome://tracing.
//
// DESIGN. The recorder writes this format too, but knows neither the main queue nor suspended
// tasks: it would draw a sleeping task on a thread. The timeline knows both.

/// Writes a timeline: a row for each thread and each task, counters, marks and arrows.
struct TraceEventWriter {
  private let timeline: Timeline
  private var text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":["
  private var hasEvent = false
  /// For the event at which an arrow begins: the event at which it ends.
  private var arrows: [Int: Int] = [:]
  /// The events that begin a slice of a thread.
  private var begins: Set<Int> = []

  /// Returns the bytes of the file.
  static func bytes(_ timeline: Timeline) -> [UInt8] {
    var writer = TraceEventWriter(timeline)
    for thread in timeline.threads { writer.write(thread) }
    writer.writePoints()
    for (index, row) in timeline.tasks.enumerated() { writer.write(row, index) }
    for curve in timeline.curves { writer.write(curve) }
    return Array((writer.text + "\n]}\n").utf8)
  }

  private init(_ timeline: Timeline) {
    self.timeline = timeline
    let slices = timeline.threads.flatMap(\.slices)
    begins = Set(slices.map(\.firstEvent))
    let ended = Set(slices.filter { $0.end != nil }.map(\.firstEvent))
    for slice in timeline.tasks.flatMap(\.slices) where slice.kind == .queued {
      if let start = slice.lastEvent, ended.contains(start) { arrows[slice.firstEvent] = start }
    }
    var woken: [TraceLog.Job: Int] = [:]
    for (index, event) in timeline.log.events.enumerated() {
      guard let task = event.task else { continue }
      let wait = TraceLog.Job(object: event.object, label: event.label, task: task)
      if event.kind == .wake { woken[wait] = index }
      if event.kind == .acquired, let wake = woken.removeValue(forKey: wait) {
        arrows[wake] = index
      }
    }
  }

  // MARK: - Threads

  private mutating func write(_ thread: Timeline.ThreadRow) {
    open("M", thread.number, nil, "thread_name")
    text += ",\"args\":{\"name\":"
    JSONText.write(thread.name, to: &text)
    text += "}}"
    open("M", thread.number, nil, "thread_sort_index")
    text += ",\"args\":{\"sort_index\":\(thread.number)}}"
    let targets = Set(arrows.values)
    for slice in thread.slices {
      let isWait = slice.kind == .waiting
      let name =
        isWait ? "wait \(slice.label)" : slice.row.map { timeline.tasks[$0].name } ?? slice.label
      open(slice.end == nil ? "B" : "X", thread.number, slice.begin, name)
      text += ",\"cat\":\"\(isWait ? "wait" : "job")\""
      if let end = slice.end {
        text += ",\"dur\":\(Self.microseconds(end - slice.begin))"
        if !isWait && targets.contains(slice.firstEvent) { writeFlow(slice.firstEvent, "in") }
      }
      text += "}"
    }
  }

  /// The events that have no length.
  private mutating func writePoints() {
    let events = timeline.log.events
    var next: [Int: UInt64] = [:]
    var lengths = events.map { _ in 0 as UInt64 }
    for index in events.indices.reversed() {
      let event = events[index]
      lengths[index] = min(1000, (next[event.thread] ?? event.time + 1000) - event.time)
      next[event.thread] = event.time
    }
    let targets = Set(arrows.values)
    for (index, event) in events.enumerated() {
      let number = event.kind == .submit ? " \(event.task ?? 0)" : ""
      switch event.kind {
      case .submit, .signal, .wake, .acquired:
        open("X", event.thread, event.time, "\(event.kind.rawValue) \(event.label)\(number)")
        text += ",\"cat\":\"point\",\"dur\":\(Self.microseconds(lengths[index]))"
        if let target = arrows[index] {
          writeFlow(target, "out")
        } else if targets.contains(index) {
          writeFlow(index, "in")
        }
        text += ",\"args\":{\"count\":\(event.value)}}"
      case .start where begins.contains(index), .end, .wait, .suspend, .resume, .permits: break
      default:
        let kind = event.kind == .note ? "" : "\(event.kind.rawValue) "
        open("i", event.thread, event.time, kind + event.label)
        text += ",\"cat\":\"mark\",\"s\":\"t\""
        text += ",\"args\":{\"task\":\(event.task ?? 0),\"value\":\(event.value)}}"
      }
    }
  }

  // MARK: - Tasks

  /// A row: its name, in it the states, and within a running part the waits.
  private mutating func write(_ row: Timeline.TaskRow, _ index: Int) {
    var parts: [(event: Int, order: Int, time: UInt64, phase: Character, name: String)] = []
    for slice in row.slices {
      let name =
        switch slice.kind {
        case .queued: "pending"
        case .waiting: "waits for \(slice.label)"
        case .running: "running"
        case .suspended: "suspended"
        }
      parts.append((slice.firstEvent, 10 + slice.depth, slice.begin, "b", name))
      if let end = slice.end, let event = slice.lastEvent {
        parts.append((event, -slice.depth, end, "e", name))
      }
    }
    parts.sort { ($0.event, $0.order) < ($1.event, $1.order) }
    guard let first = parts.first, let last = parts.last else { return }
    parts.insert((first.event, 0, first.time, "b", row.name), at: 0)
    if !row.slices.contains(where: { $0.end == nil }) {
      parts.append((last.event, 0, last.time, "e", row.name))
    }
    for part in parts {
      open(part.phase, row.slices.first?.thread ?? 0, part.time, part.name)
      text += ",\"cat\":\"\(row.isWait ? "wait" : "life")\""
      text += ",\"id2\":{\"local\":\"0x\(String(index + 1, radix: 16))\"}}"
    }
  }

  private mutating func write(_ curve: Timeline.Curve) {
    for step in curve.steps {
      open("C", 0, step.time, curve.subject)
      text += ",\"args\":{\"\(curve.measure.rawValue)\":\(step.value)}}"
    }
  }

  // MARK: - Parts of an event

  private mutating func open(
    _ phase: Character, _ thread: Int, _ time: UInt64?, _ name: String
  ) {
    text += hasEvent ? ",\n" : "\n"
    hasEvent = true
    text += "{\"ph\":\"\(phase)\",\"pid\":1,\"tid\":\(thread)"
    if let time { text += ",\"ts\":\(Self.microseconds(time))" }
    text += ",\"name\":"
    JSONText.write(name, to: &text)
  }

  /// An arrow has the number of the event to which it points.
  private mutating func writeFlow(_ target: Int, _ direction: String) {
    text += ",\"bind_id\":\"0x\(String(target + 1, radix: 16))\",\"flow_\(direction)\":true"
  }

  private static func microseconds(_ nanoseconds: UInt64) -> String {
    let rest = "\(1000 + nanoseconds % 1000)".dropFirst()
    return nanoseconds % 1000 == 0 ? "\(nanoseconds / 1000)" : "\(nanoseconds / 1000).\(rest)"
  }
}
