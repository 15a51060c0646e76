// weir/group.h: the outstanding work, the first result that is not 0, and the notifications when
// nothing is outstanding.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct GroupTests {
    enum Form: CaseIterable, Sendable { case block, function }

    @Test func entersAndLeavesAreCounted() {
      var random = Random("entersAndLeaves")
      let group: weir_group_t = weir_group_create("count")!
      var outstanding = 0
      for _ in 0..<1000 {
        if outstanding > 0, random.below(2) == 0 {
          weir_group_leave(group)
          outstanding -= 1
        } else {
          weir_group_enter(group)
          outstanding += 1
        }
        #expect(weir_group_outstanding(group) == outstanding)
        #expect(weir_group_wait(group, atOnce) == (outstanding == 0 ? 0 : ETIMEDOUT))
      }
      while weir_group_outstanding(group) > 0 { weir_group_leave(group) }
      #expect(weir_group_wait(group, forever) == 0)
      weir_group_release(group)
    }

    /// On a serial queue the first result is known.
    @Test(arguments: Form.allCases)
    func theFirstResultThatIsNotZeroIsKept(form: Form) {
      var random = Random("firstResult \(form)")
      let queue = serialQueue()
      for _ in 0..<100 {
        let results = (0..<8).map { _ in Int32(max(0, random.below(9) - 5)) }
        let group: weir_group_t = weir_group_create(nil)!
        for result in results { submit(form, group, queue) { result } }
        let first = results.first { $0 != 0 } ?? 0
        #expect(weir_group_wait(group, forever) == first, "\(results)")
        submit(form, group, queue) { 99 }
        #expect(weir_group_wait(group, forever) == (first == 0 ? 99 : first))
        weir_group_release(group)
      }
      release(queue)
    }

    @Test func aWaitTimesOutWhileWorkIsOutstanding() {
      let group: weir_group_t = weir_group_create("slow")!
      let go = Latch(1)
      submit(.function, group, globalQueue()) {
        go.wait()
        return 7
      }
      #expect(weir_group_wait(group, atOnce) == ETIMEDOUT)
      #expect(weir_group_wait(group, after(milliseconds: 5)) == ETIMEDOUT)
      #expect(weir_group_outstanding(group) == 1)
      go.arrive()
      #expect(weir_group_wait(group, forever) == 7)
      weir_group_release(group)
    }

    @Test(arguments: Form.allCases, [0, 5] as [Int32])
    func aNotificationComesWithTheResult(form: Form, result: Int32) {
      let group: weir_group_t = weir_group_create("notify")!
      let told = Locked<[Int32]>([])
      let outstanding = Locked<[Int]>([])
      let passed = Passed(group)
      weir_group_enter(group)
      submit(form, group, globalQueue()) { result }
      for _ in 0..<3 {
        notify(form, group, globalQueue()) { result in
          outstanding.with { $0.append(weir_group_outstanding(passed.it)) }
          told.with { $0.append(result) }
        }
      }
      #expect(weir_group_wait(group, after(milliseconds: 2)) == ETIMEDOUT)
      #expect(told.now.isEmpty)
      weir_group_leave(group)
      #expect(eventually { told.now == [result, result, result] })
      #expect(outstanding.now == [0, 0, 0])
      weir_group_release(group)
    }

    /// The sanitizers would report an error here.
    @Test(arguments: Form.allCases)
    func releasingAGroupInUseIsSafe(form: Form) {
      for _ in 0..<50 {
        let group: weir_group_t = weir_group_create("released")!
        let go = Latch(1), told = Latch(1), ran = Meter()
        for _ in 0..<4 {
          submit(form, group, globalQueue()) {
            go.wait()
            ran.enter()
            return 3
          }
        }
        notify(form, group, globalQueue()) { if $0 == 3 && ran.ever == 4 { told.arrive() } }
        weir_group_release(group)
        go.arrive()
        #expect(told.wait())
      }
    }

    /// Work sees the cancellation and may stop. The result is ECANCELED unless another came first,
    /// and later results do not change it.
    @Test func aCancelledGroup() {
      for (first, wanted) in [(Int32(0), ECANCELED), (5, 5)] {
        let group: weir_group_t = weir_group_create("cancelled")!
        #expect(!weir_group_cancelled(group))
        weir_group_enter(group)
        if first != 0 {
          submit(.function, group, globalQueue()) { first }
          #expect(eventually { weir_group_outstanding(group) == 1 })
        }
        weir_group_cancel(group)
        let ran = Meter(), same = Passed(group)
        submit(.function, group, globalQueue()) {
          if weir_group_cancelled(same.it) { ran.enter() }
          return 7
        }
        weir_group_leave(group)
        #expect(weir_group_wait(group, forever) == wanted && ran.ever == 1)
        weir_group_cancel(group)
        weir_group_release(group)
      }
      let done: weir_group_t = weir_group_create("done")!
      submit(.function, done, globalQueue()) { 0 }
      #expect(weir_group_wait(done, forever) == 0)
      weir_group_cancel(done)
      #expect(weir_group_wait(done, forever) == 0 && weir_group_cancelled(done))
      weir_group_release(done)
    }

    /// A job that cancels the group and returns the reason; the others return ECANCELED.
    @Test(arguments: Form.allCases)
    func theReasonOfACancelIsKept(form: Form) {
      let group = Passed(weir_group_create("reason")!), begun = Latch(2)
      submit(form, group.it, concurrently.it) {
        begun.arrive()
        _ = eventually { weir_group_cancelled(group.it) }
        return ECANCELED
      }
      submit(form, group.it, concurrently.it) {
        begun.arriveAndWait()
        weir_group_cancel(group.it)
        _ = eventually { weir_group_outstanding(group.it) == 1 }
        return EIO
      }
      #expect(weir_group_wait(group.it, forever) == EIO && weir_group_error(group.it) == EIO)
      weir_group_release(group.it)
    }

    /// The wait's own ECANCELED and ETIMEDOUT, and those of work.
    @Test func anErrorOfTheWorkIsToldFromTheWaits() {
      for error in [ETIMEDOUT, ECANCELED] {
        let group: weir_group_t = weir_group_create("told")!
        submit(.function, group, globalQueue()) { error }
        #expect(weir_group_wait(group, forever) == error && weir_group_error(group) == error)
        #expect(weir_group_outstanding(group) == 0)
        weir_group_release(group)
      }
      let group: weir_group_t = weir_group_create("own")!
      weir_group_enter(group)
      #expect(weir_group_wait(group, atOnce) == ETIMEDOUT && weir_group_error(group) == 0)
      #expect(weir_group_outstanding(group) == 1)
      weir_group_cancel(group)
      weir_group_leave(group)
      #expect(weir_group_wait(group, forever) == ECANCELED && weir_group_error(group) == 0)
      weir_group_release(group)
    }

    /// Work that has not begun is dropped, on a queue as on lanes; each context reaches the work
    /// or its drop function.
    @Test func aFailedGroupDropsTheRest() {
      let queue = TestQueue(), ran = Meter(), dropped = Meter()
      let group = Passed(weir_group_create("failed")!)
      dispatch_suspend(object(queue.it))
      let fail = Unmanaged.passRetained(
        Droppable(dropped) {
          weir_group_fail(group.it, EIO)
          weir_group_fail(group.it, EPERM)
          return 0
        })
      #expect(
        weir_group_async_drop_f(
          group.it, queue.it, fail.toOpaque(), Droppable.run, Droppable.drop) == 0)
      for _ in 0..<20 {
        let work = Unmanaged.passRetained(
          Droppable(dropped) {
            ran.enter()
            return 0
          })
        #expect(
          weir_group_async_drop_f(
            group.it, queue.it, work.toOpaque(), Droppable.run, Droppable.drop) == 0)
      }
      #expect(
        weir_group_async(group.it, queue.it) {
          ran.enter()
          return 0
        } == 0)
      dispatch_resume(object(queue.it))
      #expect(weir_group_wait(group.it, forever) == EIO && weir_group_error(group.it) == EIO)
      #expect(weir_group_cancelled(group.it) && ran.ever == 0 && dropped.ever == 20)
      /* Later work, too. */
      submit(.block, group.it, queue.it) {
        ran.enter()
        return 0
      }
      #expect(weir_group_wait(group.it, forever) == EIO && ran.ever == 0)
      weir_group_release(group.it)
    }

    @Test func aFailedGroupDropsJobsOnLanes() {
      var options = weir_lanes_options_t()
      options.width = 1
      options.dropped = Droppable.drop
      let lanes: weir_lanes_t = weir_lanes_create(&options)!
      let group = Passed(weir_group_create("failed")!), dropped = Meter(), ran = Meter()
      weir_lanes_suspend(lanes)
      for number in 0..<10 {
        let work = Unmanaged.passRetained(
          Droppable(dropped) {
            ran.enter()
            if number == 3 { weir_group_fail(group.it, EIO) }
            return number == 3 ? EPERM : 0
          })
        #expect(
          weir_group_lanes_f(
            group.it, lanes, work.toOpaque(), { context, _ in Droppable.run(context) }) == 0)
      }
      weir_lanes_resume(lanes)
      #expect(weir_group_wait(group.it, forever) == EIO)
      #expect(ran.ever == 4 && dropped.ever == 6)
      weir_group_release(group.it)
      weir_lanes_release(lanes)
    }

    @Test func workOnLanesIsPartOfTheGroup() {
      var options = weir_lanes_options_t()
      options.width = 3
      options.backlog = 2
      let lanes: weir_lanes_t = weir_lanes_create(&options)!
      let group: weir_group_t = weir_group_create("on lanes")!
      let ran = Meter()
      for number in 0..<100 {
        let work = Unmanaged.passRetained(
          Droppable(Meter()) {
            ran.enter()
            return number == 50 ? EIO : 0
          })
        let error = weir_group_lanes_f(
          group, lanes, work.toOpaque(), { context, _ in Droppable.run(context) })
        #expect(error == 0)
      }
      #expect(weir_group_wait(group, forever) == EIO)
      #expect(ran.ever == 100 && weir_group_outstanding(group) == 0)
      var stats = weir_lanes_stats_t()
      weir_lanes_stats(lanes, &stats, MemoryLayout.size(ofValue: stats))
      #expect(stats.submitted == 100 && stats.queued_peak <= 2)
      weir_group_release(group)
      weir_lanes_release(lanes)
    }
  }
}

/// A queue on which two blocks run at once on any machine.
private let concurrently = TestQueue(concurrent: true)

/// A closure as work that counts if it is dropped instead.
private final class Droppable: Sendable {
  private let body: @Sendable () -> Int32
  private let dropped: Meter

  init(_ dropped: Meter, _ body: @escaping @Sendable () -> Int32) {
    self.dropped = dropped
    self.body = body
  }

  static let run: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
    Unmanaged<Droppable>.fromOpaque(context!).takeRetainedValue().body()
  }
  static let drop: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    Unmanaged<Droppable>.fromOpaque(context!).takeRetainedValue().dropped.enter()
  }
}

private final class Notification: Sendable {
  let body: @Sendable (Int32) -> Void
  init(_ body: @escaping @Sendable (Int32) -> Void) { self.body = body }
}

private func submit(
  _ form: CWeirTests.GroupTests.Form, _ group: weir_group_t, _ queue: dispatch_queue_t,
  _ body: @escaping @Sendable () -> Int32
) {
  switch form {
  case .block:
    #expect(weir_group_async(group, queue) { body() } == 0)
  case .function:
    let context = Unmanaged.passRetained(Droppable(Meter(), body)).toOpaque()
    #expect(weir_group_async_f(group, queue, context, Droppable.run) == 0)
  }
}

private func notify(
  _ form: CWeirTests.GroupTests.Form, _ group: weir_group_t, _ queue: dispatch_queue_t,
  _ body: @escaping @Sendable (Int32) -> Void
) {
  switch form {
  case .block:
    #expect(weir_group_notify(group, queue) { body($0) } == 0)
  case .function:
    let context = Unmanaged.passRetained(Notification(body)).toOpaque()
    let error = weir_group_notify_f(group, queue, context) { context, result in
      Unmanaged<Notification>.fromOpaque(context!).takeRetainedValue().body(result)
    }
    #expect(error == 0)
  }
}
