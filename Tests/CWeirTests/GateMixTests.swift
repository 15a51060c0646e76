// weir/gate.h, blocking waits and asynchronous work at one gate: work that its queue cannot begin
// does not keep its permits from threads that wait.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct GateMixTests {
    /// Blocks that wait at a gate fill a global queue, and work behind them has all permits.
    @Test func waitsAndWorkOnOneGlobalQueue() {
      let gate = Gate(5), blocks = Latch(600), works = Latch(5), inside = Meter()
      #expect(gate.wait(5) == 0)
      for _ in 0..<600 {
        async(globalQueue()) {
          #expect(gate.wait(1) == 0)
          inside.enter()
          inside.leave()
          gate.signal(1)
          blocks.arrive()
        }
      }
      for _ in 0..<5 {
        let error = weir_gate_async(gate.raw, 1, globalQueue()) {
          inside.enter()
          inside.leave()
          works.arrive()
        }
        #expect(error == 0)
      }
      for _ in 0..<5 { gate.signal(1) }
      #expect(blocks.wait() && works.wait())
      #expect(eventually { gate.stats.in_use == 0 } && gate.stats.waiting == 0)
      #expect(gate.stats.peak == 5 && inside.most <= 5)
      gate.release()
    }

    /// A block waits on the serial queue that would have to run the work after it.
    @Test(arguments: [1, 2, 4])
    func aWaitOnTheQueueOfTheWork(count: Int) {
      let gate = Gate(4), queue = TestQueue(), log = Locked<[String]>([]), ended = Latch(3)
      #expect(gate.wait(4) == 0)
      dispatch_suspend(object(queue.it))
      async(queue.it) {
        #expect(gate.wait(count) == 0)
        log.with { $0.append("block") }
        gate.signal(count)
        ended.arrive()
      }
      for name in ["first", "second"] {
        let error = weir_gate_async(gate.raw, name == "first" ? 3 : 1, queue.it) {
          log.with { $0.append(name) }
          ended.arrive()
        }
        #expect(error == 0)
      }
      gate.signal(4)
      dispatch_resume(object(queue.it))
      #expect(ended.wait() && log.now == ["block", "first", "second"])
      #expect(eventually { gate.stats.in_use == 0 } && gate.stats.peak == 4)
      gate.release()
    }

    /// The latest grant loses its permits, and the work takes them again, before all that wait,
    /// when its queue begins it.
    @Test func workWithoutPermitsIsFirstWhenItBegins() {
      let gate = Gate(2), early = TestQueue(), late = TestQueue(), log = Locked<[String]>([])
      let ended = Latch(4)
      for (name, queue) in [("early", early), ("late", late)] {
        dispatch_suspend(object(queue.it))
        let error = weir_gate_async(gate.raw, 1, queue.it) {
          log.with { $0.append(name) }
          ended.arrive()
        }
        #expect(error == 0)
      }
      let holder = Latch(1)
      startThread {
        #expect(gate.wait(1) == 0)
        log.with { $0.append("holder") }
        holder.wait()
        gate.signal(1)
        ended.arrive()
      }
      #expect(eventually { log.now == ["holder"] })
      /* The work that kept its permit runs at once. */
      dispatch_resume(object(early.it))
      #expect(eventually { log.now == ["holder", "early"] && gate.stats.in_use == 1 })
      #expect(gate.attempt(1) == 0)
      var request: weir_gate_request_t?
      let error = weir_gate_request(
        gate.raw, 1,
        { result in
          #expect(result == 0)
          log.with { $0.append("request") }
          ended.arrive()
        }, &request)
      #expect(error == 0 && gate.stats.waiting == 1)
      dispatch_resume(object(late.it))
      #expect(eventually { gate.stats.waiting == 2 })
      gate.signal(1)
      #expect(eventually { log.now.contains("late") && log.now.contains("request") })
      #expect(log.now == ["holder", "early", "late", "request"])
      holder.arrive()
      #expect(ended.wait())
      gate.signal(1)
      #expect(eventually { gate.stats.in_use == 0 })
      if let request { weir_gate_request_release(request) }
      gate.release()
    }
  }
}
