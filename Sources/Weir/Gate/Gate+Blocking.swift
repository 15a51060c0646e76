// The forms of a gate for threads, which block.

internal import CWeir
public import Dispatch
internal import SystemPackage

extension Gate {
  /// Takes permits, all at once; blocks until they are free.
  ///
  ///     import Dispatch
  ///
  ///     let permit = try gate.acquire(2, timeout: .now() + .milliseconds(100))
  ///     use(theTwo)
  ///     permit.release()
  ///
  /// The permits are released at the end of the scope, also after an error, if a `defer`
  /// statement keeps them until then. (`defer { permit.release() }` does not compile, since a
  /// closure cannot consume a permit.)
  ///
  ///     let permit = try gate.acquire()
  ///     defer { extendLifetime(permit) }
  ///     use(theResource)
  ///
  /// A permit that is never mentioned leads to a warning, whose fix-it `_ = try gate.acquire()`
  /// releases the permit **at once**, so that nothing is limited. Add the `defer`, or better
  /// use `withPermit(_:)`, which leaves nothing to forget.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The time to give up.
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
  public func acquire(
    _ count: Int = 1, timeout: DispatchTime = .distantFuture
  ) throws(GateError) -> Permit {
    let error = weir_gate_wait(handle, checked(count), timeout.rawValue)
    if error != 0 { try check(error) }
    return Permit(handle, count)
  }

  /// Takes permits, with a time-out by the wall clock.
  ///
  /// Like `acquire(_:timeout:)`, but the time-out is a time of day, also if the machine
  /// sleeps or its clock is set.
  ///
  /// Blocks: yes, until the permits are free and no earlier caller waits.
  ///
  /// The corresponding C function is `weir_gate_wait`.
  @available(
    *, noasync,
    message: "use the async form: try await gate.acquire(); at the top level: in an async function"
  )
  @_disfavoredOverload
  public func acquire(
    _ count: Int = 1, wallTimeout: DispatchWallTime
  ) throws(GateError) -> Permit {
    let error = weir_gate_wait(handle, checked(count), wallTimeout.rawValue)
    if error != 0 { try check(error) }
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
  @available(
    *, noasync,
    message:
      "use the async form: try await gate.withPermit { }; at the top level: in an async function"
  )
  @_disfavoredOverload
  public func withPermit<R: ~Copyable, E: Error>(
    _ body: () throws(E) -> R
  ) throws(E) -> R {
    let error = weir_gate_wait(handle, 1, DispatchTime.distantFuture.rawValue)
    if error != 0 { trapRefused(error) }
    defer { _ = weir_gate_signal(handle, 1) }
    return try body()
  }

  /// Runs `body` with a permit, and releases the permit afterwards.
  ///
  /// - Parameters:
  ///   - timeout: The time to give up.
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
  public func withPermit<R: ~Copyable>(
    timeout: DispatchTime, _ body: () throws -> R
  ) throws -> R {
    try withPermits(1, until: timeout.rawValue, body)
  }

  /// Runs `body` with permits, and releases them afterwards.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The time to give up.
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
    _ count: Int, timeout: DispatchTime = .distantFuture, _ body: () throws -> R
  ) throws -> R {
    try withPermits(count, until: timeout.rawValue, body)
  }

  /// Runs `body` with permits, with a time-out by the wall clock.
  ///
  /// Like `withPermits(_:timeout:_:)`, but the time-out is a time of day.
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
    _ count: Int, wallTimeout: DispatchWallTime, _ body: () throws -> R
  ) throws -> R {
    try withPermits(count, until: wallTimeout.rawValue, body)
  }

  private func withPermits<R: ~Copyable>(
    _ count: Int, until deadline: dispatch_time_t, _ body: () throws -> R
  ) throws -> R {
    let error = weir_gate_wait(handle, checked(count), deadline)
    if error != 0 { try check(error) }
    defer { _ = weir_gate_signal(handle, count) }
    return try body()
  }

  private func trapRefused(_ error: Int32) -> Never {
    if error != Errno.canceled.rawValue { fatalError("no memory to wait at the gate \"\(label)\"") }
    misuse(
      "the gate \"\(label)\" is closed, and withPermit cannot say so; "
        + "use withPermits, which throws")
  }
}
