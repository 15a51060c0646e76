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
  @available(*, noasync, message: "use the async form, which suspends")
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
  @available(*, noasync, message: "use wait() with await, which suspends")
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
