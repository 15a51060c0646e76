// Tasks that submit to lanes with a backlog: they wait for room in order, or get
// an error.

import TestSupport
import Testing
import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct LanesSubmitTests {
  @Test("waiting tasks are served in order, without those that gave up")
  func line() async throws {
    let ran = try await onThread {
      let lanes = Lanes(label: "line", width: 1, backlog: 1)
      let ran = Shared<[Int]>([])
      lanes.suspend()
      let waiters = (0..<10).map { number in
        Waiter { try await lanes.submit { ran.change { $0.append(number) } } }
      }
      let ended = waiters.map(\.hasEnded)
      waiters[3].cancel()
      waiters[9].cancel()
      let cancelled = waiters.map(\.wasCancelled)
      lanes.resume()
      for waiter in waiters { _ = waiter.value() }
      lanes.wait()
      return (ended, cancelled, ran.value)
    }
    #expect(ran.0 == [true] + Array(repeating: false, count: 9))
    #expect(ran.1.indices.filter { ran.1[$0] } == [3, 9])
    #expect(ran.2 == [0, 1, 2, 4, 5, 6, 7, 8])
  }

  @Test("a close refuses waiting tasks, and releases their jobs")
  func closed() async throws {
    let lanes = Lanes(label: "closed", width: 1, backlog: 1)
    lanes.suspend()
    let held = [Canary(), Canary()]
    let freed = held.map(\.freed)
    let waiters = held.map { canary in
      Waiter { try await lanes.submit { withExtendedLifetime(canary) {} } }
    }
    lanes.close()
    #expect(waiters.map(\.hasEnded) == [true, true])
    #expect(waiters.map { $0.error as? LanesError } == [nil, .closed])
    #expect(freed.map(\.value) == [false, false])
    await #expect(throws: LanesError.closed) { try await lanes.submit {} }
    lanes.resume()
    await lanes.wait()
    #expect(lanes.statistics.finished == 1)

    let open = Lanes(label: "without a backlog", width: 1)
    try await open.submit {}
    open.close()
    await #expect(throws: LanesError.closed) { try await open.submit {} }
  }
}

/// An object that reports its destruction.
final class Canary: Sendable {
  let freed = Shared(false)

  deinit {
    freed.change { $0 = true }
  }
}
