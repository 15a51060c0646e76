// Waits for the work of a group.

internal import CWeir
public import Dispatch
internal import WeirLibC

extension WorkGroup {
  /// Waits until nothing is outstanding.
  ///
  ///     import Weir
  ///
  ///     let lanes = Lanes(label: "startup", width: 2)
  ///     let group = WorkGroup(label: "startup")
  ///     group.async(on: lanes) { print("index") }
  ///     if try group.wait(timeout: .seconds(5)) == .timedOut { print("still starting") }
  ///
  /// A wait without a time-out is a programmer's error, and traps, in work of the same group, and
  /// on the main thread while work of the group is on the main queue.
  ///
  /// - Returns: `.timedOut` if work was still outstanding at that time.
  /// - Throws: The first error of any work, from now on until the group ends; the error of
  ///   ``cancel(throwing:)`` if that came first. No error on a time-out.
  ///
  /// Blocks: yes, for `timeout` at most. The corresponding C function is `weir_group_wait`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @discardableResult
  public func wait(timeout: Duration? = nil) throws -> WaitResult {
    let occupiesMain = timeout == nil && MainQueue.isCurrent
    if occupiesMain { changeMain { $0.occupiesMain = $0.outstanding > 0 } }
    defer { if occupiesMain { changeMain { $0.occupiesMain = false } } }
    // The last leave may have been counted here, but not yet in C.
    if weir_group_wait(handle, DispatchTime(after: timeout).rawValue) == ETIMEDOUT,
      outstanding > 0
    {
      return .timedOut
    }
    try throwFirstError()
    return .success
  }

  private func throwFirstError() throws {
    if let error = state.with({ $0.firstError }) { throw error }
  }

  /// Suspends until nothing is outstanding; otherwise like the blocking form. Cancelling the task
  /// ends the wait at once; it does not cancel the group.
  ///
  /// - Throws: Also `CancellationError` if the task was cancelled.
  ///
  /// Blocks: no, it suspends. The corresponding C function is `weir_group_notify_f`.
  @discardableResult
  public func wait(
    timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil
  ) async throws -> WaitResult {
    try Task.checkCancellation()
    let wait = TaskWait()
    let isOver = state.with { state in
      if state.outstanding > 0 { state.waits.add(wait) }
      return state.outstanding == 0
    }
    let shown =
      isOver
      ? nil
      : Caller.unknown.ofTask(weir_task_number(), keeping: 0) {
        weir_spi_group_wait_begin(handle, $0)
      }
    defer { weir_spi_group_wait_end(shown) }
    let end = isOver ? .over : await wait.endOrCancellation(by: Deadline(after: timeout, by: clock))
    if end == .over {
      try throwFirstError()
      return .success
    }
    state.with { $0.waits.remove(wait) }
    if end == .timedOut { return .timedOut }
    throw CancellationError()
  }

  /// Runs a closure on a queue when nothing is outstanding, which may be at once.
  ///
  ///     import Dispatch
  ///
  ///     let group = WorkGroup(label: "startup")
  ///     group.async(on: DispatchQueue(label: "index")) { print("index") }
  ///     group.notify(on: .main) { error in
  ///       print(error.map { "failed: \($0)" } ?? "started")
  ///     }
  ///
  /// The work is called once, with the error that a wait would throw. Blocks: no. The corresponding
  /// C function is `weir_group_notify_f`.
  public func notify(
    on queue: DispatchQueue, _ work: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let context = Box<Work>.retain {
      queue.async { work(self.state.with { $0.firstError }) }
    }
    let error = weir_group_notify_f(handle, Notifications.queue, context) { context, _ in
      Box<Work>.take(context)()
    }
    if error != 0 {
      fatalError("no memory to wait for a group")
    }
  }
}
