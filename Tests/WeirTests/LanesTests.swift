// Lanes: waits, notifications, inline lanes, and closures that are freed.

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct LanesTests {
  @Test("a wait times out while a job runs, and succeeds when it has ended")
  func waitTimesOut() async throws {
    let results = try await onThread {
      let lanes = Lanes(label: "waiting", width: 2)
      let hold = Latch()
      lanes.async { hold.wait() }
      let at = lanes.wait(timeout: .zero)
      let soon = lanes.wait(timeout: .milliseconds(5))
      hold.open()
      return [at, soon, lanes.wait(timeout: .seconds(40)), lanes.wait()]
    }
    #expect(results == [.timedOut, .timedOut, .success, .success])
  }

  @Test("the async wait leaves the cooperative pool to others")
  func asyncWait() async {
    // In a process of its own: if it blocked, everything would.
    await #expect(processExitsWith: .success) {
      alarm(40)
      let lanes = Lanes(label: "suspended", width: 1)
      let hold = Latch()
      lanes.async { hold.wait() }
      await withTaskGroup { group in
        // More waiters than the pool has threads, and then the one that frees
        // them.
        for _ in 0..<(sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 4) {
          group.addTask { _ = await lanes.wait() }
        }
        for _ in 0..<100 { await Task.yield() }
        group.addTask { hold.open() }
      }
    }
  }

  @Test("inline lanes run each job on the caller, in order, without recursion")
  func inline() {
    let lanes = Lanes.inline(label: "inline")
    let caller = pthread_self()
    let seen = Shared<[Int]>([])
    lanes.async {
      seen.change { $0.append(1) }
      lanes.async { seen.change { $0.append(3) } }
      seen.change { $0.append(2) }
    }
    #expect(seen.value == [1, 2, 3])
    let threads = Shared<[pthread_t]>([])
    for _ in 0..<10 { lanes.async { threads.change { $0.append(pthread_self()) } } }
    #expect(threads.value == Array(repeating: caller, count: 10))
    #expect(lanes.statistics.width == 1)
    #expect(lanes.statistics.finished == 12)
  }

  @Test("the closures of notifications and inline jobs are freed too")
  func otherClosuresAreFreed() async throws {
    let freed = Latch()
    let lanes = Lanes(label: "notify-leak", width: 1)
    do {
      let token = Token { freed.open() }
      lanes.notify(on: DispatchQueue(label: "notified")) { withExtendedLifetime(token) {} }
    }
    #expect(try await onThread { freed.wait() })
    let inline = Shared(0)
    do {
      let token = Token { inline.change { $0 += 1 } }
      Lanes.inline(label: "inline-leak").async { withExtendedLifetime(token) {} }
    }
    #expect(inline.value == 1)
  }

  @Test("the default width is at least one and at most the cores there are")
  func defaultWidth() {
    #expect((1...max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))).contains(Lanes.defaultWidth))
    #expect(Lanes.widthMax == 200)
  }
}

/// An object that reports its destruction.
final class Token: Sendable {
  private let onDeinit: @Sendable () -> Void

  init(_ onDeinit: @escaping @Sendable () -> Void) {
    self.onDeinit = onDeinit
  }

  deinit {
    onDeinit()
  }
}
