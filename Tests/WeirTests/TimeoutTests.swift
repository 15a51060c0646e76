// A time-out for any async code, durations as time-outs, and clocks of the caller.

import Dispatch
import TestSupport
import Testing

@testable import Weir

@Suite(.timeLimit(.minutes(10)))
struct TimeoutTests {
  /// A body with a time-out of a minute by a clock, which the caller advances.
  private static func task<T: Sendable>(
    _ clock: ManualClock, _ body: @escaping @Sendable () async throws -> T
  ) async throws -> Task<T, any Error> {
    let task = Task { try await withTimeout(.seconds(60), label: "slow", clock: clock, body) }
    try #require(await eventually { clock.sleepers == 1 })
    return task
  }

  @Test("a body that ends in time gives its result or its error")
  func inTime() async throws {
    #expect(try await withTimeout(.seconds(3600)) { 42 } == 42)
    await #expect(throws: Bad.self) { try await withTimeout(.seconds(3600)) { throw Bad() } }
    await #expect(throws: CancellationError.self) {
      try await withTimeout(.seconds(3600)) { throw CancellationError() }
    }
  }

  @Test("a body is cancelled when its time is over, and not before")
  func isOver() async throws {
    let clock = ManualClock()
    let task = try await Self.task(clock) {
      await untilCancelled()
      try Task.checkCancellation()
    }
    clock.advance(by: .seconds(59))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: TimeoutError.self) { try await task.value }
    #expect(error?.label == "slow" && error?.duration == .seconds(60) && error?.element == nil)
    #expect(error.map { "\($0)" } == "\"slow\" did not end within 60.0 seconds")
    // The shortest of nested times counts.
    for (outer, inner) in [(0, 3600_000), (1, 3600_000), (3600_000, 1)] {
      let error = await #expect(throws: TimeoutError.self) {
        try await withTimeout(.milliseconds(outer)) {
          try await withTimeout(.milliseconds(inner)) {
            await untilCancelled()
            try Task.checkCancellation()
          }
        }
      }
      #expect(error?.duration == .milliseconds(min(outer, inner)))
    }
  }

  @Test("a result or another error that comes after the time counts; a cancelled task has none")
  func late() async throws {
    let clock = ManualClock()
    let result = try await Self.task(clock) {
      await untilCancelled()
      return 42
    }
    clock.advance(by: .seconds(60))
    #expect(try await result.value == 42)
    let failure = try await Self.task(clock) {
      await untilCancelled()
      throw Bad()
    }
    clock.advance(by: .seconds(60))
    await #expect(throws: Bad.self) { try await failure.value }
    let cancelled = try await Self.task(clock) {
      await untilCancelled()
      clock.advance(by: .seconds(60))
      try Task.checkCancellation()
    }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  @MainActor @Test("a body runs on the actor of its caller, with its objects")
  func isolation() async throws {
    final class Counter { var count = 0 }
    let counter = Counter()
    let same = try await withTimeout(.seconds(3600)) {
      MainActor.assertIsolated()
      counter.count += 1
      await Task.yield()
      MainActor.assertIsolated()
      return counter
    }
    #expect(same === counter && counter.count == 1)
  }

  @Test("a duration becomes a time: at once, in time, or never", arguments: [-1, 1])
  func times(sign: Int) {
    let huge: [Duration] = [.seconds(Int64.max), .seconds(4_000_000_000), .seconds(3_155_760_000)]
    for duration in huge {
      let time = DispatchTime(after: duration * sign)
      #expect(sign > 0 ? time == .distantFuture : time.rawValue == 0)
    }
    let small: [(Duration, UInt64)] = [
      (.zero, 0), (Duration(secondsComponent: 0, attosecondsComponent: 1), 1), (.nanoseconds(1), 1),
      (.milliseconds(1), 1_000_000), (.seconds(3_000_000_000), 3_000_000_000_000_000_000),
    ]
    for (duration, nanoseconds) in small {
      let earliest = DispatchTime.now().uptimeNanoseconds
      let time = DispatchTime(after: duration * sign).uptimeNanoseconds
      let latest = DispatchTime.now().uptimeNanoseconds
      if sign > 0 && nanoseconds > 0 {
        #expect((earliest + nanoseconds...latest + nanoseconds).contains(time), "\(duration)")
      } else {
        #expect(time == 0, "DISPATCH_TIME_NOW, which does not wait")
      }
    }
  }

  @Test("a clock of the caller decides, and a wait that has ended no longer sleeps")
  func manualClock() async throws {
    let clock = ManualClock()
    let gate = Gate(label: "held", permits: 1)
    let lanes = Lanes(label: "suspended", width: 1)
    let group = WorkGroup(label: "waiting")
    lanes.suspend()
    group.async(on: lanes) {}
    let held = try await gate.acquire()
    let wait: @Sendable () async throws -> Void = {
      try await gate.acquire(timeout: .seconds(3600), clock: clock).release()
    }
    let waits: [@Sendable () async -> Bool] = [
      { await #expect(throws: TimeoutError.self) { try await wait() } != nil },
      { await lanes.wait(timeout: .seconds(3600), clock: clock) == .timedOut },
      { (try? await group.wait(timeout: .seconds(3600), clock: clock)) == .timedOut },
    ]
    for wait in waits {
      let task = Task { await wait() }
      #expect(await eventually { clock.sleepers == 1 })
      clock.advance(by: .seconds(3599))
      #expect(clock.sleepers == 1)
      clock.advance(by: .seconds(1))
      #expect(await task.value)
    }
    // Granted before the time: nothing sleeps any more.
    let granted = Task { try await wait() }
    #expect(await eventually { clock.sleepers == 1 })
    held.release()
    _ = try await granted.value
    #expect(await eventually { clock.sleepers == 0 })
    lanes.resume()
    await lanes.wait()
  }
}
