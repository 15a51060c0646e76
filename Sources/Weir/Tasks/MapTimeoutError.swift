/// The error of an element of a map whose transform did not end in time.
///
/// There is no corresponding C type.
public struct MapTimeoutError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of elements before this one in the sequence.
  public let index: Int
  private let timeout: Duration

  init(index: Int, _ timeout: Duration) {
    self.index = index
    self.timeout = timeout
  }

  /// The reason, as a sentence without a full stop.
  public var description: String {
    "the transform of element \(index) did not end within \(timeout)"
  }
}
