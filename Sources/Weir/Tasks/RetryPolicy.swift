/// The number of attempts for a failing element of a map, and the delay before each new one.
///
///     import Weir
///
///     let patient: RetryPolicy = .attempts(3, delay: .milliseconds(200))
///     let backingOff: RetryPolicy = .attempts(5) { failures, error in
///       error is TimeoutError ? .milliseconds(100) * (1 << failures) : nil
///     }
///     print(patient, backingOff)
///
/// During a delay the element counts towards the limit, and keeps its permit of a gate. So a map
/// that fails often puts less load on the resource. A cancelled task makes no new attempt, and a
/// `CancellationError` leads to none. There is no corresponding C type.
public struct RetryPolicy: Sendable {
  private let attempts: Int
  private let delay: @Sendable (_ failures: Int, _ error: any Error) -> Duration?

  /// Returns a policy with the same delay before each new attempt; zero or less for none.
  /// `attempts` is the highest number of attempts; one below 1 is a programmer's error, and traps.
  /// Blocks: no. There is no corresponding C function.
  public static func attempts(_ attempts: Int, delay: Duration) -> RetryPolicy {
    RetryPolicy(attempts) { _, _ in delay }
  }

  /// Returns a policy with a closure that chooses the delay. It is called after each failed attempt
  /// except the last one, with the number of failures so far and the error; several tasks may call
  /// it at once. It returns the delay, or `nil` for no new attempt. There is no corresponding C
  /// function.
  public static func attempts(
    _ attempts: Int, delay: @escaping @Sendable (_ failures: Int, _ error: any Error) -> Duration?
  ) -> RetryPolicy {
    RetryPolicy(attempts, delay)
  }

  private init(
    _ attempts: Int, _ delay: @escaping @Sendable (_ failures: Int, _ error: any Error) -> Duration?
  ) {
    guard attempts >= 1 else {
      misuse("a retry policy was given \(attempts) attempts; it is at least 1")
    }
    self.attempts = attempts
    self.delay = delay
  }

  /// Returns the delay before the next attempt, or `nil` if there is none.
  func delay(after failures: Int, _ error: any Error) -> Duration? {
    failures < attempts && !(error is CancellationError) ? delay(failures, error) : nil
  }
}
