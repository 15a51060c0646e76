// The forms of a gate for threads, which block.

internal import CWeir
public import Dispatch
internal import SystemPackage

extension Gate {
  /// Takes permits, all at once; blocks until they are free.
  ///
  ///     import Weir
  ///
  ///     let connections = Gate(label: "connections", permits: 8)
  ///     let permit = try connections.acquire(2, timeout: .milliseconds(100))
  ///     print("connected")
  ///     permit.release()
  ///
  /// A `defer` statement keeps the permits to the end of the scope, also after an error; see
  /// ``Permit``. A permit that is never mentioned leads to a warning, whose fix-it
  /// `_ = try gate.acquire()` releases the permit **at once**, so that nothing is limited. Add the
  /// `defer`, or better use `withPermit(_:)`, which leaves nothing to forget.
  ///
  ///     let permit = try gate.acquire()
  ///     defer { extendLifetime(permit) }
  ///     use(theResource)
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The duration after which to give up; `nil` for none. A duration of zero or less
  ///     does not wait; one of a century or more never ends.
  /// - Returns: The permits, released by `release()` or at the end of their life.
  /// - Throws: ``GateError``: `closed`, `timedOut`, or `tooMany` at once.
  /// - Complexity: O(1): two atomic operations if no caller waits.
  ///
  /// Blocks: yes, until the permits are free and no earlier caller waits.
  ///
  /// The corresponding C function is `weir_gate_wait`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func acquire(_ count: Int = 1, timeout: Duration? = nil) throws(GateError) -> Permit {
    try obtain(count, until: DispatchTime(after: timeout).rawValue)
    return Permit(handle, count)
  }

  /// Takes permits, until a time of `DispatchTime`; otherwise like the form with a duration.
  ///
  /// Blocks: yes. The corresponding C function is `weir_gate_wait`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func acquire(_ count: Int = 1, timeout: DispatchTime) throws(GateError) -> Permit {
    try obtain(count, until: timeout.rawValue)
    return Permit(handle, count)
  }

  /// Takes permits, until a time of day, also if the machine sleeps or its clock is set; otherwise
  /// like the form with a duration.
  ///
  /// Blocks: yes. The corresponding C function is `weir_gate_wait`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func acquire(_ count: Int = 1, wallTimeout: DispatchWallTime) throws(GateError) -> Permit {
    try obtain(count, until: wallTimeout.rawValue)
    return Permit(handle, count)
  }

  /// Runs `body` with a permit, and releases the permit afterwards.
  ///
  ///     let answer = gate.withPermit { ask() }
  ///
  /// On a closed gate the call is a programmer's error and traps. If the gate may be closed,
  /// use `withPermits(_:timeout:_:)`.
  ///
  /// - Parameter body: Called once, on this thread.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  /// - Complexity: O(1).
  ///
  /// Blocks: yes, until a permit is free and no earlier caller waits.
  ///
  /// The corresponding C functions are `weir_gate_wait` and `weir_gate_signal`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func withPermit<R: ~Copyable, E: Error>(
    _ body: () throws(E) -> R
  ) throws(E) -> R {
    do { try obtain(1, until: DispatchTime.distantFuture.rawValue) } catch {
      misuse(
        "the gate \"\(label)\" is closed, and withPermit cannot say so; "
          + "use withPermits, which throws")
    }
    defer { _ = weir_gate_signal(handle, 1) }
    return try body()
  }

  /// Runs `body` with a permit, unless a duration passes before; otherwise like
  /// `withPermits(_:timeout:_:)` with a count of 1.
  ///
  ///     import Weir
  ///
  ///     let connections = Gate(label: "connections", permits: 8)
  ///     try connections.withPermit(timeout: .milliseconds(50)) {
  ///       print("connected")
  ///     }
  ///
  /// Blocks: yes. The corresponding C functions are `weir_gate_wait` and `weir_gate_signal`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func withPermit<R: ~Copyable>(timeout: Duration, _ body: () throws -> R) throws -> R {
    try withPermits(1, until: DispatchTime(after: timeout).rawValue, body)
  }

  /// Runs `body` with a permit, until a time of `DispatchTime`; otherwise like
  /// `withPermits(_:timeout:_:)` with a count of 1.
  ///
  /// Blocks: yes. The corresponding C functions are `weir_gate_wait` and `weir_gate_signal`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func withPermit<R: ~Copyable>(timeout: DispatchTime, _ body: () throws -> R) throws -> R {
    try withPermits(1, until: timeout.rawValue, body)
  }

  /// Runs `body` with permits, and releases them afterwards.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The duration after which to give up; `nil` for none. A duration of zero or less
  ///     does not wait; one of a century or more never ends.
  ///   - body: Called once, on this thread, unless no permits were obtained.
  /// - Returns: The result of `body`.
  /// - Throws: ``GateError``, or the error of `body`.
  /// - Complexity: O(1).
  ///
  /// Blocks: yes, until the permits are free and no earlier caller waits.
  ///
  /// The corresponding C functions are `weir_gate_wait` and `weir_gate_signal`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func withPermits<R: ~Copyable>(
    _ count: Int, timeout: Duration? = nil, _ body: () throws -> R
  ) throws -> R {
    try withPermits(count, until: DispatchTime(after: timeout).rawValue, body)
  }

  /// Runs `body` with permits, until a time of `DispatchTime`; otherwise like the form with a
  /// duration.
  ///
  /// Blocks: yes. The corresponding C functions are `weir_gate_wait` and `weir_gate_signal`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func withPermits<R: ~Copyable>(
    _ count: Int, timeout: DispatchTime, _ body: () throws -> R
  ) throws -> R {
    try withPermits(count, until: timeout.rawValue, body)
  }

  /// Runs `body` with permits, until a time of day; otherwise like the form with a duration.
  ///
  /// Blocks: yes. The corresponding C functions are `weir_gate_wait` and `weir_gate_signal`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func withPermits<R: ~Copyable>(
    _ count: Int, wallTimeout: DispatchWallTime, _ body: () throws -> R
  ) throws -> R {
    try withPermits(count, until: wallTimeout.rawValue, body)
  }

  private func withPermits<R: ~Copyable>(
    _ count: Int, until deadline: dispatch_time_t, _ body: () throws -> R
  ) throws -> R {
    try obtain(count, until: deadline)
    defer { _ = weir_gate_signal(handle, count) }
    return try body()
  }

  private func obtain(_ count: Int, until deadline: dispatch_time_t) throws(GateError) {
    let error = weir_gate_wait(handle, checked(count), deadline)
    if error != 0 { try check(error) }
  }
}
