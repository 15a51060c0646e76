// The forms of a gate for threads, which block.

internal import CWeir
internal import Dispatch
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
  /// A `defer` statement keeps the permits to the end of the scope; see ``Permit``. Better use
  /// `withPermit(_:)`, which leaves nothing to forget.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  /// - Returns: The permits, released by `release()` or at the end of their life.
  /// - Throws: ``TimeoutError``, or ``GateError``: `closed`, or `tooMany` at once.
  /// Blocks: yes, until the permits are free and no earlier caller waits. Without other waiters it
  /// costs two atomic operations. The corresponding C function is `weir_gate_wait`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func acquire(
    _ count: Int = 1, timeout: Duration? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> Permit {
    let error = weir_gate_try(handle, count)
    if error != 0 { try wait(for: count, error, timeout, Caller(fileID, line)) }
    return Permit(handle, count)
  }

  /// Runs `body` with a permit, and releases the permit afterwards.
  ///
  ///     let answer = gate.withPermit { ask() }
  ///
  /// On a closed gate the call is a programmer's error and traps. If the gate may be closed, use
  /// the form with a time-out, or `withPermits`, which throw.
  ///
  /// - Parameters:
  ///   - body: Called once, on this thread.
  /// - Throws: The error of `body`.
  ///
  /// Blocks: yes, until a permit is free and no earlier caller waits. The corresponding C functions
  /// are `weir_gate_wait` and `weir_gate_signal`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @inlinable
  public func withPermit<R: ~Copyable, E: Error>(
    fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws(E) -> R
  ) throws(E) -> R {
    let scope: GateScope
    do { scope = try enterBlocking(1, nil, Caller(fileID, line)) } catch {
      misuse(
        "the gate \"\(label)\" is closed, and withPermit cannot say so; "
          + "use withPermits, which throws")
    }
    defer { scope.end() }
    return try body()
  }

  /// Runs `body` with a permit, unless a duration passes before; `withPermits` with a count of 1.
  ///
  /// - Parameters:
  ///   - body: Called once, on this thread, unless no permit was obtained.
  /// - Throws: ``TimeoutError``, ``GateError``, or the error of `body`.
  ///
  /// Blocks: yes. The corresponding C functions are `weir_gate_wait` and `weir_gate_signal`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func withPermit<R: ~Copyable>(
    timeout: Duration?, fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws -> R
  ) throws -> R {
    try withPermits(1, timeout: timeout, fileID: fileID, line: line, body)
  }

  /// Runs `body` with permits, and releases them afterwards.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - body: Called once, on this thread, unless no permits were obtained.
  /// - Throws: ``TimeoutError``, ``GateError``, or the error of `body`.
  ///
  /// Blocks: yes, until the permits are free and no earlier caller waits. The corresponding C
  /// functions are `weir_gate_wait` and `weir_gate_signal`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @inlinable
  public func withPermits<R: ~Copyable>(
    _ count: Int, timeout: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: () throws -> R
  ) throws -> R {
    let scope = try enterBlocking(count, timeout, Caller(fileID, line))
    defer { scope.end() }
    return try body()
  }

  /// Begins a scope of this thread.
  @usableFromInline
  func enterBlocking(
    _ count: Int, _ timeout: Duration?, _ caller: Caller
  ) throws -> GateScope {
    var record: OpaquePointer?
    let error = caller.ofTask(0) { weir_gate_enter(handle, count, $0, &record) }
    if error != 0 {
      try wait(for: count, error, timeout, caller)
      record = caller.ofTask(0) { weir_gate_scope(handle, count, $0) }
    }
    return GateScope(gate: handle, count: count, record: record)
  }

  /// Waits, if that is why an attempt failed.
  private func wait(
    for count: Int, _ error: Int32, _ timeout: Duration?, _ caller: Caller
  ) throws {
    if error != Errno.wouldBlock.rawValue { return try check(error, count) }
    let deadline = DispatchTime(after: timeout).rawValue
    // Scopes of the task that this thread runs, if any, do not end meanwhile.
    try check(
      caller.ofTask(0, keeping: heldByTask) {
        weir_gate_wait_from(handle, count, deadline, $0)
      }, count, timeout)
  }
}
