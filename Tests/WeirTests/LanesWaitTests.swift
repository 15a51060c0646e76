// Tasks that wait for lanes with a time-out.

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct LanesWaitTests {
  @Test("a timed wait suspends until the lanes are idle or until its time-out")
  func timed() async throws {
    let lanes = Lanes(label: "timed", width: 2)
    #expect(await lanes.wait(timeout: .zero) == .success)
    let hold = Latch()
    lanes.async { hold.wait() }
    #expect(await lanes.wait(timeout: .zero) == .timedOut)
    #expect(await lanes.wait(timeout: .milliseconds(5)) == .timedOut)
    let results = try await onThread {
      let waiters = [
        Waiter { await lanes.wait(timeout: .seconds(40)) },
        Waiter { await lanes.wait(timeout: .seconds(Int64.max)) }, Waiter { await lanes.wait() },
      ]
      let early = waiters.filter(\.hasEnded).count
      hold.open()
      return (early, waiters.map { $0.value() })
    }
    #expect(results == (0, Array(repeating: .success, count: 3)))
    #expect(lanes.statistics.running == 0)
  }

  @Test("a task on one of the lanes may wait for them, and is a job until it suspends")
  func onOwnLane() async {
    let lanes = Lanes(label: "own", width: 1)
    await withTaskExecutorPreference(lanes) {
      #expect(await lanes.wait(timeout: .zero) == .timedOut)
      #expect(await lanes.wait(timeout: .seconds(40)) == .success)
    }
  }

  // The notification for the first task may be on its way when the second comes,
  // which waits for a job that the notification knows nothing of.
  @Test("a wait does not end with an earlier idle moment")
  func noOldNews() async throws {
    let wrong = try await onThread {
      let lanes = Lanes(label: "old news", width: 1)
      return (0..<300).count { _ in
        let first = Latch()
        let second = Latch()
        lanes.async { first.wait() }
        let early = Waiter { await lanes.wait(timeout: .seconds(40)) }
        first.open()
        while lanes.wait(timeout: .zero) == .timedOut { sched_yield() }
        lanes.async { second.wait() }
        let late = Waiter { await lanes.wait(timeout: .milliseconds(1)) }
        let results = (early.value(), late.value())
        second.open()
        // Behind what the second task left with the lanes.
        let told = Waiter { await lanes.wait() }
        _ = told.value()
        return results != (.success, .timedOut)
      }
    }
    #expect(wrong == 0)
  }

  @Test("waits that time out leave no memory behind")
  func memory() async throws {
    await #expect(processExitsWith: .success) {
      let lanes = Lanes(label: "long", width: 1)
      let hold = Latch()
      lanes.async { hold.wait() }
      func round(_ count: Int) async {
        for _ in 0..<count { await lanes.wait(timeout: .microseconds(30)) }
      }
      await round(1000)
      let before = bytesInUse()
      await round(4000)
      // libdispatch frees some memory late.
      let isFreed = await eventually { bytesInUse() - before < 48 * 4000 }
      guard isFreed else { fatalError("\(bytesInUse() - before) bytes for 4000 waits") }
      hold.open()
    }
  }
}
