// One task's wait for something that ends once.
//
// What it waits for keeps it in a list, from which it is taken when it ends
// otherwise: by its time-out, or since the task was cancelled. A notification in
// C for each wait was rejected: C cannot take one back, so that waits that are
// given up in a loop would pile up.

internal import Dispatch

/// A task that waits. The first reason to end it counts.
final class TaskWait: Sendable {
  enum End {
    case over, timedOut, cancelled, refused
  }

  private struct State {
    var end: End?
    var task: CheckedContinuation<End, Never>?
  }

  // Only a wait with a time-out has a timer: libdispatch opens three descriptors
  // for the first one of a process.
  private static let timeouts = DispatchQueue(label: "weir.timeouts")

  private let state = Locked(State())

  private var hasEnded: Bool { state.with { $0.end != nil } }

  func end(_ end: End) {
    let task = state.with { state -> CheckedContinuation<End, Never>? in
      guard state.end == nil else { return nil }
      state.end = end
      defer { state.task = nil }
      return state.task
    }
    task?.resume(returning: end)
  }

  /// Suspends until it is ended, at `deadline` at the latest. To be called once.
  func end(by deadline: Deadline? = nil) async -> End {
    if deadline?.hasPassed == true { end(.timedOut) }
    let timer = hasEnded ? nil : deadline.map(timer)
    defer { timer?.cancel() }
    return await withCheckedContinuation { wait($0) }
  }

  /// The same, or until the task is cancelled.
  func endOrCancellation(by deadline: Deadline?) async -> End {
    await withTaskCancellationHandler {
      await end(by: deadline)
    } onCancel: {
      end(.cancelled)
    }
  }

  private func wait(_ task: CheckedContinuation<End, Never>) {
    let end = state.with { state in
      if state.end == nil { state.task = task }
      return state.end
    }
    if let end { task.resume(returning: end) }
  }

  private func timer(_ deadline: Deadline) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: Self.timeouts)
    switch deadline {
    case .time(let time): timer.schedule(deadline: time)
    case .wallTime(let time): timer.schedule(wallDeadline: time)
    }
    timer.setEventHandler { self.end(.timedOut) }
    timer.activate()
    return timer
  }
}

/// Tasks that wait for the same thing.
struct TaskWaits {
  private var waits: [ObjectIdentifier: TaskWait] = [:]

  var isEmpty: Bool { waits.isEmpty }

  mutating func add(_ wait: TaskWait) {
    waits[ObjectIdentifier(wait)] = wait
  }

  mutating func add(_ others: TaskWaits) {
    waits.merge(others.waits) { mine, _ in mine }
  }

  mutating func remove(_ wait: TaskWait) {
    waits[ObjectIdentifier(wait)] = nil
  }

  /// Takes all out.
  mutating func take() -> TaskWaits {
    defer { waits = [:] }
    return self
  }

  func end() {
    for wait in waits.values { wait.end(.over) }
  }
}

extension Deadline {
  /// Whether there is no use in a timer.
  var hasPassed: Bool {
    switch self {
    case .time(let time): time <= .now()
    case .wallTime(let time): !(.now() < time)
    }
  }
}
