// The timer of a task that waits at a gate.

internal import Dispatch

/// The timer of a waiting task. It ends the wait at its time-out. For a wait without a
/// time-out, by a task that holds permits of the same gate, it checks whether the task
/// waits for itself.
///
/// Other waits have no timer: libdispatch opens three descriptors for the first timer of
/// a process.
struct GateWaitTimer {
  /// The time without a change after which a task that waits for itself is reported; a
  /// resize might still come. The C library waits as long.
  private static let patience = DispatchTimeInterval.seconds(2)
  private static let queue = DispatchQueue(label: "weir.gate-timers")

  let stop: () -> Void

  /// - Parameters:
  ///   - watched: The gate, if the task holds permits of it.
  init?(_ deadline: Deadline?, watched: Gate?, _ request: PermitRequest, _ count: Int) {
    switch (deadline, watched) {
    case (nil, nil):
      return nil
    case (let deadline?, _):
      stop = deadline.alarm(on: Self.queue) { request.finish(.timedOut) }
    case (nil, let gate?):
      let timer = DispatchSource.makeTimerSource(queue: Self.queue)
      timer.schedule(deadline: .now() + Self.patience, repeating: Self.patience)
      let wait = SelfWait(gate, held: Holding.held(of: gate), count: count)
      timer.setEventHandler { wait.check() }
      timer.activate()
      stop = {
        timer.cancel()
        wait.end()
      }
    }
  }
}

/// A task that holds permits of a gate and waits for more, without a time-out.
///
/// If such tasks hold all permits in use, no task can ever release any.
private struct SelfWait: Sendable {
  private let gate: Gate
  private let held: Int
  private let count: Int

  init(_ gate: Gate, held: Int, count: Int) {
    self.gate = gate
    self.held = held
    self.count = count
    gate.selfWaits.with { $0 = ($0.tasks + 1, $0.held + held) }
  }

  func end() {
    gate.selfWaits.with { $0 = ($0.tasks - 1, $0.held - held) }
  }

  /// Checks, while the task still waits, whether it can ever go on, and traps if not.
  func check() {
    let waits = gate.selfWaits.with { $0 }
    let now = gate.statistics
    guard now.inUse == waits.held && now.waiting >= waits.tasks else { return }
    misuse(
      waits.tasks == 1
        ? "the gate \"\(gate.label)\" was asked for \(count) permits by the task that holds "
          + "\(held) of its \(now.permits), which waits for itself forever; take all that a task "
          + "needs at once"
        : "the gate \"\(gate.label)\" was asked for \(count) permits by a task that holds "
          + "\(held) of its \(now.permits); all permits in use are held by \(waits.tasks) tasks that "
          + "wait for more, and for each other forever; take all that a task needs at once")
  }
}
