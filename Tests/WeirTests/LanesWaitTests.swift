// Tasks that wait for lanes with a time-out.

import Dispatch
import TestSupport
import Testing
import Weir

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
}
