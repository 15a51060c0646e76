// The options of a map's elements, and the attempts to transform one element. Each attempt with a
// time-out is a child task (`Timeout.swift`), since a cancelled task stays cancelled.

/// The time-out, the attempts and the clock of the transforms of a map, or of the children of a
/// windowed group.
///
///     let pages = try await urls.mapConcurrently(
///       limit: 8, options: MapOptions(timeout: .seconds(10), retry: .attempts(3, delay: .seconds(1)))
///     ) { url in
///       try await fetch(url)
///     }
///
/// There is no corresponding C type.
public struct MapOptions: Sendable {
  private let timeout: Duration?
  private let retry: RetryPolicy?
  private let clock: (any Clock<Duration>)?

  /// Creates options; by default a transform has one attempt and no time-out.
  ///
  /// - Parameters:
  ///   - timeout: The time that each attempt has; `nil` for no limit. After that time the attempt's
  ///     task is cancelled, and when it has ended the attempt fails with a ``TimeoutError``,
  ///     whatever its result. The time begins after the wait for the permits of `within:`; a wait
  ///     for a permit in the transform counts.
  ///   - retry: The number of attempts for an element that fails, and their delays; `nil` for one.
  ///   - clock: The clock of time-outs and delays, for example one that a test sets; `nil` for the
  ///     monotonic clock.
  ///
  /// Blocks: no. There is no corresponding C function.
  public init(
    timeout: Duration? = nil, retry: RetryPolicy? = nil, clock: (any Clock<Duration>)? = nil
  ) {
    self.timeout = timeout
    self.retry = retry
    self.clock = clock
  }

  /// Returns a transform of an index and an element, which makes these attempts.
  func attempts<Element: Sendable, R: Sendable>(
    of transform: @escaping @Sendable (Element) async throws -> R
  ) -> @Sendable (Int, Element) async throws -> R {
    if timeout == nil && retry == nil { return { _, element in try await transform(element) } }
    return { index, element in try await run(index) { try await transform(element) } }
  }

  /// Runs `body` until an attempt succeeds, or no new one follows.
  private func run<R: Sendable>(
    _ index: Int, _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    var failures = 0
    while true {
      do {
        return try await attempt(index, body)
      } catch {
        failures += 1
        guard let delay = retry?.delay(after: failures, error) else { throw error }
        try await sleep(delay)
      }
    }
  }

  private func attempt<R: Sendable>(
    _ index: Int, _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    guard let timeout else { return try await body() }
    let (result, isOver) = await timed(
      by: Deadline(after: timeout, by: clock), isolation: nil, { try await body() })
    if isOver { throw TimeoutError(element: index, timeout) }
    return try result.get()
  }

  /// Suspends for a duration; throws if the task is cancelled.
  private func sleep(_ duration: Duration) async throws {
    let end = await TaskWait().endOrCancellation(by: Deadline(after: duration, by: clock))
    if end == .cancelled { throw CancellationError() }
  }
}
