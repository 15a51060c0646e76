// The forms of a gate for tasks, which suspend; what a cancelled or late wait does.

internal import CWeir
public import Dispatch
internal import SystemPackage

extension Gate {
  /// Takes permits, all at once; suspends the task until they are free.
  ///
  ///     let permit = try await gate.acquire()
  ///     try await use(theResource)
  ///     permit.release()
  ///
  /// A cancelled task leaves the queue at once and holds nothing, even if the permits were
  /// granted at the same moment.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The time to give up.
  /// - Returns: The permits, released by `release()` or at the end of their life.
  /// - Throws: ``GateError``, or `CancellationError`.
  /// - Complexity: O(1). A wait with a time-out costs a timer.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C function is `weir_gate_request_f`.
  nonisolated(nonsending) public func acquire(
    _ count: Int = 1, timeout: DispatchTime = .distantFuture
  ) async throws -> Permit {
    try await obtain(checked(count), Deadline(timeout))
    return Permit(handle, count)
  }

  /// Takes permits, with a time-out by the wall clock.
  ///
  /// Like `acquire(_:timeout:)`, but the time-out is a time of day.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C function is `weir_gate_request_f`.
  nonisolated(nonsending) public func acquire(
    _ count: Int = 1, wallTimeout: DispatchWallTime
  ) async throws -> Permit {
    try await obtain(checked(count), Deadline(wallTimeout))
    return Permit(handle, count)
  }

  /// Runs `body` with a permit, and releases the permit afterwards.
  ///
  ///     let page = try await gate.withPermit { try await fetch(url) }
  ///
  /// `body` runs on the caller's actor, if any.
  ///
  /// - Parameter body: Called once, unless no permit was obtained.
  /// - Returns: The result of `body`.
  /// - Throws: ``GateError``, `CancellationError`, or the error of `body`.
  /// - Complexity: O(1).
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and
  /// `weir_gate_signal`.
  nonisolated(nonsending) public func withPermit<R>(
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withPermits(1, body)
  }

  /// Runs `body` with permits, and releases them afterwards.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The time to give up.
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
    _ count: Int, timeout: DispatchTime = .distantFuture,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withPermits(count, by: Deadline(timeout), body)
  }

  /// Runs `body` with permits, with a time-out by the wall clock.
  ///
  /// Like `withPermits(_:timeout:_:)`, but the time-out is a time of day.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and
  /// `weir_gate_signal`.
  nonisolated(nonsending) public func withPermits<R>(
    _ count: Int, wallTimeout: DispatchWallTime,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withPermits(count, by: Deadline(wallTimeout), body)
  }

  nonisolated(nonsending) private func withPermits<R>(
    _ count: Int, by deadline: Deadline?,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await obtain(checked(count), deadline)
    let holding = Holding(self, count)
    defer { release(holding.close()) }
    return try await Holding.$current.withValue(holding) { try await body() }
  }

  /// Runs `body` with a permit of this gate, or with a loan of `lender`.
  nonisolated(nonsending) func withOwnOrLentPermit<R>(
    from lender: Holding?, _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    let isLent = try await obtainOrBorrow(from: lender)
    let holding = Holding(self, 1)
    defer {
      // Otherwise the permit is lent to a scope that outlives this one, and that scope
      // returns it to the gate.
      if holding.close() == 1 {
        if isLent { lender?.returnLoan() } else { release(1) }
      }
    }
    return try await Holding.$current.withValue(holding) { try await body() }
  }

  func release(_ count: Int) {
    _ = weir_gate_signal(handle, count)
  }

  // MARK: Obtaining permits

  nonisolated(nonsending) private func obtain(_ count: Int, _ deadline: Deadline?) async throws {
    try Task.checkCancellation()
    if try takesAtOnce(count) { return }
    let request = PermitRequest()
    let timer = GateWaitTimer(
      deadline, watched: Holding.held(of: self) > 0 ? self : nil, request, count)
    defer { timer?.stop() }
    _ = try await decision(request, count, lender: nil)
  }

  /// Returns true if the permit is a loan.
  nonisolated(nonsending) private func obtainOrBorrow(from lender: Holding?) async throws -> Bool {
    try Task.checkCancellation()
    if lender?.borrow() == true { return true }
    if try takesAtOnce(1) { return false }
    let request = PermitRequest()
    defer { lender?.withdraw(request) }
    return try await decision(request, 1, lender: lender)
  }

  private func takesAtOnce(_ count: Int) throws -> Bool {
    let error = weir_gate_try(handle, count)
    if error == Errno.wouldBlock.rawValue { return false }
    try check(error)
    return true
  }

  /// Waits until a request is decided. Returns true if it ended with a loan.
  nonisolated(nonsending) private func decision(
    _ request: PermitRequest, _ count: Int, lender: Holding?
  ) async throws -> Bool {
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        request.ask(handle, count, continuation)
        lender?.offer(to: request)
      }
    } onCancel: {
      request.finish(.cancelled)
    }
    let isLent = result == PermitRequest.End.lent.result
    if (result == 0 || isLent) && Task.isCancelled {
      // Granted at the same moment: a cancelled wait holds nothing.
      if isLent { lender?.returnLoan() } else { release(count) }
      throw CancellationError()
    }
    if isLent { return true }
    if result == PermitRequest.End.cancelled.result { throw CancellationError() }
    try check(result)
    return false
  }
}
