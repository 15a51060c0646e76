// weir/group.h in the scenarios that libdispatch (dispatch_group) and golang/sync (errgroup) test
// their groups with.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct GroupScenarioTests {
    // ---- libdispatch ------------------------------------------------------

    /// A hundred queues, each released right after its work was submitted, and the group again.
    @Test func workOnQueuesThatAreReleasedAtOnce() async throws {
      try await onThread {
        let group: weir_group_t = weir_group_create("queues")!, ran = Meter()
        submit(group, count: 100, ran)
        #expect(weir_group_wait(group, forever) == 0 && ran.ever == 100)
        #expect(weir_group_async(group, globalQueue()) { 0 } == 0)
        #expect(weir_group_wait(group, forever) == 0)
        weir_group_release(group)
      }
    }

    @Test func aWaitAfterATimeOutSucceeds() async throws {
      try await onThread {
        let group: weir_group_t = weir_group_create("slow")!, go = Latch(1)
        for _ in 0..<3 {
          let queue = TestQueue()
          let error = weir_group_async(group, queue.it) {
            go.wait()
            return 0
          }
          #expect(error == 0)
        }
        #expect(weir_group_wait(group, after(milliseconds: 20)) == ETIMEDOUT)
        go.arrive()
        #expect(weir_group_wait(group, after(milliseconds: 40_000)) == 0)
        weir_group_release(group)
      }
    }

    @Test func aNotificationAfterTheReleaseOfTheGroup() async throws {
      try await onThread {
        let group: weir_group_t = weir_group_create("notified")!, ran = Meter(), told = Latch(1)
        let queue = TestQueue()
        submit(group, count: 100, ran)
        let error = weir_group_notify(group, queue.it) { result in
          if result == 0 && ran.ever == 100 { told.arrive() }
        }
        #expect(error == 0)
        weir_group_release(group)
        #expect(told.wait())
      }
    }

    /// Work and an enter end at about the same time; each group's notification comes, once, and
    /// leaves an outer group.
    @Test func everyNotificationOfManyGroupsComes() async throws {
      try await onThread {
        let tested = Passed(weir_group_create("tested")!), notified = TestQueue(), told = Meter()
        var random = Random("everyNotification")
        for _ in 0..<5000 {
          weir_group_enter(tested.it)
          let group: weir_group_t = weir_group_create(nil)!
          weir_group_enter(group)
          submit(group, count: 1 + random.below(8), Meter())
          weir_group_leave(group)
          let error = weir_group_notify(group, notified.it) { _ in
            told.enter()
            weir_group_leave(tested.it)
          }
          #expect(error == 0)
          weir_group_release(group)
          #expect(weir_group_wait(tested.it, after(milliseconds: 40_000)) == 0)
        }
        #expect(told.ever == 5000)
        weir_group_release(tested.it)
      }
    }

    // ---- errgroup ---------------------------------------------------------

    /// After each work the wait gives the first error so far.
    @Test(arguments: [[], [0], [1], [1, 0], [1, 0, 2], [0, 0, 2, 1]] as [[Int32]])
    func aWaitAfterEachWorkGivesTheFirstError(results: [Int32]) async throws {
      try await onThread {
        let group: weir_group_t = weir_group_create("zero")!
        var first: Int32 = 0
        for result in results {
          #expect(weir_group_async(group, globalQueue()) { result } == 0)
          first = first == 0 ? result : first
          #expect(weir_group_wait(group, forever) == first && weir_group_error(group) == first)
        }
        #expect(weir_group_wait(group, forever) == first)
        weir_group_release(group)
      }
    }

    /// The error ends what still runs, as the cancelled context of errgroup.WithContext does, and
    /// stays the cause. Without an error nothing is cancelled.
    @Test(arguments: [[0], [EIO], [EIO, 0], [0, EIO]] as [[Int32]])
    func anErrorCancelsTheRest(results: [Int32]) async throws {
      try await onThread {
        let lanes = LaneSet(width: 4)!, group = Passed(weir_group_create("doomed")!)
        let fails = results.contains(EIO), stopped = Latch(1)
        if fails {
          let error = weir_group_lanes(group.it, lanes.raw) { _ in
            #expect(eventually { weir_group_cancelled(group.it) })
            stopped.arrive()
            return ECANCELED
          }
          #expect(error == 0)
          #expect(eventually { lanes.stats.running == 1 })
        }
        for result in results {
          let error = weir_group_lanes(group.it, lanes.raw) { _ in
            weir_group_fail(group.it, result)
            return result
          }
          #expect(error == 0)
        }
        #expect(weir_group_wait(group.it, forever) == (fails ? EIO : 0))
        #expect(weir_group_cancelled(group.it) == fails && stopped.isOpen == fails)
        #expect(weir_group_error(group.it) == (fails ? EIO : 0))
        weir_group_release(group.it)
        lanes.release()
      }
    }

    /// Results of several searches by index, as the example of errgroup; or the error of one.
    @Test(arguments: [nil, 1] as [Int?])
    func resultsByIndexOrTheFirstError(failing: Int?) async throws {
      try await onThread {
        let group = Passed(weir_group_create("search")!)
        let results = Locked([String](repeating: "", count: 3))
        for (index, kind) in ["web", "image", "video"].enumerated() {
          let error = weir_group_async(group.it, globalQueue()) {
            if index == failing { return ENOENT }
            results.with { $0[index] = "\(kind) result" }
            return 0
          }
          #expect(error == 0)
        }
        #expect(weir_group_wait(group.it, forever) == (failing == nil ? 0 : ENOENT))
        if failing == nil {
          #expect(results.now == ["web result", "image result", "video result"])
        }
        weir_group_release(group.it)
      }
    }

    /// errgroup's TryGo with a limit: lanes without a backlog accept as many jobs as they are wide,
    /// and more after those.
    @Test(arguments: [42, 1] as [UInt])
    func aLimitRefusesMore(limit: UInt) async throws {
      try await onThread {
        let lanes = LaneSet(width: limit, backlog: Int(bitPattern: WEIR_LANES_NO_BACKLOG))!
        for _ in 0..<2 {
          let go = Latch(1)
          for _ in 0..<Int(limit) { #expect(lanes.attempt { go.wait() } == 0) }
          for _ in 0..<10 { #expect(lanes.attempt {} == EAGAIN) }
          go.arrive()
          #expect(lanes.wait() == 0)
        }
        /* A limit of 0. */
        weir_lanes_suspend(lanes.raw)
        for _ in 0..<1024 { #expect(lanes.attempt {} == EAGAIN) }
        #expect(lanes.wait() == 0)
        weir_lanes_resume(lanes.raw)
        lanes.release()
      }
    }

    /// errgroup's Go with a limit: the caller waits, and no more work than that is active.
    @Test func aLimitHoldsTheCaller() async throws {
      try await onThread {
        let lanes = LaneSet(width: 10, backlog: Int(bitPattern: WEIR_LANES_NO_BACKLOG))!
        let group: weir_group_t = weir_group_create("limit")!, active = Meter()
        for _ in 0...1024 {
          let error = weir_group_lanes(group, lanes.raw) { _ in
            active.enter()
            let isOver = active.now > 10
            usleep(1)
            active.leave()
            return isOver ? ERANGE : 0
          }
          #expect(error == 0)
        }
        #expect(weir_group_wait(group, forever) == 0 && active.ever == 1025 && active.most <= 10)
        weir_group_release(group)
        lanes.release()
      }
    }
  }
}

private func submit(_ group: weir_group_t, count: Int, _ ran: Meter) {
  for _ in 0..<count {
    let queue = serialQueue()
    let error = weir_group_async(group, queue) {
      ran.enter()
      return 0
    }
    #expect(error == 0)
    release(queue)
  }
}
