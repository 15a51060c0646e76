// Close, cancel, suspend and resume.

internal import CWeir

extension Lanes {
  /// Refuses new jobs, also those that wait for the backlog, and finishes the submitted ones.
  /// Closing twice is allowed. Tasks whose executor the lanes are go on. Blocks: no. The
  /// corresponding C function is `weir_lanes_close`.
  public func close() {
    weir_lanes_close(handle)
  }

  /// Drops every job that has not started, except jobs that callers wait to submit.
  ///
  /// The closures of dropped jobs are released, and the second closures of ``async(_:dropped:)``
  /// called, on this thread, in the order of submission, before the method returns. Running jobs go
  /// on, and so do tasks whose executor the lanes are. The lanes stay open: to end their use, close
  /// them first.
  ///
  /// - Returns: The number of dropped jobs.
  /// - Complexity: O(*n*) for *n* dropped jobs. Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_cancel`.
  @discardableResult
  public func cancel() -> Int {
    Int(clamping: weir_lanes_cancel(handle))
  }

  /// Starts no more jobs until ``resume()``. Running jobs go on, and jobs are accepted up to the
  /// backlog. Calls nest. Tasks whose executor the lanes are stop at their next suspension. Blocks:
  /// no. The corresponding C function is `weir_lanes_suspend`.
  public func suspend() {
    weir_lanes_suspend(handle)
  }

  /// Undoes one ``suspend()``. A call without a suspend is a programmer's error, and traps. Blocks:
  /// no. Inline lanes run the queued jobs before the method returns. Complexity: O(`width`). The
  /// corresponding C function is `weir_lanes_resume`.
  public func resume() {
    weir_lanes_resume(handle)
  }
}
