/// The reason that a ``Gate`` granted no permits.
///
/// Two errors are equal if they have the same reason, whatever the gate:
///
///     import Weir
///
///     let gate = Gate(label: "connections", permits: 2)
///     do {
///       try gate.acquire(3).release()
///     } catch GateError.tooMany {
///       print("ask for fewer")
///     } catch {
///       print(error)
///     }
///
/// Later versions may add reasons; compare with the ones you know. A wait whose time is over throws
/// a ``TimeoutError``.
///
/// The corresponding C results are `ECANCELED` and `EINVAL`.
public struct GateError: Error, Hashable, Sendable {
  enum Reason {
    case closed, timedOut, tooMany
  }

  private let reason: Reason

  /// The label of the gate; empty in a reason to compare with.
  public var label: String { gate }

  @Uncompared private var gate: String
  @Uncompared private var requested: Int
  @Uncompared private var available: Int
  @Uncompared private var isOfBudget: Bool

  init(_ reason: Reason, _ gate: Gate? = nil, requested: Int = 0) {
    self.reason = reason
    self.requested = requested
    self.gate = gate?.label ?? ""
    available = gate?.permits ?? 0
    isOfBudget = gate?.isBudget == true
  }

  /// The gate is closed, or was closed during the wait.
  public static var closed: GateError { GateError(.closed) }

  /// The request was for more permits than the gate has, or than it had after a resize during the
  /// wait. A gate of 0 permits is paused: there requests wait.
  public static var tooMany: GateError { GateError(.tooMany) }
}

extension GateError: CustomStringConvertible {
  /// Returns true if an error is this reason, for `catch GateError.closed`. There is no
  /// corresponding C function.
  @_disfavoredOverload
  public static func ~= (reason: GateError, error: any Error) -> Bool {
    // Disfavored: otherwise `case .timedOut` of an Errno would be ambiguous.
    (error as? GateError ?? (error as? TimeoutError)?.cause as? GateError) == reason
  }

  /// The gate and the reason, as a sentence without a full stop.
  public var description: String {
    let gate =
      isOfBudget ? "the descriptor budget" : label.isEmpty ? "the gate" : "the gate \"\(label)\""
    return switch reason {
    case .closed: "\(gate) is closed"
    case .timedOut where requested == 0: "\(gate) did not have enough free permits in time"
    case .timedOut: "\(gate) did not have \(ofPermits(requested, "free ")) in time"
    case .tooMany where requested == 0: "\(gate) has fewer permits than were requested"
    case .tooMany:
      "\(gate) has \(ofPermits(available)); \(requested) were requested"
        + (isOfBudget ? "; raise ulimit -n or ask for fewer" : "")
    }
  }
}

/// Returns a number of permits in words.
func ofPermits(_ count: Int, _ kind: String = "") -> String {
  "\(count) \(kind)permit\(count == 1 ? "" : "s")"
}
