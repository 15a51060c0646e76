// How threads pass a gate.

internal import CWeir
public import Dispatch
internal import SystemPackage

extension Gate {
  /// Takes permits, all at once, waiting for its turn.
  ///
  ///     let permit = try gate.acquire(2, timeout: .now() + .milliseconds(100))
  ///     use(theTwo)
  ///     permit.release()
  ///
  /// - Parameters:
  ///   - count: How many, 0 or more.
  ///   - timeout: When to give up.
  /// - Returns: The permits, which are given back when they are released or
  ///   dropped.
  /// - Throws: ``GateError``: `closed`, `timedOut`, or `tooMany` at once.
  /// - Complexity: O(1): two atomic operations where nobody waits.
  ///
  /// Blocks: yes, until it is its turn and the permits are free.
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

  /// Takes permits, giving up at a time of day.
  ///
  /// As `acquire(_:timeout:)`, by the clock that people set: a machine that
  /// sleeps, or whose clock is put, gives up at that time of day.
  ///
  /// Blocks: yes, until it is its turn and the permits are free.
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

  /// Runs `body` with a permit, and gives it back afterwards.
  ///
  ///     let answer = gate.withPermit { ask() }
  ///
  /// On a closed gate it is a programmer's error, which is told: where a gate
  /// may be closed or resized to nothing, use `withPermits(_:timeout:_:)`.
  ///
  /// - Parameter body: Called once, on this thread.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  /// - Complexity: O(1).
  ///
  /// Blocks: yes, until it is its turn and a permit is free.
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
    if error != 0 { tellRefused(error) }
    defer { _ = weir_gate_signal(handle, 1) }
    return try body()
  }

  /// Runs `body` with permits, and gives them back afterwards.
  ///
  /// - Parameters:
  ///   - count: How many, 0 or more.
  ///   - timeout: When to give up.
  ///   - body: Called once, on this thread, unless no permits were obtained.
  /// - Returns: What `body` returns.
  /// - Throws: ``GateError``, or what `body` throws.
  /// - Complexity: O(1).
  ///
  /// Blocks: yes, until it is its turn and the permits are free.
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

  /// Runs `body` with permits, giving up at a time of day.
  ///
  /// As `withPermits(_:timeout:_:)`, by the clock that people set.
  ///
  /// Blocks: yes, until it is its turn and the permits are free.
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

  private func tellRefused(_ error: Int32) -> Never {
    let state = error == Errno.canceled.rawValue ? "is closed" : "has no permits at all"
    misuse(
      "the gate \"\(label)\" \(state), and withPermit cannot say so; "
        + "use withPermits, which throws")
  }
}
