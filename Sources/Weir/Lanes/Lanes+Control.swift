// Closing, cancelling and suspending lanes.

internal import CWeir

extension Lanes {
  /// Refuses new jobs, and finishes those that were submitted.
  ///
  /// Who waits for the backlog is refused too. Closing twice is allowed, and
  /// there is no way back. Tasks for which the lanes are the executor go on.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_close`.
  public func close() {
    weir_lanes_close(handle)
    rooms?.serve()
  }

  /// Drops every job that has not started, but those that tasks wait to submit.
  ///
  /// Their closures are let go, and those of ``async(_:dropped:)`` called, on this
  /// thread, in the order of submission, before this returns. Jobs that run go
  /// on, and so do tasks for which the lanes are the executor. The lanes stay
  /// open: to be done with them, close them first.
  ///
  ///     let lanes = Lanes(label: "previews", width: 2)
  ///     lanes.async { print("a preview") }
  ///     lanes.close()
  ///     print("\(lanes.cancel()) previews were not wanted any more")
  ///
  /// - Returns: How many jobs were dropped.
  ///
  /// - Complexity: O(*n*) for *n* jobs that are dropped.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_cancel`.
  @discardableResult
  public func cancel() -> Int {
    let count = Int(clamping: weir_lanes_cancel(handle))
    rooms?.serve()
    return count
  }

  /// Starts no further job until ``resume()``.
  ///
  /// Jobs that run go on, and jobs are accepted up to the backlog. Calls nest.
  /// Tasks for which the lanes are the executor stop at their next suspension.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_suspend`.
  public func suspend() {
    weir_lanes_suspend(handle)
  }

  /// Takes back one ``suspend()``.
  ///
  /// Without a suspend it is a programmer's error, and traps.
  ///
  /// - Complexity: O(`width`), for the lanes that are woken.
  ///
  /// Blocks: no; inline lanes run what has been queued before it returns.
  ///
  /// The corresponding C function is `weir_lanes_resume`.
  public func resume() {
    weir_lanes_resume(handle)
  }
}
