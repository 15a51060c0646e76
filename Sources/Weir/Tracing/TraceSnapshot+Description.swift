// A snapshot as text.

extension TraceSnapshot: CustomStringConvertible {
  /// The state as text for people, a line for each object, holder, job and wait.
  public var description: String {
    (gates.map(\.text) + lanes.map(\.text) + groups.map(\.text)).flatMap { $0 }
      .joined(separator: "\n")
  }
}

extension TraceSnapshot.Wait {
  fileprivate var text: String {
    let waiter = thread.map { "thread \($0)" } ?? "a task or submitted work"
    let event = isForRoom ? "room in the backlog" : permits > 0 ? "\(permits)" : "the end"
    return "  \(waiter) waits for \(event), for \(duration.short)"
  }
}

extension TraceSnapshot.Job {
  fileprivate var text: String {
    "  job \(number) on lane \(lane), thread \(thread)" + running(duration)
  }
}

extension TraceSnapshot.Holder {
  fileprivate var text: String {
    let holder = lanes.map { "job \(job ?? 0) of \(quoted($0)) took" } ?? "work holds"
    return "  \(holder) \(permits), thread \(thread)" + running(duration)
  }
}

extension TraceSnapshot.GateState {
  fileprivate var text: [String] {
    var first = "gate \(quoted(label)): \(inUse) of \(permits) permits in use"
    if !waits.isEmpty { first += ", \(waits.count) waiting" }
    if isClosed { first += ", closed" } else if permits == 0 { first += ", paused" }
    return [first] + holders.map(\.text) + waits.map(\.text)
  }
}

extension TraceSnapshot.LanesState {
  fileprivate var text: [String] {
    var first = "lanes \(quoted(label)): \(running) of \(width) jobs running, \(queued) queued"
    if let stalled { first += ", none began for \(stalled.short)" }
    if isSuspended { first += ", suspended" }
    if isClosed { first += ", closed" }
    return [first] + jobs.map(\.text) + waits.map(\.text)
  }
}

extension TraceSnapshot.GroupState {
  fileprivate var text: [String] {
    var first = "group \(quoted(label)): \(outstanding) outstanding"
    if notifications > 0 { first += ", notifications: \(notifications)" }
    if isCancelled { first += ", cancelled" }
    return [first] + waits.map(\.text)
  }
}

private func running(_ duration: Duration?) -> String {
  duration.map { ", running for \($0.short)" } ?? ""
}

/// Returns a label with quotes, on one line.
private func quoted(_ label: String) -> String {
  "\"" + String(label.map { $0.isNewline ? "?" : $0 }) + "\""
}
