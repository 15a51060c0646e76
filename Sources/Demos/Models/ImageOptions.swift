// The options of the image service, and its lines.

internal import Weir

/// How an image service limits its requests.
public struct ImageOptions: Sendable {
  /// The three kinds of wait, and none.
  public enum Wait: Sendable, Equatable {
    /// There is no limit.
    case none
    /// `wait()`
    case forever
    /// `wait(timeout:)`, which takes a time of the clock that runs while the
    /// machine does.
    case timeout(Double)
    /// `wait(wallTimeout:)`, which takes a time of day.
    case wallTimeout(Double)
  }

  /// Where it is waited.
  public enum Place: Sendable {
    /// In the block, on the image queue.
    case queue
    /// Where the image is asked for: on the main queue, in the tutorial.
    case caller
  }

  /// What the tutorials would have limits follow.
  public enum Network: Int, Sendable, CaseIterable {
    case cellular = 1
    case wifi = 6

    /// How many requests there may be.
    public var limit: Int { rawValue }
  }

  /// The name of its queue.
  public var label = "Image Queue"
  /// How many requests there may be at once.
  public var limit = 3
  /// How a request waits for its turn.
  public var wait = Wait.forever
  /// Where it waits.
  public var place = Place.queue
  /// How fast the seconds pass.
  public var pace = Pace(speed: 10)

  /// As in the tutorial: three at once, for as long as it takes.
  public init() {}
}

/// A line that an image service prints.
public enum ImageLine: Sendable, Equatable {
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
      Trace.note("START\(column)", job: UInt64(number))
    case .end(let number, let woken):
      let column = woken.map { " | THREAD WOKEN \($0)" } ?? ""
      Trace.note("END\(column)", job: UInt64(number))
    case .refused(let number):
      Trace.note("REFUSED | TIMED OUT true", job: UInt64(number))
    }
  }
}
