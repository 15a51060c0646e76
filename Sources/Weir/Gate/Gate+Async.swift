// The forms of a gate for tasks, which suspend; what a cancelled or late wait does.
//
// DESIGN. A wait that is granted and cancelled in the same moment returns the permit and throws.
// To give the permit to a cancelled task would be as right; one rule is easier to rely on.

internal import CWeir
public import Dispatch
internal import SystemPackage

extension Gate {
  /// Takes permits, all at once; suspends the task until they are free.
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
  /// `defer { extendLifetime(permit) }` keeps the permits to the end of the scope, also after an
  /// error; `_ = try await gate.acquire()`, a fix-it of the compiler, releases them **at once**. A
  /// cancelled task leaves the queue at once and holds nothing, even if the permits were granted at
  /// the same moment.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The duration after which to give up; `nil` for none. A duration of zero or less
  ///     does not wait; one of a century or more never ends.
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
    _ count: Int = 1, timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil
  ) async throws -> Permit {
    try await obtain(checked(count), Deadline(after: timeout, by: clock))
    return Permit(handle, count)
  }

  /// Takes permits, until a time of `DispatchTime`; otherwise like the form with a duration.
  ///
  /// Blocks: no, it suspends. The corresponding C function is `weir_gate_request_f`.
  nonisolated(nonsending) public func acquire(
    _ count: Int = 1, timeout: DispatchTime
  ) async throws -> Permit {
    try await obtain(checked(count), Deadline(timeout))
    return Permit(handle, count)
  }

  /// Takes permits, until a time of day; otherwise like the form with a duration.
  ///
  /// Blocks: no, it suspends. The corresponding C function is `weir_gate_request_f`.
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
  /// `body` runs on the caller's actor, if any. A scope of the same task that holds a permit of
  /// this gate lends it, so that a function that takes a permit may be called where the
  /// permit is already held.
  ///
  /// - Parameter body: Called once, unless no permit was obtained.
  /// - Returns: The result of `body`.
  /// - Throws: ``GateError``, `CancellationError`, or the error of `body`.
  /// - Complexity: O(1).
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and `weir_gate_signal`.
  nonisolated(nonsending) public func withPermit<R>(
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withOwnOrBorrowedPermit(by: nil, body)
  }

  /// Runs `body` with a permit, unless a duration passes before; otherwise like `withPermit(_:)`.
  ///
  /// - Parameters:
  ///   - timeout: The duration after which to give up, as of `acquire(_:timeout:clock:)`.
  ///   - clock: The clock that measures the duration; `nil` for that of `DispatchTime`.
  ///   - body: Called once, on the caller's actor, unless no permit was obtained.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and `weir_gate_signal`.
  nonisolated(nonsending) public func withPermit<R>(
    timeout: Duration, clock: (any Clock<Duration>)? = nil,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withOwnOrBorrowedPermit(by: Deadline(after: timeout, by: clock), body)
  }

  /// Runs `body` with a permit, until a time of `DispatchTime`; otherwise like `withPermit(_:)`.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and `weir_gate_signal`.
  nonisolated(nonsending) public func withPermit<R>(
    timeout: DispatchTime, _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withOwnOrBorrowedPermit(by: Deadline(timeout), body)
  }

  /// Runs `body` with permits, and releases them afterwards.
  ///
  /// The permits are taken in addition to those that the task holds already; only
  /// `withPermit` borrows from an outer scope.
  ///
  /// - Parameters:
  ///   - count: The number of permits, 0 or more.
  ///   - timeout: The duration after which to give up, as of `acquire(_:timeout:clock:)`.
  ///   - clock: The clock that measures the duration; `nil` for that of `DispatchTime`.
  ///   - body: Called once, on the caller's actor, unless no permits were obtained.
  /// - Returns: The result of `body`.
  /// - Throws: ``GateError``, `CancellationError`, or the error of `body`.
  /// - Complexity: O(1). A wait with a time-out costs a timer.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and `weir_gate_signal`.
  nonisolated(nonsending) public func withPermits<R>(
    _ count: Int, timeout: Duration? = nil, clock: (any Clock<Duration>)? = nil,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withPermits(count, by: Deadline(after: timeout, by: clock), body)
  }

  /// Runs `body` with permits, until a time of `DispatchTime`; otherwise like the form with a
  /// duration.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and `weir_gate_signal`.
  nonisolated(nonsending) public func withPermits<R>(
    _ count: Int, timeout: DispatchTime, _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withPermits(count, by: Deadline(timeout), body)
  }

  /// Runs `body` with permits, until a time of day; otherwise like the form with a duration.
  ///
  /// Blocks: no, it suspends.
  ///
  /// The corresponding C functions are `weir_gate_request_f` and `weir_gate_signal`.
  nonisolated(nonsending) public func withPermits<R>(
    _ count: Int, wallTimeout: DispatchWallTime,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await withPermits(count, by: Deadline(wallTimeout), body)
  }

  // MARK: Scopes

  nonisolated(nonsending) private func withPermits<R>(
    _ count: Int, by deadline: Deadline?,
    _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try await obtain(checked(count), deadline)
    return try await withScope(Holding(self, count, .gate), body)
  }

  /// Runs `body` with a permit of this gate, or with a loan of a scope of this task.
  nonisolated(nonsending) func withOwnOrBorrowedPermit<R>(
    by deadline: Deadline?, _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    if let lender = Holding.borrow(from: self) {
      return try await withScope(Holding(self, 1, .ownTask(lender)), body)
    }
    // A scope whose loans are out gets them back from the children of a group.
    let lender = Holding.lender(of: self)
    let isLent = try await obtain(1, deadline, orLoanOf: lender)
    return try await withScope(Holding(self, 1, isLent ? .ownTask(lender) : .gate), body)
  }

  /// Runs `body` with a permit of this gate, or with a loan of `lender`, a scope of the task
  /// that waits for this one.
  nonisolated(nonsending) func withOwnOrLentPermit<R>(
    from lender: Holding?, _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    var isLent = lender?.borrow() == true
    if !isLent { isLent = try await obtain(1, nil, orLoanOf: lender) }
    return try await withScope(Holding(self, 1, isLent ? .waitingTask(lender) : .gate), body)
  }

  nonisolated(nonsending) private func withScope<R>(
    _ holding: Holding, _ body: nonisolated(nonsending) () async throws -> R
  ) async throws -> R {
    defer { holding.end() }
    return try await Holding.$current.withValue(holding) { try await body() }
  }

  func release(_ count: Int) {
    _ = weir_gate_signal(handle, count)
  }

  // MARK: Obtaining permits

  nonisolated(nonsending) func obtain(_ count: Int, _ deadline: Deadline?) async throws {
    try Task.checkCancellation()
    _ = try await obtain(count, deadline, orLoanOf: nil)
  }

  /// Returns true if the permit is a loan.
  nonisolated(nonsending) private func obtain(
    _ count: Int, _ deadline: Deadline?, orLoanOf lender: Holding?
  ) async throws -> Bool {
    if try takesAtOnce(count) { return false }
    let request = PermitRequest()
    let waitsForItself = lender == nil && Holding.held(of: self) > 0
    let timer = GateWaitTimer(deadline, watched: waitsForItself ? self : nil, request, count)
    defer {
      timer?.stop()
      lender?.withdraw(request)
    }
    return try await decision(request, count, lender: lender)
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
