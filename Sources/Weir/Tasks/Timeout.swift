// A time-out for any async code.
//
// DESIGN. The shape is that of SE-0526, `withDeadline(in:clock:body:)`: the body does not escape
// and runs on the caller's actor; the end of the time cancels it, and the function waits for it; a
// result that comes nevertheless is the result. In SE-0526 the body finds the reason in its
// `CancellationError`, which that of Swift 6.3 does not have.
//
// A task cannot be cancelled for a while, so the body is a child task, next to one that waits for
// the time. The calling task's scopes at gates count as the body's own (`Deputy`): otherwise a map
// nested in the body would get no loan.

/// Runs `body`, and cancels it when its time is over.
///
///     import Weir
///
///     let connections = Gate(label: "connections", permits: 8)
///     let answer = try await connections.withPermit {
///       try await withTimeout(.seconds(5), label: "answer") { 42 }
///     }
///     print(answer)
///
/// The time is that of `body` alone. At its end `body` is cancelled, and the function returns when
/// it has ended. Calls may be nested: the shortest time counts.
///
/// - Parameters:
///   - duration: The time that `body` has.
///   - body: Called once, on the caller's actor, in a child task.
/// - Returns: The result of `body`, even if it comes after the end of the time.
/// - Throws: The error of `body`; a ``TimeoutError`` in place of a `CancellationError` if the time
///   was over and the task is not cancelled.
///
/// Blocks: no, it suspends. There is no corresponding C function.
nonisolated(nonsending) public func withTimeout<R>(
  _ duration: Duration, label: String = "", clock: (any Clock<Duration>)? = nil,
  _ body: nonisolated(nonsending) () async throws -> R
) async throws -> R {
  let deadline = Deadline(after: duration, by: clock)
  let (result, isOver) = await timed(by: deadline, isolation: #isolation, body)
  if isOver, case .failure(is CancellationError) = result, !Task.isCancelled {
    throw TimeoutError(label: label, duration)
  }
  return try result.get()
}

/// Runs `body`, cancels it at a time, and returns its result when it has ended, and true if it had
/// not ended at that time.
func timed<R>(
  by deadline: Deadline?, isolation: isolated (any Actor)?,
  _ body: nonisolated(nonsending) () async throws -> R
) async -> (Result<R, any Error>, isOver: Bool) {
  await withoutActuallyEscaping(body) { body in
    let timed = TimedBody(body)
    return await timed.run(by: deadline, isolation: isolation)
  }
}

/// A body and its result.
// @unchecked: one task at a time uses it. The calling task waits while the child does.
private final class TimedBody<R>: @unchecked Sendable {
  private let body: nonisolated(nonsending) () async throws -> R
  private let deputy = Deputy()
  private var result: Result<R, any Error> = .failure(CancellationError())

  init(_ body: nonisolated(nonsending) @escaping () async throws -> R) {
    self.body = body
  }

  func run(
    by deadline: Deadline?, isolation: isolated (any Actor)?
  ) async -> (Result<R, any Error>, isOver: Bool) {
    // Not retained: at the end of `withoutActuallyEscaping` the body must have no other owner, and a
    // child releases what it has captured only after its end.
    let lent = Unmanaged.passUnretained(self)
    let isOver = await withTaskGroup(of: Bool.self) { group in
      _ = isolation
      group.addTask {
        await lent._withUnsafeGuaranteedRef { $0 }.runBody(isolation: isolation)
        return false
      }
      group.addTask { await TaskWait().endOrCancellation(by: deadline) == .timedOut }
      let isOver = await group.next() ?? false
      group.cancelAll()
      await group.waitForAll()
      return isOver
    }
    return (result, isOver)
  }

  // Never inlined: its references to the body are released when it returns.
  @inline(never)
  private func runBody(isolation: isolated (any Actor)?) async {
    do {
      result = .success(
        try await deputy.run(isolation: isolation) { [body] in try await body() })
    } catch {
      result = .failure(error)
    }
  }
}
