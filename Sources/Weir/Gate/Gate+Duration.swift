// The forms of a gate with a duration as the time-out.

internal import Dispatch

extension Gate {
  // MARK: Blocking

  /// Takes permits, all at once; blocks until they are free, for a duration at most.
  ///
  ///     import Weir
  ///
  ///     let connections = Gate(label: "connections", permits: 8)
  ///     let permit = try connections.acquire(2, timeout: .milliseconds(100))
  ///     print("connected")
  ///     permit.release()
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The duration after which to give up. A duration of zero or less does not
  ///     wait; one of a century or more never ends.
  /// - Returns: The permits, released by `release()` or at the end of their life.
  /// - Throws: ``GateError``: `closed`, `timedOut`, or `tooMany` at once.
  /// - Complexity: O(1): two atomic operations if no caller waits.
  ///
  /// Blocks: yes, until the permits are free and no earlier caller waits.
  ///
  /// The corresponding C function is `weir_gate_wait`.
  @available(
    *, noasync,
    message: "use the async form: try await gate.acquire(); at the top level: in an async function"
  )
  @_disfavoredOverload
  public func acquire(_ count: Int = 1, timeout: Duration) throws(GateError) -> Permit {
    try acquire(count, timeout: DispatchTime(after: timeout))
  }

  /// Runs `body` with a permit, and releases the permit afterwards.
  ///
  ///     import Weir
  ///
  ///     let connections = Gate(label: "connections", permits: 8)
  ///     try connections.withPermit(timeout: .milliseconds(50)) {
  ///       print("connected")
  ///     }
  ///
  /// - Parameters:
  ///   - timeout: The duration after which to give up. A duration of zero or less does not
  ///     wait; one of a century or more never ends.
  ///   - body: Called once, on this thread, unless no permit was obtained.
  /// - Returns: The result of `body`.
  /// - Throws: ``GateError``, or the error of `body`.
  /// - Complexity: O(1).
  ///
  /// Blocks: yes, until a permit is free and no earlier caller waits.
  ///
  /// The corresponding C functions are `weir_gate_wait` and `weir_gate_signal`.
  @available(
    *, noasync,
    message:
      "use the async form: try await gate.withPermit { }; at the top level: in an async function"
  )
  @_disfavoredOverload
  public func withPermit<R: ~Copyable>(timeout: Duration, _ body: () throws -> R) throws -> R {
    try withPermits(1, timeout: DispatchTime(after: timeout), body)
  }

  /// Runs `body` with permits, and releases them afterwards.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The duration after which to give up. A duration of zero or less does not
  ///     wait; one of a century or more never ends.
  ///   - body: Called once, on this thread, unless no permits were obtained.
  /// - Returns: The result of `body`.
  /// - Throws: ``GateError``, or the error of `body`.
  /// - Complexity: O(1).
  ///
  /// Blocks: yes, until the permits are free and no earlier caller waits.
  ///
  /// The corresponding C functions are `weir_gate_wait` and `weir_gate_signal`.
  @available(
    *, noasync,
    message:
      "use the async form: try await gate.withPermits(n) { }; at the top level: in an async function"
  )
  @_disfavoredOverload
  public func withPermits<R: ~Copyable>(
    _ count: Int, timeout: Duration, _ body: () throws -> R
  ) throws -> R {
    try withPermits(count, timeout: DispatchTime(after: timeout), body)
  }

  // MARK: Suspending

  /// Takes permits, all at once; suspends the task until they are free, for a duration at
  /// most.
  ///
  ///     import Weir
  ///
  ///     let connections = Gate(label: "connections", permits: 8)
  ///     do {
  ///       let permit = try await connections.acquire(2, timeout: .seconds(1))
  ///       print("connected")
  ///       permit.release()
  ///     } catch GateError.timedOut {
  ///       print("busy")
  ///     }
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The duration after which to give up. A duration of zero or less does not
  ///     wait; one of a century or more never ends.
  ///   - clock: The clock that measures the duration, for example one that a test sets; `nil`
  ///     for the clock of `DispatchTime`, which stands still while the machine sleeps.
  /// - Returns: The permits, released by `release()` or at the end of their life.
  /// - Throws: ``GateError``, or `CancellationError`.
  /// - Complexity: O(1). A wait with a time-out costs a timer.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C function is `weir_gate_request_f`.
  nonisolated(nonsending) public func acquire(
    _ count: Int = 1, timeout: Duration, clock: (any Clock<Duration>)? = nil
  ) async throws -> Permit {
    try await obtain(checked(count), Deadline(after: timeout, by: clock))
    return Permit(handle, count)
  }

  /// Runs `body` with a permit, and releases the permit afterwards.
  ///
  ///     import Weir
  ///
  ///     let connections = Gate(label: "connections", permits: 8)
  ///     try await connections.withPermit(timeout: .milliseconds(50)) {
  ///       print("connected")
  ///     }
  ///
  /// - Parameters:
  ///   - timeout: The duration after which to give up. A duration of zero or less does not
  ///     wait; one of a century or more never ends.
  ///   - clock: The clock that measures the duration; `nil` for that of `DispatchTime`.
  ///   - body: Called once, on the caller's actor, unless no permit was obtained.
  /// - Returns: The result of `body`.
  /// - Throws: ``GateError``, `CancellationError`, or the error of `body`.
  /// - Complexity: O(1). A wait with a time-out costs a timer.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and
  /// `weir_gate_signal`.
  nonisolated(nonsending) public func withPermit<R>(
    timeout: Duration, clock: (any Clock<Duration>)? = nil,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withOwnOrBorrowedPermit(by: Deadline(after: timeout, by: clock), body)
  }

  /// Runs `body` with permits, and releases them afterwards.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The duration after which to give up. A duration of zero or less does not
  ///     wait; one of a century or more never ends.
  ///   - clock: The clock that measures the duration; `nil` for that of `DispatchTime`.
  ///   - body: Called once, on the caller's actor, unless no permits were obtained.
  /// - Returns: The result of `body`.
  /// - Throws: ``GateError``, `CancellationError`, or the error of `body`.
  /// - Complexity: O(1). A wait with a time-out costs a timer.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and
  /// `weir_gate_signal`.
  nonisolated(nonsending) public func withPermits<R>(
    _ count: Int, timeout: Duration, clock: (any Clock<Duration>)? = nil,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withPermits(count, by: Deadline(after: timeout, by: clock), body)
  }
}
