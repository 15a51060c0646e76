// The events of a log in words: for the table of a page.

/// The table of the events.
struct EventTable {
  let events: ArraySlice<TraceLog.Event>
  let threadNames: [Int: String]
  let scale: TimeScale

  /// The rows of the table, as HTML.
  var rows: String {
    events.enumerated().reduce(into: "") { rows, item in
      let event = item.element
      rows += "<tr id=\"e\(item.offset)\"><td>\(item.offset + 1)</td>"
      rows += "<td>\(HTMLText.escape(TimeScale.text(event.time, unit: scale.span)))</td>"
      rows += "<td>\(HTMLText.label(threadName(event.thread), most: 24))</td>"
      rows += "<td class=\"kind\">\(Self.name(event.kind))</td>"
      rows += "<td>\(HTMLText.label(event.label))</td>"
      rows += "<td>\(event.task.map(String.init) ?? "")</td>"
      rows += "<td>\(Self.detail(event))</td></tr>\n"
    }
  }

  private func threadName(_ number: Int) -> String {
    threadNames[number] ?? "thread \(number)"
  }

  /// Returns the name of a kind of event, as the lines of a demo print it.
  static func name(_ kind: TraceLog.Kind) -> String {
    kind == .timeout ? "TIMED OUT" : kind.rawValue.uppercased()
  }

  private static func detail(_ event: TraceLog.Event) -> String {
    var parts: [String] = []
    switch event.kind {
    case .signal:
      if let woken = event.woken { parts.append(woken ? "thread woken" : "nobody woken") }
    case .enter, .leave: parts.append("\(event.value) outstanding")
    case .wait, .acquired, .wake:
      if event.value != 1 { parts.append("\(event.value) permits") }
    case .note:
      if event.value != 0 { parts.append("value \(event.value)") }
    case .permits: parts.append("\(event.value) permits")
    case .submit, .start, .end, .timeout, .cancel, .suspend, .resume: break
    }
    if let free = event.free { parts.append("\(free) free") }
    if let inUse = event.inUse { parts.append("\(inUse) in use") }
    if let waiting = event.waiting { parts.append("\(waiting) waiting") }
    if let queued = event.queued { parts.append("\(queued) queued") }
    if let running = event.running { parts.append("\(running) running") }
    return parts.joined(separator: ", ")
  }
}
