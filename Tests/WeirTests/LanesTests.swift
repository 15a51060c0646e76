// Lanes: a width that is reached at once, the order of jobs, waits with and without time-outs, a
// bounded backlog, and no leaks.

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(2)))
struct LanesTests {
  @Test("as many jobs run at once as there are lanes", arguments: [1, 2, 16, 64])
  func widthIsReached(width: Int) async throws {
    let all = try await onThread {
      let lanes = Lanes(label: "meeting", width: width)
      let meeting = Rendezvous(of: width)
      let met = Shared(0)
      for _ in 0..<width {
        lanes.async { if meeting.arrive() { met.change { $0 += 1 } } }
      }
      lanes.wait()
      return (met.value, lanes.statistics.peak)
    }
    #expect(all == (width, width))
  }

  @Test("never more jobs run than there are lanes", arguments: [1, 3, 8])
  func widthIsNotExceeded(width: Int) async throws {
    let most = try await onThread {
      let lanes = Lanes(label: "narrow", width: width)
      let state = Shared((now: 0, most: 0))
      for _ in 0..<400 {
        lanes.async {
          state.change {
            $0.now += 1
            $0.most = max($0.most, $0.now)
          }
          sched_yield()
          state.change { $0.now -= 1 }
        }
      }
      lanes.wait()
      return state.value.most
    }
    #expect((1...width).contains(most))
  }

  @Test("jobs of one lane run in the order of their submission")
  func order() async throws {
    let order = try await onThread {
      let lanes = Lanes(label: "order", width: 1)
      let seen = Shared<[Int]>([])
      for number in 0..<1000 { lanes.async { seen.change { $0.append(number) } } }
      lanes.wait()
      return seen.value
    }
    #expect(difference(order, 0..<1000) == nil)
  }

  @Test("a wait times out while a job runs, and succeeds when it has ended")
  func waitTimesOut() async throws {
    let results = try await onThread {
      let lanes = Lanes(label: "waiting", width: 2)
      let hold = Latch()
      lanes.async { hold.wait() }
      let at = lanes.wait(timeout: .now())
      let soon = lanes.wait(timeout: .now() + .milliseconds(5))
      hold.open()
      return [at, soon, lanes.wait(timeout: .now() + 40), lanes.wait()]
    }
    #expect(results == [.timedOut, .timedOut, .success, .success])
  }

  @Test("waiting for lanes without jobs returns at once")
  func waitForNothing() async throws {
    let lanes = Lanes(label: "idle", width: 2)
    #expect(try await onThread { lanes.wait(timeout: .now()) } == .success)
    await lanes.wait()
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
          group.addTask { await lanes.wait() }
        }
        for _ in 0..<100 { await Task.yield() }
        group.addTask { hold.open() }
      }
    }
  }

  @Test("notify runs once, after the jobs")
  func notify() async throws {
    let seen = try await onThread {
      let lanes = Lanes(label: "notified", width: 4)
      let done = Shared(0)
      let notified = Shared<[Int]>([])
      let told = Latch()
      let hold = Latch()
      for _ in 0..<50 {
        lanes.async {
          hold.wait()
          done.change { $0 += 1 }
        }
      }
      lanes.notify(on: DispatchQueue(label: "notified")) {
        let count = done.value
        notified.change { $0.append(count) }
        told.open()
      }
      hold.open()
      told.wait()
      return notified.value
    }
    #expect(seen == [50])
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

  @Test("a chain of a hundred thousand inline jobs needs no stack")
  func inlineChain() async throws {
    let count = try await onThread {
      let lanes = Lanes.inline(label: "chain")
      let links = Shared(0)
      submitLink(on: lanes, links, of: 100_000)
      return links.value
    }
    #expect(count == 100_000)
  }

  @Test("the statistics count running, queued and finished jobs")
  func statistics() async throws {
    try await onThread {
      let lanes = Lanes(label: "counted", width: 3)
      let running = Rendezvous(of: 4)
      let hold = Latch()
      for _ in 0..<3 {
        lanes.async {
          _ = running.arrive()
          hold.wait()
        }
      }
      for _ in 0..<5 { lanes.async {} }
      _ = running.arrive()
      let during = lanes.statistics
      #expect(during.width == 3 && during.running == 3 && during.peak == 3)
      #expect(during.queued == 5 && during.finished == 0)
      hold.open()
      lanes.wait()
      let after = lanes.statistics
      #expect(after.running == 0 && after.queued == 0 && after.finished == 8)
    }
  }

  @Test("a submitter waits while the backlog is full", arguments: [1, 2, 7])
  func backlog(of backlog: Int) async throws {
    let (most, finished) = try await onThread {
      let lanes = Lanes(label: "bounded", width: 1, backlog: backlog)
      let most = Shared(0)
      let look: @Sendable () -> Void = {
        let queued = lanes.statistics.queued
        most.change { $0 = max($0, queued) }
      }
      let begun = Latch()
      lanes.async {
        begun.open()
        // Until it is full; then whoever does not stop there has time to go on.
        for _ in 0..<1_000_000 where lanes.statistics.queued < backlog { sched_yield() }
        for _ in 0..<200 { sched_yield() }
        look()
      }
      begun.wait()
      for _ in 0..<100 { lanes.async(look) }
      lanes.wait()
      return (most.value, lanes.statistics.finished)
    }
    #expect(most == backlog)
    #expect(finished == 101)
  }

  @Test("a job never waits at the backlog of its own lanes")
  func backlogFromLane() async throws {
    let finished = try await onThread {
      let lanes = Lanes(label: "own", width: 1, backlog: 1)
      lanes.async { for _ in 0..<20 { lanes.async {} } }
      return lanes.wait(timeout: .now() + 40) == .success ? lanes.statistics.finished : -1
    }
    #expect(finished == 21)
  }

  @Test("the closure of a job is freed after its run", arguments: [1, 4])
  func jobsAreFreed(width: Int) async throws {
    let freed = Shared(0)
    try await onThread {
      let lanes = Lanes(label: "leak", width: width)
      for _ in 0..<500 {
        let token = Token { freed.change { $0 += 1 } }
        lanes.async { withExtendedLifetime(token) {} }
      }
      lanes.wait()
    }
    #expect(freed.value == 500)
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

  @Test("queued jobs run after the last reference is released")
  func outliving() async throws {
    let count = try await onThread {
      let ran = Shared(0)
      let all = Latch()
      let hold = Latch()
      do {
        let lanes = Lanes(label: "forgotten", width: 2)
        for _ in 0..<2 { lanes.async { hold.wait() } }
        for _ in 0..<100 {
          lanes.async {
            if ran.change({
              $0 += 1; return $0 == 100
            }) {
              all.open()
            }
          }
        }
      }
      hold.open()
      all.wait()
      return ran.value
    }
    #expect(count == 100)
  }

  @Test("the default width is at least one and at most the cores there are")
  func defaultWidth() {
    #expect((1...max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))).contains(Lanes.defaultWidth))
    #expect(Lanes.widthMax == 200)
  }
}

/// Misuse traps with a message on standard error.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct LanesMisuseTests {
  private func expect(_ sentence: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(sentence), "it said: \(said)")
  }

  @Test("a width of 0 traps with a message")
  func widthZero() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Lanes(label: "docks", width: 0)
    }
    expect("the lanes \"docks\" were given a width of 0; it is 1 to 200", in: result)
  }

  @Test("a width of 201 traps with a message")
  func widthTooLarge() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Lanes(label: "docks", width: 201)
    }
    expect("the lanes \"docks\" were given a width of 201; it is 1 to 200", in: result)
  }

  @Test("a negative backlog traps with a message")
  func negativeBacklog() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Lanes(label: "docks", width: 1, backlog: -1)
    }
    expect("the lanes \"docks\" were given a backlog of -1; it is 0 or more", in: result)
  }

  @Test("waiting for lanes on one of them traps with a message")
  func waitOnOwnLane() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      alarm(40)
      let lanes = Lanes(label: "docks", width: 2)
      lanes.async { lanes.wait() }
      await lanes.wait()
    }
    expect("weir: misuse: the lanes \"docks\" were waited for by one of their own jobs", in: result)
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

@Sendable private func submitLink(on lanes: Lanes, _ links: Shared<Int>, of total: Int) {
  lanes.async {
    if links.change({
      $0 += 1; return $0 < total
    }) {
      submitLink(on: lanes, links, of: total)
    }
  }
}
