// A task's wait for an event.
//
// DESIGN. The object that the task waits for keeps the wait in a list. One notification in C for
// each wait was rejected: C cannot cancel a notification, so abandoned waits in a loop would pile
// up. Cancellation handlers are never nested around one wait: see README.md.

/// The wait of one task. The first reason to end it counts.
final class TaskWait: Sendable {
  enum End {
    case over, timedOut, cancelled, refused
  }

  private struct State {
    var end: End?
    var task: CheckedContinuation<End, Never>?
  }

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

  /// Suspends until the wait ends, at `deadline` at the latest. Called once.
  func end(by deadline: Deadline? = nil) async -> End {
    if deadline?.hasPassed == true { end(.timedOut) }
    let alarm = hasEnded ? nil : deadline?.alarm { self.end(.timedOut) }
    let end = await withCheckedContinuation { wait($0) }
    return withExtendedLifetime(alarm) { end }
  }

  /// Like ``end(by:)``, but also ends if the task is cancelled.
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
}

/// The waits of several tasks for the same event.
struct TaskWaits {
  private var waits: [ObjectIdentifier: TaskWait] = [:]

  mutating func add(_ wait: TaskWait) {
    waits[ObjectIdentifier(wait)] = wait
  }

  mutating func remove(_ wait: TaskWait) {
    waits[ObjectIdentifier(wait)] = nil
  }

  /// Removes and returns all waits.
  mutating func take() -> TaskWaits {
    defer { waits = [:] }
    return self
  }

  func end() {
    for wait in waits.values { wait.end(.over) }
  }
}
