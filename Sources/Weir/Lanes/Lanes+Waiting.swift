// Waits for the jobs of lanes.

internal import CWeir
public import Dispatch

extension Lanes {
  /// Waits until no job is queued or running.
  ///
  ///     import Weir
  ///
  ///     let lanes = Lanes(label: "downloads", width: 4)
  ///     lanes.async { print("a download") }
  ///     if lanes.wait(timeout: .seconds(5)) == .timedOut { print("slow") }
  ///
  /// On one of its own lanes the call is a programmer's error, and traps.
  ///
  /// - Returns: `.timedOut` if a job was still queued or running at that time.
  ///
  /// Blocks: yes, for `timeout` at most. The corresponding C function is `weir_lanes_wait`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @discardableResult
  public func wait(timeout: Duration? = nil) -> WaitResult {
    weir_lanes_wait(handle, DispatchTime(after: timeout).rawValue) == 0 ? .success : .timedOut
  }

  /// Suspends until no job is queued or running; otherwise like the blocking form.
  ///
  /// Cancelling the task does not end the wait, since code after it may rely on the jobs. Cancel
  /// the lanes instead. A task that runs on one of these lanes counts as a job until it suspends.
  ///
  /// Blocks: no, it suspends. The corresponding C function is `weir_lanes_request_idle_f`.
  @discardableResult
  public func wait(
    timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil
  ) async -> WaitResult {
    let deadline = Deadline(after: timeout, by: clock)
    let wait = TaskWait()
    let request = LanesRequest { request in
      weir_lanes_request_idle_f(
        handle, Box.retain(wait), { wait, _ in Box<TaskWait>.take(wait).end(.over) }, &request)
    }
    if await wait.end(by: deadline) == .over { return .success }
    request.cancel()
    return .timedOut
  }

  /// Runs a closure on a queue when no job is queued or running, which may be at once. Blocks: no.
  /// The corresponding C function is `weir_lanes_notify_f`.
  public func notify(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    let context = Box<Work>.retain { queue.async(execute: work) }
    weir_lanes_notify_f(handle, Notifications.queue, context, callWork)
  }
}
