// The forms of a gate for tasks, which suspend; what a cancelled or late wait does.
//
// DESIGN. A wait that is granted and cancelled in the same moment returns the permit and throws.
// To give the permit to a cancelled task would be as right; one rule is easier to rely on.

internal import CWeir
internal import SystemPackage

extension Gate {
  /// Takes permits, all at once; suspends the task until they are free. Otherwise like the blocking
  /// form.
  ///
  ///     import Weir
  ///
  ///     let connections = Gate(label: "connections", permits: 8)
  ///     do {
  ///       let permit = try await connections.acquire(2, timeout: .seconds(1))
  ///       print("connected")
  ///       permit.release()
  ///     } catch is TimeoutError {
  ///       print("busy")
  ///     }
  ///
  /// A cancelled task leaves the queue at once and holds nothing.
  ///
  /// - Throws: ``TimeoutError``, ``GateError``, or `CancellationError`.
  ///
  /// Blocks: no, it suspends. The corresponding C function is `weir_gate_request_f`.
  nonisolated(nonsending) public func acquire(
    _ count: Int = 1, timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) async throws -> Permit {
    try Task.checkCancellation()
    if try !takesAtOnce(count) {
      try await wait(for: count, timeout, clock, Caller(fileID, line), orLoanOf: nil)
    }
    return Permit(handle, count)
  }

  /// Runs `body` with a permit, and releases the permit afterwards; `withPermits` with a count of
  /// 1. Otherwise like the blocking forms, but a closed gate is an error.
  ///
  ///     let page = try await gate.withPermit { try await fetch(url) }
  ///
  /// - Parameters:
  ///   - body: Called once, on the caller's actor, unless no permit was obtained.
  /// - Throws: ``TimeoutError``, ``GateError``, `CancellationError`, or the error of `body`.
  ///
  /// Blocks: no, it suspends. The corresponding C functions are `weir_gate_request_f` and
  /// `weir_gate_signal`.
  @inlinable
  nonisolated(nonsending) public func withPermit<R>(
    timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    let caller = Caller(fileID, line)
    guard let scope = try enter(1, caller) else {
      return try await waitAndEnter(1, timeout, clock, caller, body)
    }
    defer { scope.end() }
    return try await body()
  }

  /// Runs `body` with permits, and releases them afterwards; otherwise like the blocking form.
  ///
  /// - Parameters:
  ///   - body: Called once, on the caller's actor, unless no permits were obtained.
  /// - Throws: ``TimeoutError``, ``GateError``, `CancellationError`, or the error of `body`.
  ///
  /// Blocks: no, it suspends. The corresponding C functions are `weir_gate_request_f` and
  /// `weir_gate_signal`.
  @inlinable
  nonisolated(nonsending) public func withPermits<R>(
    _ count: Int, timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    let caller = Caller(fileID, line)
    guard let scope = try enter(count, caller) else {
      return try await waitAndEnter(count, timeout, clock, caller, body)
    }
    defer { scope.end() }
    return try await body()
  }

  // MARK: Scopes

  @usableFromInline
  nonisolated(nonsending) func waitAndEnter<R>(
    _ count: Int, _ timeout: Duration?, _ clock: (any Clock<Duration>)?, _ caller: Caller,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await wait(for: count, timeout, clock, caller, orLoanOf: nil)
    let scope = scope(count, caller)
    defer { scope.end() }
    return try await body()
  }

  /// Runs the body of a map's child with a permit of this gate, or with a loan of a scope of the
  /// task that waits for the child.
  nonisolated(nonsending) func withOwnOrLentPermit<R>(
    from lender: Loans?, _ caller: Caller, _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    var isLent = lender?.borrow() == true
    if try !isLent && !takesAtOnce(1) {
      isLent = try await wait(for: 1, nil, nil, caller, orLoanOf: lender)
    }
    let scope = scope(1, caller)
    defer {
      scope.end(isLent: isLent)
      if isLent { lender?.giveBack() }
    }
    return try await body()
  }

  // MARK: Obtaining permits

  private func takesAtOnce(_ count: Int) throws(GateError) -> Bool {
    let error = weir_gate_try(handle, count)
    if error == 0 { return true }
    if error != Errno.wouldBlock.rawValue { try check(error, count) }
    return false
  }

  /// Waits in the queue. Returns true if the permit is a loan.
  @discardableResult
  nonisolated(nonsending) private func wait(
    for count: Int, _ timeout: Duration?, _ clock: (any Clock<Duration>)?, _ caller: Caller,
    orLoanOf lender: Loans?
  ) async throws -> Bool {
    let deadline = Deadline(after: timeout, by: clock)
    if let deadline, deadline.hasPassed { try check(Errno.timedOut.rawValue, count, timeout) }
    let request = PermitRequest()
    let kept = deadline == nil ? heldByTask : 0
    let alarm = GateWaitAlarm(deadline, isWatched: kept > 0, request)
    defer {
      withExtendedLifetime(alarm) {}
      lender?.withdraw(request)
    }
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        caller.ofTask(weir_task_number(), keeping: kept) {
          request.ask(handle, count, $0, continuation)
        }
        lender?.offer(to: request)
      }
    } onCancel: {
      request.finish(.cancelled)
    }
    let isLent = result == PermitRequest.End.lent.result
    if (result == 0 || isLent) && Task.isCancelled {
      // Granted at the same moment: a cancelled wait holds nothing.
      if isLent { lender?.giveBack() } else { _ = weir_gate_signal(handle, count) }
      throw CancellationError()
    }
    if isLent { return true }
    if result == PermitRequest.End.cancelled.result { throw CancellationError() }
    try check(result, count, timeout)
    return false
  }
}
