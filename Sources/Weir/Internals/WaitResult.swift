/// The result of a wait with a duration as its time-out.
///
/// There is no corresponding C type: in C a wait returns 0 or `ETIMEDOUT`.
public enum WaitResult: Sendable {
  /// The wait ended in time.
  case success
  /// The time-out came first.
  case timedOut
}
