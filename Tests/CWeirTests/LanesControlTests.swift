// weir/lanes.h: close, cancel and suspend while threads are active, and the reason why fewer jobs
// run than lanes exist. (LanesModelTests has every small order of them.)
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct LanesControlTests {
    /// A producer that waits for the backlog is refused by a close and let in by a cancel.
    @Test(arguments: [true, false])
    func producersThatWait(closes: Bool) {
      let lanes = LaneSet(width: 1, backlog: 2)!, go = Latch(1)
      let results = Locked<[Int32]>([]), left = Latch(3)
      #expect(lanes.occupy(go))
      for _ in 0..<2 { #expect(lanes.asyncBlock {} == 0) }
      for _ in 0..<3 {
        startThread {
          let result = lanes.asyncBlock {}
          results.with { $0.append(result) }
          left.arrive()
        }
      }
      #expect(eventually { lanes.stats.blocked == 3 })
      if closes { weir_lanes_close(lanes.raw) }
      /* A cancel makes room for two, and the third comes in with the next. */
      while !closes && !left.isOpen { _ = weir_lanes_cancel(lanes.raw) }
      #expect(left.wait())
      #expect(results.now == (closes ? [ECANCELED, ECANCELED, ECANCELED] : [0, 0, 0]))
      go.arrive()
      #expect(lanes.wait() == 0)
      #expect(lanes.stats.finished + lanes.stats.dropped == lanes.stats.submitted)
      lanes.release()
    }

    /// The contexts are added up after a wait, with all that the jobs wrote.
    @Test(arguments: [1, 3, LaneSet.inline])
    func eachLaneIsVisitedBetweenJobs(width: UInt) {
      let lanes = LaneSet(width: width)!, count = width == LaneSet.inline ? 1 : Int(width)
      for round in 1...50 {
        for _ in 0..<20 { lanes.submit { LaneContexts.add($0) } }
        #expect(lanes.wait() == 0)
        var contexts: [UnsafeMutableRawPointer?] = [], sum = 0
        let error = weir_lanes_each_b(lanes.raw) {
          contexts.append($0)
          sum += LaneContexts.sum($0)
        }
        #expect(error == 0 && sum == 20 * round && contexts.count == count)
        #expect(Set(contexts.compactMap(\.self)) == Set(lanes.contexts.all))
      }
      lanes.release()
    }

    /// While a job runs the lanes are busy; jobs that are submitted during a visit start after it.
    @Test func jobsAndVisitsExcludeEachOther() {
      let lanes = LaneSet(width: 2)!, begun = Latch(1), go = Latch(1), ran = Meter()
      lanes.async {
        begun.arrive()
        go.wait()
      }
      #expect(begun.wait() && weir_lanes_each_b(lanes.raw) { _ in ran.enter() } == EBUSY)
      weir_lanes_suspend(lanes.raw)
      lanes.async { ran.enter() }
      go.arrive()
      #expect(eventually { lanes.stats.running == 0 })
      #expect(lanes.stats.queued == 1 && weir_lanes_each_b(lanes.raw) { _ in } == 0)
      weir_lanes_resume(lanes.raw)
      #expect(lanes.wait() == 0 && ran.ever == 1)
      let error = weir_lanes_each_b(lanes.raw) { _ in
        let inner = weir_lanes_each_b(lanes.raw) { _ in }
        #expect(inner == EBUSY)
        lanes.async { ran.enter() }
        #expect(lanes.wait(after(milliseconds: 2)) == ETIMEDOUT)
      }
      #expect(error == 0 && lanes.wait() == 0 && ran.ever == 3)
      lanes.release()
    }

    /// Without a backlog a job is accepted only if a lane is free.
    @Test(arguments: [1, 2, 4] as [UInt])
    func busyLanesWithoutABacklogRefuse(width: UInt) {
      let backlog = Int(bitPattern: WEIR_LANES_NO_BACKLOG)
      let lanes = LaneSet(width: width, backlog: backlog)!, go = Latch(1), ran = Meter()
      for _ in 0..<Int(width) { #expect(lanes.attempt { go.wait() } == 0) }
      #expect(lanes.attempt { ran.enter() } == EAGAIN)
      startThread {
        _ = eventually { lanes.stats.blocked == 1 }
        go.arrive()
      }
      #expect(lanes.async { ran.enter() } == 0 && go.isOpen)
      #expect(lanes.wait() == 0 && ran.ever == 1 && lanes.attempt { ran.enter() } == 0)
      #expect(lanes.wait() == 0 && ran.ever == 2)
      let producers = Crew(4) { _ in
        for _ in 0..<500 { lanes.async { ran.enter() } }
      }
      #expect(producers.wait() && lanes.wait() == 0 && ran.ever == 2002)
      #expect(lanes.stats.queued_peak <= Int(width) && lanes.stats.peak <= Int(width))
      lanes.release()
    }

    @Test func runningJobsContinueWhileSuspended() {
      let lanes = LaneSet(width: 2)!, go = Latch(1), ran = Meter()
      #expect(lanes.occupy(go))
      weir_lanes_suspend(lanes.raw)
      weir_lanes_suspend(lanes.raw)
      for _ in 0..<10 { lanes.async { ran.enter() } }
      go.arrive()
      #expect(eventually { lanes.stats.finished == 2 })
      #expect(lanes.stats.suspended == 2 && lanes.stats.queued == 10 && ran.ever == 0)
      weir_lanes_resume(lanes.raw)
      #expect(lanes.wait(after(milliseconds: 5)) == ETIMEDOUT && ran.ever == 0)
      weir_lanes_resume(lanes.raw)
      #expect(lanes.wait() == 0 && ran.ever == 10)
      lanes.release()
    }

    @Test func fromAJob() {
      for width in [1, 3, LaneSet.inline] {
        let lanes = LaneSet(width: width)!, ran = Meter(), cancelled = Locked(0)
        weir_lanes_suspend(lanes.raw)
        lanes.async {
          weir_lanes_suspend(lanes.raw)
          for _ in 0..<5 { _ = lanes.asyncBlock { ran.enter() } }
          cancelled.with { $0 = weir_lanes_cancel(lanes.raw) }
          weir_lanes_resume(lanes.raw)
          weir_lanes_close(lanes.raw)
          #expect(lanes.asyncBlock { ran.enter() } == ECANCELED)
        }
        weir_lanes_resume(lanes.raw)
        #expect(lanes.wait() == 0 && ran.ever == 0 && cancelled.now == 5)
        lanes.release()
      }
    }

    /// Running jobs end, and contexts are freed, at any time of a cancel.
    @Test func everyContextEndsOnce() {
      let lanes = LaneSet(width: 3, backlog: 8)!, ran = Meter(), dropped = Meter()
      let counts = Unmanaged.passRetained(Pair(ran, dropped))
      let stop = Locked(false)
      let canceller = Crew(2) { _ in
        while !stop.now {
          weir_lanes_cancel(lanes.raw)
          weir_lanes_suspend(lanes.raw)
          weir_lanes_resume(lanes.raw)
        }
      }
      let context = Passed(counts.toOpaque())
      let producers = Crew(3) { _ in
        for _ in 0..<2000 {
          let error = weir_lanes_async_drop_f(
            lanes.raw, context.it, { context, _ in Pair.at(context).ran.enter() },
            { Pair.at($0).dropped.enter() })
          if error != 0 { Issue.record("\(error)") }
        }
      }
      #expect(producers.wait())
      stop.with { $0 = true }
      #expect(canceller.wait() && lanes.wait() == 0)
      #expect(ran.ever + dropped.ever == 6000)
      #expect(lanes.stats.finished == ran.ever && lanes.stats.dropped == dropped.ever)
      lanes.release()
      counts.release()
    }

    /// The job is accepted while others wait or are refused, in its turn, and is not dropped.
    @Test func aRequiredJobRunsAfterCloseAndCancel() {
      for width in [1, 4] as [UInt] {
        let lanes = LaneSet(width: width, backlog: 2)!, go = Latch(1)
        let ran = Locked<[Int]>([])
        func must(_ id: Int) {
          let error = weir_lanes_async_must_f(
            lanes.raw, LaneJob { _ in ran.with { $0.append(id) } }.retained(), LaneJob.run)
          #expect(error == 0)
        }
        #expect(lanes.occupy(go))
        must(0)
        for id in 1...2 { #expect(lanes.asyncBlock { ran.with { $0.append(id) } } == 0) }
        for id in 3...5 { must(id) }
        #expect(lanes.attempt {} == EAGAIN && lanes.stats.queued == 6)
        if width == 4 { #expect(weir_lanes_cancel(lanes.raw) == 2) }
        weir_lanes_close(lanes.raw)
        must(6)
        #expect(lanes.attempt {} == ECANCELED && lanes.stats.queued_peak >= 6)
        lanes.release() /* what is queued still runs */
        go.arrive()
        let wanted = width == 1 ? [0, 1, 2, 3, 4, 5, 6] : [0, 3, 4, 5, 6]
        #expect(eventually { ran.now.count == wanted.count })
        #expect(width == 1 ? ran.now == wanted : ran.now.sorted() == wanted)
      }
    }

    /// The drop function may drop the last reference.
    @Test func aContextThatOwnsTheLanes() {
      for _ in 0..<200 {
        var options = weir_lanes_options_t()
        options.width = 1
        options.dropped = { weir_lanes_release(OpaquePointer($0!)) }
        let lanes: weir_lanes_t = weir_lanes_create(&options)!
        weir_lanes_suspend(lanes)
        for _ in 0..<3 {
          weir_lanes_retain(lanes)
          let error = weir_lanes_async_f(lanes, UnsafeMutableRawPointer(lanes)) { _, _ in }
          #expect(error == 0)
        }
        weir_lanes_retain(lanes)
        let error = weir_lanes_async_drop_f(
          lanes, UnsafeMutableRawPointer(lanes), { _, _ in },
          {
            weir_lanes_release(OpaquePointer($0!))
            weir_lanes_release(OpaquePointer($0!)) /* the creator's */
          })
        #expect(error == 0)
        #expect(weir_lanes_cancel(lanes) == 4)
      }
    }

    /// A loop's workers count as the job that called the loop.
    @Test func aLoopInAJobPassesTheBacklog() {
      let lanes = LaneSet(width: 1, backlog: 2)!, ran = Meter()
      lanes.async {
        weir_apply(64, 1, nil) { _, _ in
          usleep(100) /* so that several threads come */
          lanes.async { ran.enter() }
        }
      }
      #expect(lanes.wait(after(milliseconds: 20_000)) == 0 && ran.ever == 64)
      lanes.release()
    }

    @Test func theLimitIsTheReasonWhyNoMoreJobsRun() {
      let lanes = LaneSet(width: 2)!, go = Latch(1), gate = Gate(1)
      func limit() -> String { String(cString: weir_lanes_limit_text(lanes.stats.limit)) }
      #expect(limit() == "there are no more jobs")
      weir_lanes_suspend(lanes.raw)
      #expect(limit() == "the lanes are suspended")
      weir_lanes_resume(lanes.raw)
      #expect(lanes.occupy(go) && limit() == "all lanes are busy")
      go.arrive()
      #expect(lanes.wait() == 0 && gate.attempt(1) == 0)
      for _ in 0..<2 {
        lanes.async {
          #expect(gate.wait(1) == 0)
          gate.signal(1)
        }
      }
      #expect(eventually { lanes.stats.at_gates == 2 })
      #expect(limit() == "jobs wait for permits" && lanes.stats.running == 2)
      gate.signal(1)
      #expect(lanes.wait() == 0 && lanes.stats.at_gates == 0)
      #expect(String(cString: weir_lanes_limit_text(weir_lanes_limit_t(99))) == "?")
      gate.release()
      lanes.release()
    }

    /// libdispatch has 255 threads for serial queues; further queues wait for one.
    @Test func lanesWithoutThreads() async {
      await #expect(processExitsWith: .success) {
        let go = Latch(1)
        let crowd = LaneSet(width: 200)!, second = LaneSet(width: 200)!
        #expect(crowd.occupy(go))
        for _ in 0..<200 { second.async { _ = go.wait() } }
        #expect(eventually { second.stats.running > 40 })
        let stats = second.stats
        #expect(stats.running < 200 && stats.starting > 0 && stats.queued > 0)
        #expect(stats.limit == WEIR_LANES_LIMIT_THREADS)
        go.arrive()
        #expect(crowd.wait() == 0 && second.wait() == 0)
        #expect(eventually { second.stats.starting == 0 })
      }
    }
  }
}

private final class Pair: Sendable {
  let ran: Meter
  let dropped: Meter
  init(_ ran: Meter, _ dropped: Meter) {
    self.ran = ran
    self.dropped = dropped
  }
  static func at(_ context: UnsafeMutableRawPointer?) -> Pair {
    Unmanaged<Pair>.fromOpaque(context!).takeUnretainedValue()
  }
}
