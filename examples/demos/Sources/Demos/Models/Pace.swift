// How much faster than the tutorials' seconds a program runs.

public import Dispatch
internal import Glibc

/// Seconds of the tutorials, in seconds here.
public struct Pace: Sendable, Equatable {
  /// The factor, above 0.
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
    let nanoseconds = Int(seconds / speed * 1e9)
    var left = timespec(
      tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    var rest = left
    while nanosleep(&left, &rest) != 0 && errno == EINTR { left = rest }
  }

  /// Suspends for that long.
  public func pause(_ seconds: Double) async throws {
    try await Task.sleep(for: .seconds(seconds / speed))
  }
}
