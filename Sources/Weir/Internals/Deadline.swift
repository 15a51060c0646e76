// Time: the end of a wait, the alarm that goes off then, and durations in words.

internal import CWeir
internal import Dispatch

/// The end of a wait: a time by the monotonic clock, or by a clock of the caller.
enum Deadline: Sendable {
  case time(DispatchTime)
  case instant(hasPassed: @Sendable () -> Bool, sleep: @Sendable () async throws -> Void)

  /// Creates the end of a wait that begins now; `nil` without a duration, and for a century or more.
  init?(after duration: Duration?, by clock: (any Clock<Duration>)?) {
    guard let duration, duration < century else { return nil }
    if let clock {
      self = Deadline.instant(of: clock, after: duration)
    } else {
      self = .time(DispatchTime(after: duration))
    }
  }

  private static func instant(of clock: some Clock<Duration>, after duration: Duration) -> Deadline
  {
    let end = clock.now.advanced(by: duration)
    return .instant(
      hasPassed: { end <= clock.now }, sleep: { try await clock.sleep(until: end, tolerance: nil) })
  }

  /// A Boolean value that indicates whether the time has passed, so that no alarm is needed.
  var hasPassed: Bool {
    switch self {
    case .time(let time): time <= .now()
    case .instant(let hasPassed, _): hasPassed()
    }
  }

  /// Sets an alarm that calls a closure at this time, at most once: on the thread of the alarms, or
  /// in a task for the caller's clock. The closure must not wait. The alarm ends with its object.
  func alarm(_ handler: @escaping Work) -> Alarm {
    switch self {
    case .time(let time): Alarm(at: time, handler)
    case .instant(_, let sleep): Alarm(Task { if (try? await sleep()) != nil { handler() } }.cancel)
    }
  }
}

/// A call at a time, which does not come after the object is gone.
final class Alarm: Sendable {
  private let end: Work

  fileprivate init(_ end: @escaping Work) {
    self.end = end
  }

  fileprivate convenience init(at time: DispatchTime, _ handler: @escaping Work) {
    // nonisolated(unsafe): never changed; any thread may end an alarm, and own its context.
    nonisolated(unsafe) let context = Box<Work>.retain(handler)
    guard let alarm = weir_spi_alarm_set(time.uptimeNanoseconds, context, callWork) else {
      fatalError("no memory for an alarm")
    }
    nonisolated(unsafe) let handle = alarm
    self.init { if weir_spi_alarm_end(handle) { _ = Box<Work>.take(context) } }
  }

  deinit {
    end()
  }
}

/// The shortest duration that counts as endless. libdispatch counts 146 years.
private let century = Duration.seconds(3_155_760_000)

extension DispatchTime {
  /// The end of a wait that begins now: `DISPATCH_TIME_NOW`, which does not wait, for a duration of
  /// zero or less; never without a duration, and for a century or more. A fraction of a nanosecond
  /// is rounded up.
  init(after duration: Duration?) {
    guard let duration, duration < century else {
      self = .distantFuture
      return
    }
    guard duration > .zero else {
      self.init(uptimeNanoseconds: 0)
      return
    }
    let (seconds, attoseconds) = duration.components
    let nanoseconds = seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
    self = .now() + .nanoseconds(Int(clamping: nanoseconds))
  }
}

/// The result of a wait with a duration as its time-out. There is no corresponding C type: in C a
/// wait returns 0 or `ETIMEDOUT`.
public enum WaitResult: Sendable {
  /// The wait ended in time.
  case success
  /// The time-out came first.
  case timedOut
}

extension Duration {
  /// An error of the compiler for a time-out in the form of libdispatch, in place of none.
  @available(
    *, unavailable,
    message: "a time-out is a duration, not a time: .seconds(1) in place of .now() + .seconds(1)"
  )
  public static func now() -> Duration { fatalError("unavailable") }

  /// The same for `.now() + 5`.
  @available(*, unavailable, message: "a duration has a unit, as in .seconds(5)")
  public static func + (duration: Duration, seconds: Double) -> Duration {
    fatalError("unavailable")
  }

  /// The duration with one to three digits before the point: "1.5 s", "20.0 ms", "3 us".
  package var short: String {
    let (seconds, attoseconds) = components
    let microseconds = attoseconds / 1_000_000_000_000
    if seconds > 0 { return "\(seconds).\(microseconds / 100_000) s" }
    if microseconds < 1000 { return "\(microseconds) us" }
    return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }
}
