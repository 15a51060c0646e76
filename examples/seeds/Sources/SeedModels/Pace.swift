// How much faster than the tutorials' seconds a program runs.

import Dispatch
import Foundation

/// Seconds of the tutorials, in seconds here.
public struct Pace: Sendable, Equatable {
  /// How many times as fast: above 0.
  public let speed: Double

  /// A pace of so many times the tutorials'.
  public init(speed: Double) {
    self.speed = speed
  }

  /// The same as a time that libdispatch takes.
  public func interval(_ seconds: Double) -> DispatchTimeInterval {
    .nanoseconds(Int(seconds / speed * 1e9))
  }

  /// Blocks this thread for that long.
  @available(*, noasync, message: "use the async form, which suspends")
  public func sleep(_ seconds: Double) {
    Thread.sleep(forTimeInterval: seconds / speed)
  }

  /// Suspends for that long.
  public func pause(_ seconds: Double) async throws {
    try await Task.sleep(for: .seconds(seconds / speed))
  }
}
