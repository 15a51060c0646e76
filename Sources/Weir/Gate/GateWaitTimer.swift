// The timer of a task that waits at a gate.

internal import Dispatch

/// The timer of a waiting task. It ends the wait at its time-out. For a wait without a
/// time-out, by a task that holds permits of the same gate, it checks whether the task
/// waits for itself.
///
/// Other waits have no timer: libdispatch opens three descriptors for the first timer of
/// a process.
struct GateWaitTimer {
  /// The time after which a task that waits for itself is reported; a resize might still come.
  /// The C library waits as long.
  private static let patience = DispatchTimeInterval.seconds(2)
  private static let queue = DispatchQueue(label: "weir.gate-timers")

  let stop: () -> Void

  init?(_ deadline: Deadline?, isWatched: Bool, _ request: PermitRequest) {
    if let deadline {
      stop = deadline.alarm(on: Self.queue) { request.finish(.timedOut) }
    } else if isWatched {
      let timer = DispatchSource.makeTimerSource(queue: Self.queue)
      timer.schedule(deadline: .now() + Self.patience, repeating: Self.patience)
      timer.setEventHandler { request.check() }
      timer.activate()
      stop = { timer.cancel() }
    } else {
      return nil
    }
  }
}
