// weir/gate.h without a thread: requests, asynchronous work, and the effect of close and resize on
// waiters. (GateModelTests has every small order of them.)
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct GateAsyncTests {
    /// A thousand jobs at three permits: never more than three at once, and no thread for each.
    @Test func aThousandJobsHoldNoThreads() async {
      await #expect(processExitsWith: .success) {
        let gate = Gate(3), running = Meter(), threads = threadCount()
        let queues = Passed((0..<3).map { _ in serialQueue() }), most = Locked(0)
        #expect(gate.wait(3) == 0)
        for number in 0..<1000 {
          let error = weir_gate_async(gate.raw, 1, queues.it[number % 3]) {
            running.enter()
            usleep(200)
            if running.ever % 50 == 0 { most.with { $0 = max($0, threadCount()) } }
            running.leave()
          }
          #expect(error == 0)
        }
        gate.signal(3)
        #expect(eventually { running.ever == 1000 && gate.stats.in_use == 0 })
        #expect(running.most <= 3 && gate.stats.peak == 3)
        /* The three queues', libdispatch's manager, and those that it starts because the ones
           before have not gone to sleep yet. */
        #expect(most.now - threads <= 32, "\(threads) threads, then \(most.now)")
        #expect(gate.stats.blocked == 1000)
      }
    }

    @Test func workStartsInItsOrder() {
      let gate = Gate(2), queue = TestQueue(), order = Locked<[Int]>([])
      for number in 0..<500 {
        let error = weir_gate_async(gate.raw, number % 3, queue.it) {
          order.with { $0.append(number) }
        }
        #expect(error == 0)
      }
      #expect(eventually { order.now.count == 500 })
      /* What needs no permits waits for nobody. */
      #expect(order.now.filter { $0 % 3 > 0 } == (0..<500).filter { $0 % 3 > 0 })
      gate.release()
    }

    /// A decision that makes the next request does not grow the stack either.
    @Test func aDecisionThatAsksAgainNeedsNoStack() {
      let gate = Gate(1), asked = Locked(0)
      @Sendable func ask() {
        let error = weir_gate_request(
          gate.raw, 1,
          { result in
            let number = asked.with { count -> Int in
              count += 1
              return count
            }
            if result == 0 { gate.signal(1) }
            if number < 200_000 { ask() }
          }, nil)
        if error != 0 { Issue.record("\(error)") }
      }
      ask()
      #expect(asked.now == 200_000 && gate.stats.in_use == 0)
      gate.release()
    }

    /// A decision may call every function on its gate.
    @Test func aDecisionMayCallTheGate() {
      let gate = Gate(1), answers = Locked<[Int32]>([])
      var requests: [weir_gate_request_t?] = [nil, nil, nil]
      #expect(gate.attempt(1) == 0)
      let others = Locked<[OpaquePointer]>([])
      let first = weir_gate_request(
        gate.raw, 1,
        { result in
          answers.with { $0.append(result) }
          /* At once, though a decision is being delivered. */
          #expect(weir_gate_request_cancel(others.now[0]) == 0)
          #expect(answers.now == [0, ECANCELED])
          #expect(gate.resize(3) == 0)
          gate.close()
          gate.signal(1)
        }, &requests[0])
      var errors = [first]
      for place in 1...2 {
        errors.append(
          weir_gate_request(
            gate.raw, 1, { result in answers.with { $0.append(result) } }, &requests[place]))
      }
      #expect(errors == [0, 0, 0])
      others.with { $0 = [requests[1]!, requests[2]!] }
      gate.signal(1)
      #expect(answers.now == [0, ECANCELED, 0])
      for request in requests { weir_gate_request_release(request!) }
      gate.signal(1)
      gate.release()
    }

    @Test func acceptedWorkRunsAfterTheCloseAndTheRelease() {
      for permits in 1...3 {
        let gate = Gate(permits), ran = Meter(), queue = TestQueue()
        #expect(gate.attempt(permits) == 0)
        for _ in 0..<10 {
          let error = weir_gate_async(gate.raw, permits, queue.it) { ran.enter() }
          #expect(error == 0)
        }
        gate.close()
        let late = weir_gate_async(gate.raw, 1, queue.it) { ran.enter() }
        #expect(late == ECANCELED)
        gate.release()
        gate.signal(permits)
        #expect(eventually { ran.ever == 10 })
      }
    }

    @Test func aCloseEndsTheWaitsOfThreads() {
      for (what, wanted) in [("close", ECANCELED), ("resize", EINVAL), ("grow", 0)] {
        let gate = Gate(2), results = Locked<[Int32]>([]), left = Latch(3)
        #expect(gate.attempt(2) == 0)
        for number in 0..<3 {
          startThread {
            let result = gate.wait(2)
            results.with { $0.append(result) }
            if result == 0 { gate.signal(2) }
            left.arrive()
          }
          #expect(eventually { gate.stats.waiting == number + 1 })
        }
        switch what {
        case "close": gate.close()
        case "resize": #expect(gate.resize(1) == 0)
        default: #expect(gate.resize(4) == 0)
        }
        #expect(left.wait() && results.now == [wanted, wanted, wanted])
        #expect(gate.stats.waiting == 0 && gate.stats.in_use == 2)
        #expect(gate.stats.cancelled == (wanted == 0 ? 0 : 3))
        let next = gate.wait(1, atOnce)
        #expect(next == (what == "close" ? ECANCELED : what == "grow" ? 0 : ETIMEDOUT))
        gate.signal(next == 0 ? 3 : 2)
        gate.release()
      }
    }

    /// Everything at once: each request is decided once, and nothing is lost.
    @Test func underEveryLoadTheCountsAreRight() {
      let gate = Gate(4), queue = TestQueue(concurrent: true)
      let asked = Meter(), answered = Meter(), most = 6
      let crew = Crew(4) { number in
        var random = Random("every load \(number)")
        for _ in 0..<400 {
          let count = 1 + random.below(3)
          switch random.below(6) {
          case 0: if gate.wait(count, after(milliseconds: 1)) == 0 { gate.signal(count) }
          case 1: if gate.attempt(count) == 0 { gate.signal(count) }
          case 2:
            asked.enter()
            let error = weir_gate_async(gate.raw, count, queue.it) { answered.enter() }
            if error != 0 { answered.enter() }
          case 3, 4:
            asked.enter()
            var request: weir_gate_request_t?
            _ = weir_gate_request(
              gate.raw, count,
              { result in
                answered.enter()
                if result == 0 { async(queue.it) { gate.signal(count) } }
              }, &request)
            if random.below(2) == 0 { _ = weir_gate_request_cancel(request!) }
            weir_gate_request_release(request!)
          default: _ = gate.resize(1 + random.below(most))
          }
        }
      }
      #expect(crew.wait())
      _ = gate.resize(most)
      #expect(eventually { answered.ever == asked.ever && gate.stats.in_use == 0 })
      #expect(gate.stats.peak <= most && gate.stats.waiting == 0)
      gate.release()
    }
  }
}

private func threadCount() -> Int {
  guard let directory = opendir("/proc/self/task") else { return 0 }
  defer { closedir(directory) }
  var count = -2
  while readdir(directory) != nil { count += 1 }
  return count
}
