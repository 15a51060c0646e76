// Why a gate gave no permits.

/// Why a ``Gate`` gave no permits.
///
///     do {
///       let permit = try gate.acquire(3, timeout: .now() + .seconds(1))
///       permit.release()
///     } catch GateError.timedOut {
///       print("busy")
///     } catch {
///       print(error)
///     }
///
/// More reasons may come; compare with those you know.
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

  /// The gate is closed, or was closed while this waited.
  public static var closed: GateError { GateError(.closed) }

  /// The permits did not become free in time.
  public static var timedOut: GateError { GateError(.timedOut) }

  /// More permits were asked for than the gate has: at once, or because a
  /// resize made it so while this waited.
  public static var tooMany: GateError { GateError(.tooMany) }
}

extension GateError {
  /// So that `catch GateError.timedOut` also finds it where any error may be
  /// thrown, as by the `async` forms.
  ///
  /// There is no corresponding C function.
  @_disfavoredOverload
  public static func ~= (reason: GateError, error: any Error) -> Bool {
    // Disfavoured: `case .timedOut` of an Errno would else be ambiguous.
    error as? GateError == reason
  }
}

extension GateError: CustomStringConvertible {
  /// The reason, as a sentence without a full stop.
  public var description: String {
    switch reason {
    case .closed: "the gate is closed"
    case .timedOut: "the gate had not enough free permits in time"
    case .tooMany: "more permits were asked for than the gate has"
    }
  }
}
