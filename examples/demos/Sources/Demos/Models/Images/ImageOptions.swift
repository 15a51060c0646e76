// The options of the image service, and its lines.

internal import Weir

/// The limit of an image service, and the wait for it.
public struct ImageOptions: Sendable {
  /// The two kinds of wait, and none.
  public enum Wait: Sendable, Equatable {
    /// There is no limit.
    case none
    /// `wait()`
    case forever
    /// `wait(wallTimeout:)`, which takes a time of day.
    case wallTimeout(Double)
  }

  /// The place of the wait.
  public enum Place: Sendable {
    /// In the block, on the image queue.
    case queue
    /// The caller of the service: the main queue, in the tutorial.
    case caller
  }

  /// The network that a limit follows.
  public enum Network: Int, Sendable, CaseIterable {
    case cellular = 1
    case wifi = 6

    /// The maximum number of requests.
    public var limit: Int { rawValue }
  }

  /// The name of its queue.
  public let label = "Image Queue"
  /// The maximum number of requests at once.
  public var limit = 3
  /// The wait of a request for its turn.
  public var wait = Wait.forever
  /// The place of the wait.
  public var place = Place.queue

  /// As in the tutorial: three at once, for as long as it takes.
  public init() {}
}

/// A line that an image service prints.
enum ImageLine {
  /// A request goes to the server; `timedOut` is `nil` without a limit.
  case start(Int, timedOut: Bool?)
  /// The completion handler has been called; `woken` is the result of `signal`.
  case end(Int, woken: Bool?)
  /// The wait timed out, and no request was made. The tutorial's code goes on without a permit.
  case refused(Int)

  /// Adds the line to the log.
  func note() {
    switch self {
    case .start(let number, let timedOut):
      let column = timedOut.map { " | TIMED OUT \($0)" } ?? ""
      WeirTrace.note("START\(column)", job: UInt64(number))
    case .end(let number, let woken):
      let column = woken.map { " | THREAD WOKEN \($0)" } ?? ""
      WeirTrace.note("END\(column)", job: UInt64(number))
    case .refused(let number):
      WeirTrace.note("REFUSED | TIMED OUT true", job: UInt64(number))
    }
  }
}
