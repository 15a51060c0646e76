// Waiting for the jobs of lanes.

internal import CWeir
public import Dispatch

extension Lanes {
  /// Waits until no job is queued or running.
  ///
  /// On one of its own lanes it is a programmer's error, and traps.
  ///
  /// - Parameter timeout: When to give up.
  /// - Returns: `.timedOut` where a job was still queued or running then.
  ///
  /// - Complexity: O(1), besides the waiting.
  ///
  /// Blocks: yes, until `timeout` at most.
  ///
  /// The corresponding C function is `weir_lanes_wait`.
  @available(
    *, noasync,
    message: "use the async form, which suspends; at the top level: in an async function"
  )
  @_disfavoredOverload
  @discardableResult
  public func wait(timeout: DispatchTime = .distantFuture) -> DispatchTimeoutResult {
    weir_lanes_wait(handle, timeout.rawValue) == 0 ? .success : .timedOut
  }

  /// Waits until no job is queued or running, by the clock on the wall.
  ///
  /// - Parameter wallTimeout: When to give up.
  /// - Returns: `.timedOut` where a job was still queued or running then.
  ///
  /// - Complexity: O(1), besides the waiting.
  ///
  /// Blocks: yes, until `wallTimeout` at most.
  ///
  /// The corresponding C function is `weir_lanes_wait`.
  @available(
    *, noasync,
    message: "use the async form, which suspends; at the top level: in an async function"
  )
  @_disfavoredOverload
  @discardableResult
  public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
    weir_lanes_wait(handle, wallTimeout.rawValue) == 0 ? .success : .timedOut
  }

  /// Suspends until no job is queued or running.
  ///
  ///     func finish(_ lanes: Lanes) async {
  ///       lanes.close()
  ///       await lanes.wait()
  ///     }
  ///
  /// Cancelling the task does not end the wait, since what comes after it may
  /// rely on the jobs: cancel the lanes.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_notify_f`.
  public func wait() async {
    await withCheckedContinuation { continuation in
      notify { continuation.resume() }
    }
  }

  /// Suspends until no job is queued or running, or until a time-out.
  ///
  ///     func finish(_ lanes: Lanes) async {
  ///       lanes.close()
  ///       if await lanes.wait(timeout: .now() + 5) == .timedOut {
  ///         print("\(lanes.cancel()) jobs were not begun")
  ///       }
  ///     }
  ///
  /// Cancelling the task does not end the wait, as it does not end ``wait()``: the
  /// time-out does. While others wait so too, or have just given up, it may miss a
  /// moment in which the lanes are idle, if new jobs come before it is told;
  /// ``wait()`` misses none.
  ///
  /// - Parameter timeout: When to give up.
  /// - Returns: `.timedOut` where a job was still queued or running then; in a
  ///   task that runs on one of these lanes there is one, itself, up to the time
  ///   at which it suspends.
  ///
  /// - Complexity: O(1); a time-out that is waited for costs a timer.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C function is `weir_lanes_wait`.
  @discardableResult
  public func wait(timeout: DispatchTime) async -> DispatchTimeoutResult {
    await wait(by: Deadline(timeout))
  }

  /// Suspends until no job is queued or running, or until a time of day.
  ///
  /// As the form with `timeout:`, by the clock that people set.
  ///
  /// - Parameter wallTimeout: When to give up.
  /// - Returns: `.timedOut` where a job was still queued or running then.
  ///
  /// - Complexity: O(1); a time-out that is waited for costs a timer.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C function is `weir_lanes_wait`.
  @discardableResult
  public func wait(wallTimeout: DispatchWallTime) async -> DispatchTimeoutResult {
    await wait(by: Deadline(wallTimeout))
  }

  private func wait(by deadline: Deadline?) async -> DispatchTimeoutResult {
    guard let deadline else {
      await wait()
      return .success
    }
    if isIdle { return .success }
    if deadline.hasPassed { return .timedOut }
    let wait = TaskWait()
    if idleWaits.add(wait) { askForIdleWaits() }
    let end = await wait.end(by: deadline)
    if end == .over { return .success }
    idleWaits.remove(wait)
    return .timedOut
  }

  /// Has C tell those who wait. They keep the lanes: without lanes there are none.
  private func askForIdleWaits() {
    notify { [weak self] in
      guard let self else { return }
      if self.idleWaits.tell(isIdle: { self.isIdle }) { self.askForIdleWaits() }
    }
  }

  /// Whether no job is queued or running, and none is being dropped.
  ///
  /// A task on one of these lanes may ask. For it the figures are enough, and C,
  /// which traps there, is not asked.
  private var isIdle: Bool {
    let statistics = statistics
    return statistics.queued == 0 && statistics.running == 0
      && weir_lanes_wait(handle, DispatchTime.now().rawValue) == 0
  }

  /// Runs a closure on a queue once no job is queued or running, soon when none
  /// is.
  ///
  /// - Parameters:
  ///   - queue: Where to run it.
  ///   - work: What to run, once.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_notify_f`.
  public func notify(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    notify { queue.async(execute: work) }
  }

  /// Runs a closure that is soon done, on the queue for that.
  private func notify(_ work: @escaping Work) {
    weir_lanes_notify_f(handle, Notifications.queue, Box<Work>.give(work), callWork)
  }
}
