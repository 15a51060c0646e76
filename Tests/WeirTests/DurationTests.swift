// Durations as time-outs: of all waits, by all clocks; huge and negative ones.

import Dispatch
import TestSupport
import Testing

@testable import Weir

@Suite(.timeLimit(.minutes(10)))
struct DurationTests {
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

  /// Times at which a wait for something that does not happen gives up.
  static let short: [Duration] = [.zero, .milliseconds(2), .seconds(-1), .seconds(Int64.min)]

  @Test("a gate gives up", arguments: short)
  func gate(timeout: Duration) async throws {
    let gate = Gate(label: "held", permits: 1)
    let held = try await gate.acquire()
    let clock: (any Clock<Duration>)? = ContinuousClock()
    for clock in [nil, clock] {
      await #expect(throws: TimeoutError.self) {
        try await gate.acquire(timeout: timeout, clock: clock).release()
      }
      await #expect(throws: TimeoutError.self) {
        try await gate.withPermit(timeout: timeout, clock: clock) {}
      }
      await #expect(throws: TimeoutError.self) {
        try await gate.withPermits(1, timeout: timeout, clock: clock) {}
      }
    }
    try await onThread {
      #expect(throws: TimeoutError.self) { try gate.acquire(timeout: timeout).release() }
      #expect(throws: TimeoutError.self) { try gate.withPermit(timeout: timeout) {} }
      #expect(throws: TimeoutError.self) { try gate.withPermits(1, timeout: timeout) {} }
    }
    #expect(gate.statistics.waiting == 0 && gate.statistics.inUse == 1)
    held.release()
  }

  @Test("lanes and groups give up", arguments: short)
  func lanesAndGroups(timeout: Duration) async throws {
    let lanes = Lanes(label: "suspended", width: 1)
    let group = WorkGroup(label: "waiting")
    lanes.suspend()
    group.async(on: lanes) {}
    let clock: (any Clock<Duration>)? = ContinuousClock()
    for clock in [nil, clock] {
      #expect(await lanes.wait(timeout: timeout, clock: clock) == .timedOut)
      #expect(try await group.wait(timeout: timeout, clock: clock) == .timedOut)
    }
    try await onThread {
      let ends = [lanes.wait(timeout: timeout), try group.wait(timeout: timeout)]
      #expect(ends == [.timedOut, .timedOut])
    }
    lanes.resume()
    #expect(await lanes.wait(timeout: .seconds(Int64.max)) == .success)
    let never = Duration.seconds(Int64.max)
    #expect(try await group.wait(timeout: never, clock: ContinuousClock()) == .success)
    try await onThread {
      let ends = [
        lanes.wait(timeout: .seconds(Int64.max)), try group.wait(timeout: .seconds(Int64.max)),
      ]
      #expect(ends == [.success, .success])
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
    let waits: [@Sendable () async -> Bool] = [
      {
        do { try await gate.acquire(timeout: .seconds(3600), clock: clock).release() } catch {
          return error is TimeoutError
        }
        return false
      },
      { await lanes.wait(timeout: .seconds(3600), clock: clock) == .timedOut },
      { (try? await group.wait(timeout: .seconds(3600), clock: clock)) == .timedOut },
    ]
    for wait in waits {
      let ended = Shared(false)
      let task = Task {
        let isRight = await wait()
        ended.change { $0 = true }
        return isRight
      }
      #expect(await eventually { clock.sleepers == 1 })
      clock.advance(by: .seconds(3599))
      #expect(clock.sleepers == 1 && !ended.value)
      clock.advance(by: .seconds(1))
      #expect(await task.value)
    }
    // Granted before the time: nothing sleeps any more.
    let granted = Task { try await gate.acquire(timeout: .seconds(3600), clock: clock).release() }
    #expect(await eventually { clock.sleepers == 1 })
    held.release()
    _ = try await granted.value
    #expect(await eventually { clock.sleepers == 0 })
    lanes.resume()
    await lanes.wait()
  }
}
