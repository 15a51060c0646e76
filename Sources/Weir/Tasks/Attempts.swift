// The attempts to transform one element of a map.
//
// DESIGN. A cancelled task stays cancelled, so each attempt with a time-out is a child task
// of its own, next to one that sleeps. The element's task only waits for the two, and its
// scopes count as the attempt's own (`Deputy`): otherwise a map nested in the transform would
// get no loan.

/// The time-out of an attempt, and the reaction to its failure.
struct Attempts: Sendable {
  private let timeout: Duration?
  private let retry: RetryPolicy?
  private let clock: (any Clock<Duration>)?

  init(timeout: Duration?, retry: RetryPolicy?, clock: (any Clock<Duration>)?) {
    self.timeout = timeout
    self.retry = retry
    self.clock = clock
  }

  /// Runs `body` until an attempt succeeds, or no new one follows.
  func run<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) async throws -> R {
    var failures = 0
    while true {
      do {
        return try await attempt(body)
      } catch {
        failures += 1
        guard let delay = retry?.delay(after: failures, error) else { throw error }
        try await sleep(delay)
      }
    }
  }

  private func attempt<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    guard let timeout else { return try await body() }
    let deputy = Deputy()
    return try await withThrowingTaskGroup(of: R?.self) { group in
      group.addTask { .some(try await deputy.run(body)) }
      group.addTask {
        try await sleep(timeout)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let result = first else {
        throw MapTimeoutError(timeout)
      }
      return result
    }
  }

  /// Suspends for a duration; throws if the task is cancelled.
  private func sleep(_ duration: Duration) async throws {
    let end = await TaskWait().endOrCancellation(by: Deadline(after: duration, by: clock))
    if end == .cancelled { throw CancellationError() }
  }
}
