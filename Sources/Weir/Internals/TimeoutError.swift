// The one error of all time-outs. It stands below what throws it, so the details of a gate or of a
// child are a value without a type here.

/// The error of every call whose time is over: of ``withTimeout(_:label:clock:_:)``, of waits for
/// permits and elements of pools, of the transforms of maps, and of `ChildProcess.run`.
///
///     import Weir
///
///     let connections = Gate(label: "connections", permits: 8)
///     do {
///       try connections.withPermit(timeout: .seconds(1)) { print("connected") }
///     } catch let error as TimeoutError {
///       print(error.label, error.duration)
///     }
///
/// The corresponding C result is `ETIMEDOUT`.
public struct TimeoutError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The label of the work, of the gate or of the pool, or the program of a child; empty for none.
  public let label: String
  /// For the transform of a map, the number of elements before its own in the sequence; for a child
  /// of a windowed group, the number of children before it.
  public let element: Int?
  /// The time that the work or the wait had.
  public let duration: Duration
  /// A `GateError`, whose text is then the reason, or the result of a child.
  @Uncompared private(set) var cause: (any Sendable)?

  init(
    label: String = "", element: Int? = nil, cause: (any Sendable)? = nil, _ duration: Duration
  ) {
    self.label = label
    self.element = element
    self.duration = duration
    self.cause = cause
  }

  /// The reason, as a sentence without a full stop.
  public var description: String {
    if let cause = cause as? any Error { return "\(cause)" }
    let work = label.isEmpty ? "the work" : "\"\(label)\""
    return
      "\(element.map { "the transform of element \($0)" } ?? work) did not end within \(duration)"
  }
}

/// The former name of `TimeoutError`.
@available(*, deprecated, renamed: "TimeoutError")
public typealias MapTimeoutError = TimeoutError
