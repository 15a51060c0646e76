/// The reason that ``Lanes`` did not run a job.
///
/// Two errors are equal if their reasons are. Later versions may add reasons.
///
///     func answer(of lanes: Lanes) async throws -> Int? {
///       do {
///         return try await lanes.run { 42 }
///       } catch LanesError.closed {
///         return nil
///       }
///     }
///
/// The corresponding C results are `ECANCELED` and a call of `dropped`.
public struct LanesError: Error, Equatable, Sendable, CustomStringConvertible {
  enum Reason {
    case closed, cancelled
  }

  private let reason: Reason

  /// The name of the lanes; empty for an error that no lanes have thrown.
  public var label: String { lanes }

  @Uncompared private var lanes: String

  init(_ reason: Reason, label: String = "") {
    self.reason = reason
    lanes = label
  }

  /// The lanes are closed, or were closed before there was room for the job.
  public static var closed: LanesError { LanesError(.closed) }

  /// ``Lanes/cancel()`` dropped the job.
  public static var cancelled: LanesError { LanesError(.cancelled) }

  /// Returns true if an error has this reason, for `catch LanesError.closed`.
  @_disfavoredOverload
  public static func ~= (reason: LanesError, error: any Error) -> Bool {
    // Disfavored: otherwise a case of the same name in another error would be ambiguous.
    error as? LanesError == reason
  }

  /// The reason, as a sentence without a full stop.
  public var description: String {
    let name = label.isEmpty ? "the lanes" : "the lanes \"\(label)\""
    return switch reason {
    case .closed: "\(name) are closed"
    case .cancelled: "\(name) were cancelled before the job began"
    }
  }
}
