// Durations as time-outs: huge and negative ones, and those of a clock of the caller.

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
