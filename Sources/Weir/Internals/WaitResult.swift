internal import Dispatch

/// The result of a wait with a duration as its time-out.
///
/// The cases are those of `DispatchTimeoutResult`, which needs `import Dispatch`.
///
/// There is no corresponding C type: in C a wait returns 0 or `ETIMEDOUT`.
public enum WaitResult: Sendable {
  /// The wait ended in time.
  case success
  /// The time-out came first.
  case timedOut

  /// The same result, for a wait until a time of `DispatchTime`.
  var ofDispatch: DispatchTimeoutResult { self == .success ? .success : .timedOut }
}
