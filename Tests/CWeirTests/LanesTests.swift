// weir/lanes.h: as many jobs run at once as there are lanes, never more; jobs start in the order of
// submission; a full backlog holds producers back.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct LanesTests {
    @Test(arguments: [1, 2, 3, 16, 200] as [UInt])
    func neverMoreRunAtOnceThanThereAreLanes(width: UInt) {
      let lanes = LaneSet(width: width)!
      let running = Meter()
      for _ in 0..<1000 {
        lanes.async {
          running.enter()
          sched_yield()
          running.leave()
        }
      }
      #expect(lanes.wait() == 0)
      #expect(running.most <= width && running.ever == 1000)
      #expect(lanes.stats.peak <= width && lanes.stats.peak >= running.most)
      lanes.release()
    }

    /// The jobs wait for each other: the test ends only if all run at the same time.
    @Test(arguments: [1, 2, 16, 64] as [UInt])
    func theWidthIsReached(width: UInt) {
      let lanes = LaneSet(width: width)!
      let together = Latch(Int(width)), met = Meter()
      for _ in 0..<64 { lanes.async { met.enter(together.arriveAndWait() ? 1 : 0) } }
      #expect(lanes.wait() == 0)
      #expect(met.ever == 64 && lanes.stats.peak == width)
      lanes.release()
    }

    /// A job that was taken may begin late, one for each lane.
    @Test(arguments: [2, 5, 16] as [UInt], [0, 3])
    func jobsStartInTheOrderOfTheirSubmission(width: UInt, backlog: Int) {
      let lanes = LaneSet(width: width, backlog: backlog)!
      let order = Locked<[Int]>([])
      for number in 0..<3000 { lanes.async { order.with { $0.append(number) } } }
      #expect(lanes.wait() == 0)
      #expect(latecomers(order.now) < width && Set(order.now) == Set(0..<3000))
      lanes.release()
    }

    @Test func aWaitTimesOutWhileAJobRuns() {
      let lanes = LaneSet(width: 2)!
      let go = Latch(1)
      #expect(lanes.wait(atOnce) == 0)
      #expect(lanes.occupy(go))
      #expect(lanes.wait(atOnce) == ETIMEDOUT)
      #expect(lanes.wait(after(milliseconds: 3)) == ETIMEDOUT)
      go.arrive()
      #expect(lanes.wait() == 0 && lanes.stats.running == 0)
      lanes.release()
    }

    @Test func aWaitIncludesJobsSubmittedMeanwhile() {
      let lanes = LaneSet(width: 2)!
      let ran = Meter()
      lanes.async {
        for _ in 0..<10 {
          lanes.async {
            ran.enter()
            lanes.async { ran.enter() }
          }
        }
      }
      #expect(lanes.wait() == 0 && ran.ever == 20)
      lanes.release()
    }

    @Test func notificationsComeWhenNoJobIsLeft() {
      let lanes = LaneSet(width: 2)!
      let go = Latch(1), told = Locked<[UInt64]>([])
      let note: @Sendable () -> Void = {
        let unfinished = lanes.stats.submitted - lanes.stats.finished
        told.with { $0.append(unfinished) }
      }
      notify(lanes, note)
      #expect(eventually { told.now == [0, 0] })
      #expect(lanes.occupy(go))
      notify(lanes, note)
      #expect(told.now.count == 2)
      go.arrive()
      #expect(eventually { told.now == [0, 0, 0, 0] })
      lanes.release()
    }

    private func notify(_ lanes: LaneSet, _ body: @escaping @Sendable () -> Void) {
      weir_lanes_notify_f(lanes.raw, globalQueue(), Job(body).retained(), Job.run)
      weir_lanes_notify(lanes.raw, globalQueue()) { body() }
    }

    @Test func widthsHaveABound() {
      for width in [201, 202, 255, 1 << 40, UInt.max - 1] {
        errno = 0
        #expect(LaneSet(width: width) == nil && errno == EINVAL, "\(width)")
      }
      let lanes = LaneSet(width: 200)!
      #expect(lanes.stats.width == 200)
      lanes.release()
    }

    @Test func theDefaultWidthIsTheNumberOfCores() throws {
      let cores = try Shell.run(["nproc"]).text
      #expect(1...Int(cores.trimming())! ~= weir_lanes_default_width())
      let byZero = LaneSet(width: 0)!
      #expect(byZero.stats.width == weir_lanes_default_width())
      byZero.release()
      let byNull: weir_lanes_t = weir_lanes_create(nil)!
      var stats = weir_lanes_stats_t()
      weir_lanes_stats(byNull, &stats, MemoryLayout.size(ofValue: stats))
      #expect(stats.width == weir_lanes_default_width())
      weir_lanes_release(byNull)
    }

    /// submitted = finished + running + queued, at all times.
    @Test func theStatisticsAreOfOneInstant() {
      let lanes = LaneSet(width: 3, backlog: 5)!
      let done = Latch(1)
      let crew = Crew(2) { _ in for _ in 0..<1500 { lanes.async { sched_yield() } } }
      startThread {
        _ = crew.wait()
        done.arrive()
      }
      while !done.isOpen {
        let now = lanes.stats
        let known = now.finished + UInt64(now.running) + UInt64(now.queued)
        guard now.submitted == known, now.running <= 3, now.queued <= 5 else {
          Issue.record("\(now)")
          break
        }
      }
      #expect(lanes.wait() == 0)
      let last = lanes.stats
      #expect(last.submitted == 3000 && last.finished == 3000 && last.queued == 0)
      lanes.release()
    }
  }

  /// The backlog.
  @Suite struct LanesBacklogTests {
    @Test(arguments: [1, 2, 3, 8], [1, 4] as [UInt])
    func producersNeverExceedIt(backlog: Int, width: UInt) {
      let lanes = LaneSet(width: width, backlog: backlog)!
      let ran = Meter(), go = Latch(1)
      #expect(lanes.occupy(go))
      let before = lanes.stats.blocked
      let crew = Crew(3) { _ in for _ in 0..<200 { lanes.async { ran.enter() } } }
      #expect(eventually { lanes.stats.blocked == before + 3 })
      #expect(lanes.stats.queued == backlog)
      go.arrive()
      #expect(crew.wait() && lanes.wait() == 0 && ran.ever == 600)
      #expect(lanes.stats.queued_peak == backlog)
      lanes.release()
    }

    /// Jobs that submit jobs keep three of four places taken until the producer comes through: the
    /// backlog is never half empty.
    @Test func aProducerComesThroughIfJobsKeepTheBacklogNearlyFull() {
      let lanes = LaneSet(width: 1, backlog: 4)!
      let go = Latch(1), through = Latch(1)
      @Sendable func again() {
        if !through.isOpen { lanes.async { again() } }
      }
      #expect(lanes.occupy(go))
      for _ in 0..<4 { lanes.async { again() } }
      startThread {
        lanes.async {}
        through.arrive()
      }
      #expect(eventually { lanes.stats.blocked == 1 })
      go.arrive()
      #expect(through.wait())
      through.arrive() /* ends the jobs where it failed */
      #expect(lanes.wait() == 0)
      lanes.release()
    }

    @Test(arguments: [1, 3] as [UInt])
    func aSubmitFromAnOwnLaneNeverWaits(width: UInt) {
      let lanes = LaneSet(width: width, backlog: 1)!
      let ran = Meter(), refused = Meter()
      for _ in 0..<Int(width) {
        lanes.async {
          for _ in 0..<50 { lanes.async { ran.enter() } }
          /* With one lane nobody can have taken any of them. */
          if width == 1, lanes.attempt({ ran.enter() }) == EAGAIN { refused.enter() }
        }
      }
      #expect(lanes.wait() == 0)
      #expect(ran.ever == 50 * Int(width) && refused.ever == (width == 1 ? 1 : 0))
      lanes.release()
    }
  }

  /// A context for each lane, and the end of lanes.
  @Suite struct LanesLifeTests {
    @Test(arguments: [1, 2, 7, LaneSet.inline] as [UInt])
    func eachLaneHasOneContext(width: UInt) {
      let lanes = LaneSet(width: width)!
      let count = width == LaneSet.inline ? 1 : Int(width)
      #expect(lanes.contexts.created.sorted() == Array(0..<count))
      let used = Locked<Set<UnsafeMutableRawPointer>>([]), shared = Meter()
      for _ in 0..<500 {
        lanes.submit { context in
          used.with { _ = $0.insert(context!) }
          if !usesAlone(context!) { shared.enter() }
        }
      }
      #expect(lanes.wait() == 0 && shared.ever == 0)
      #expect(used.now.isSubset(of: lanes.contexts.all))
      #expect(lanes.contexts.timesDestroyed.allSatisfy { $0 == 0 })
      lanes.release()
      #expect(eventually { lanes.contexts.timesDestroyed == Array(repeating: 1, count: count) })
      #expect(lanes.contexts.created.count == count)
    }

    @Test(arguments: [3, LaneSet.inline] as [UInt])
    func aNullContextIsAContextLikeAnyOther(width: UInt) {
      let before = LaneContexts.nulls, count = width == 3 ? 3 : 1
      let lanes = LaneSet(width: width, nullContexts: true)!
      let nulls = Meter()
      for _ in 0..<20 { lanes.submit { nulls.enter($0 == nil ? 1 : 0) } }
      #expect(lanes.wait() == 0 && nulls.ever == 20)
      lanes.release()
      #expect(eventually { LaneContexts.nulls == before + count })
    }

    @Test(arguments: [1, 4] as [UInt])
    func jobsThatAreQueuedRunAfterTheRelease(width: UInt) {
      let lanes = LaneSet(width: width)!
      let go = Latch(1), ran = Meter()
      #expect(lanes.occupy(go))
      for _ in 0..<100 { lanes.async { ran.enter() } }
      lanes.release()
      #expect(lanes.contexts.timesDestroyed.allSatisfy { $0 == 0 })
      go.arrive()
      #expect(eventually { lanes.contexts.timesDestroyed.allSatisfy { $0 == 1 } })
      #expect(ran.ever == 100)
    }

    @Test(arguments: [1, 4, LaneSet.inline] as [UInt])
    func theLastReferenceMayBeDroppedOnALane(width: UInt) {
      for _ in 0..<30 {
        let lanes = LaneSet(width: width)!
        #expect(weir_lanes_retain(lanes.raw) == lanes.raw)
        let ran = Meter()
        lanes.async {
          lanes.async { ran.enter() }
          lanes.release()
        }
        lanes.release()
        #expect(eventually { lanes.contexts.timesDestroyed.allSatisfy { $0 == 1 } })
        #expect(ran.ever == 1)
      }
    }
  }

  /// WEIR_LANES_INLINE.
  @Suite struct LanesInlineTests {
    @Test func jobsRunOnTheCallerBeforeTheSubmitReturns() {
      let lanes = LaneSet(width: LaneSet.inline, backlog: 1)!
      #expect(lanes.stats.width == 1)
      let me = pthread_self(), here = Meter()
      for number in 1...50 {
        lanes.async { here.enter(pthread_equal(pthread_self(), me) != 0 ? 1 : 0) }
        #expect(here.ever == number)
      }
      #expect(lanes.wait(atOnce) == 0 && lanes.stats.peak == 1)
      lanes.release()
    }

    /// A tree of jobs comes out breadth first, none inside another.
    @Test func aJobSubmittedByAJobRunsAfterIt() {
      let lanes = LaneSet(width: LaneSet.inline)!
      let order = Locked<[Int]>([]), running = Meter()
      @Sendable func job(_ number: Int) {
        running.enter()
        order.with { $0.append(number) }
        for child in [2 * number, 2 * number + 1] where child < 64 {
          lanes.async { job(child) }
        }
        running.leave()
      }
      lanes.async { job(1) }
      #expect(order.now == Array(1..<64) && running.most == 1)
      lanes.release()
    }

    @Test func aLongChainNeedsNoStack() {
      let lanes = LaneSet(width: LaneSet.inline)!
      let left = Locked(100_000)
      @Sendable func next() {
        if left.with({
          $0 -= 1; return $0 > 0
        }) {
          lanes.async { next() }
        }
      }
      lanes.async { next() }
      #expect(left.now == 0)
      lanes.release()
    }
  }
}

/// Marks a context as in use for a moment; false if another job had it.
private func usesAlone(_ context: UnsafeMutableRawPointer) -> Bool {
  let mark = context.load(fromByteOffset: 8, as: Int.self)
  context.storeBytes(of: mark + 1, toByteOffset: 8, as: Int.self)
  sched_yield()
  let alone = context.load(fromByteOffset: 8, as: Int.self) == mark + 1
  context.storeBytes(of: mark + 2, toByteOffset: 8, as: Int.self)
  return alone
}
