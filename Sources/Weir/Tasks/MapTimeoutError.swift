/// The error of an element of a map whose transform did not end in time.
///
/// There is no corresponding C type.
public struct MapTimeoutError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The time that the transform had.
  public var timeout: Duration { limit }
  private let limit: Duration

  init(_ limit: Duration) {
    self.limit = limit
  }

  /// The reason, as a sentence without a full stop.
  public var description: String { "the work did not end within \(limit)" }
}
