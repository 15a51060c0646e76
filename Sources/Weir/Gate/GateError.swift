/// The reason that a ``Gate`` granted no permits.
///
/// Later versions may add reasons; compare with the ones you know.
///
/// The corresponding C results are `ECANCELED`, `ETIMEDOUT` and `EINVAL`.
public struct GateError: Error, Hashable, Sendable {
  private enum Reason: Hashable, Sendable {
    case closed, timedOut, tooMany
  }

  private let reason: Reason

  private init(_ reason: Reason) {
    self.reason = reason
  }

  /// The gate is closed, or was closed during the wait.
  public static var closed: GateError { GateError(.closed) }

  /// The permits did not become free in time.
  public static var timedOut: GateError { GateError(.timedOut) }

  /// The request was for more permits than the gate has, or than it had after a resize
  /// during the wait.
  ///
  /// A gate of 0 permits is paused: requests wait for a resize, and a try returns no
  /// permit.
  public static var tooMany: GateError { GateError(.tooMany) }
}

extension GateError: CustomStringConvertible {
  /// Returns a Boolean value that indicates whether an error is this reason. It lets `catch
  /// GateError.timedOut` match an `any Error`, which the `async` forms throw.
  ///
  /// There is no corresponding C function.
  @_disfavoredOverload
  public static func ~= (reason: GateError, error: any Error) -> Bool {
    // Disfavored: otherwise `case .timedOut` of an Errno would be ambiguous.
    error as? GateError == reason
  }

  /// The reason, as a sentence without a full stop.
  public var description: String {
    switch reason {
    case .closed: "the gate is closed"
    case .timedOut: "the gate did not have enough free permits in time"
    case .tooMany: "the request was for more permits than the gate has"
    }
  }
}
