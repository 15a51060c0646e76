// Recordings: events are written and read back, and a log of any events has a timeline and a page.

import Demos

enum TraceProperty {
  static func check(_ input: inout FuzzInput) throws {
    let text = input.all()
    let log: TraceLog
    do {
      log = try TraceLog(jsonLines: text)
    } catch {
      try expect(error.line > 0 && !error.reason.isEmpty, "an error without its line")
      return
    }
    let written = log.jsonLines
    let again = try TraceLog(jsonLines: written)
    try expect(again.events.count == log.events.count, "other events are read back")
    for (event, same) in zip(log.events, again.events) {
      try expect(normal(event) == normal(same), "\(same) is read back, not \(event)")
    }
    try expect(
      written.utf8.count { $0 == 0x0A } == log.events.count, "an event is not one line")
    if log.events.count > 64 { return }
    let timeline = Timeline(log)
    try expect(timeline.duration >= (log.events.last?.time ?? 0), "a timeline is too short")
    for row in timeline.threads.flatMap(\.slices) + timeline.tasks.flatMap(\.slices) {
      try expect(row.begin <= row.end ?? row.begin, "a slice ends before it begins")
    }
  }

  /// An event as it is read back: both numbers of a pair are written.
  private static func normal(_ event: TraceLog.Event) -> TraceLog.Event {
    var event = event
    if event.queued != nil { event.running = event.running ?? 0 } else { event.running = nil }
    if event.free != nil { event.waiting = event.waiting ?? 0 } else { event.waiting = nil }
    return event
  }
}
