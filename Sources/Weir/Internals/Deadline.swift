// The end of a wait, and the alarm that goes off at that time.

internal import Dispatch

/// The end of a wait: a time by the monotonic clock, by the wall clock, or by a clock of the
/// caller.
enum Deadline: Sendable {
  case time(DispatchTime)
  case wallTime(DispatchWallTime)
  case instant(any ClockInstant)

  /// Returns `nil` for a wait without a time-out.
  init?(_ time: DispatchTime) {
    if time == .distantFuture { return nil }
    self = .time(time)
  }

  /// Returns `nil` for a wait without a time-out.
  init?(_ time: DispatchWallTime) {
    if time == .distantFuture { return nil }
    self = .wallTime(time)
  }

  /// Creates the end of a wait that begins now; `nil` for a wait of a century or more.
  ///
  /// - Parameter clock: The clock; `nil` for the monotonic clock of `DispatchTime`.
  init?(after duration: Duration, by clock: (any Clock<Duration>)?) {
    guard let clock else {
      self.init(DispatchTime(after: duration))
      return
    }
    if duration >= Deadline.century { return nil }
    self = .instant(Deadline.instant(of: clock, after: duration))
  }

  private static func instant(
    of clock: some Clock<Duration>, after duration: Duration
  ) -> any ClockInstant {
    InstantOfClock(clock: clock, instant: clock.now.advanced(by: duration))
  }

  /// The shortest duration that counts as endless. libdispatch counts 146 years.
  static let century = Duration.seconds(3_155_760_000)

  /// A Boolean value that indicates whether the time has passed, so that no alarm is needed.
  var hasPassed: Bool {
    switch self {
    case .time(let time): time <= .now()
    case .wallTime(let time): !(.now() < time)
    case .instant(let instant): instant.hasPassed
    }
  }

  /// Returns a running alarm that calls a closure at this time, at most once.
  ///
  /// - Parameter queue: The queue that calls the closure, unless a task does for the caller's
  ///   clock.
  func alarm(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) -> Alarm {
    if case .instant(let instant) = self {
      return .task(
        Task {
          if (try? await instant.sleep()) != nil { handler() }
        })
    }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    switch self {
    case .time(let time): timer.schedule(deadline: time)
    case .wallTime(let time): timer.schedule(wallDeadline: time)
    case .instant: break
    }
    timer.setEventHandler(handler: handler)
    timer.activate()
    return .timer(timer)
  }
}

/// A running timer, or a task that sleeps on a clock of the caller.
enum Alarm {
  case timer(any DispatchSourceTimer)
  case task(Task<Void, Never>)

  func cancel() {
    switch self {
    case .timer(let timer): timer.cancel()
    case .task(let task): task.cancel()
    }
  }
}

/// A time by a clock of the caller.
protocol ClockInstant: Sendable {
  var hasPassed: Bool { get }

  /// Suspends until that time.
  func sleep() async throws
}

private struct InstantOfClock<C: Clock<Duration>>: ClockInstant {
  let clock: C
  let instant: C.Instant

  var hasPassed: Bool { instant <= clock.now }

  func sleep() async throws {
    try await clock.sleep(until: instant, tolerance: nil)
  }
}

extension DispatchTime {
  /// The end of a wait that begins now: now for a negative duration, never for a century or
  /// more. A fraction of a nanosecond is rounded up.
  init(after duration: Duration) {
    if duration <= .zero {
      self = .now()
    } else if duration >= Deadline.century {
      self = .distantFuture
    } else {
      let (seconds, attoseconds) = duration.components
      let nanoseconds = seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
      self = .now() + .nanoseconds(Int(clamping: nanoseconds))
    }
  }
}
