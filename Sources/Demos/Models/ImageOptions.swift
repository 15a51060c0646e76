// What an image service can be told.

internal import Dispatch

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

/// What an image service prints.
public enum ImageLine: Sendable, Equatable {
  /// A request goes to the server; `timedOut` where there was a limit.
  case start(Int, timedOut: Bool?)
  /// The completion handler has been called; `woken` is what `signal` said.
  case end(Int, woken: Bool?)
  /// The wait timed out, and no request was made. The tutorial's code goes on
  /// without a permit.
  case refused(Int)
}
