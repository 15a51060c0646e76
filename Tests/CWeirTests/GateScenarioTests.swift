// weir/gate.h in the scenarios that golang/sync (semaphore) and tokio (sync_semaphore) test their
// semaphores with. (LoopScenarioTests has dispatch_sema.)
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct GateScenarioTests {
    // ---- golang/sync ------------------------------------------------------

    /// Threads take 0, 1, 2 ... permits, hold them for a moment, and return them.
    @Test func threadsWithDifferentWeights() async throws {
      try await onThread {
        let count = 4, gate = Gate(count), inside = Meter()
        let crew = Crew(count) { weight in
          for turn in 0..<250 {
            #expect(gate.wait(weight) == 0)
            inside.enter(weight)
            usleep(UInt32((turn * 7 + weight) % 50))
            inside.leave(weight)
            gate.signal(weight)
          }
        }
        #expect(crew.wait() && inside.most <= count && gate.stats.in_use == 0)
        gate.release()
      }
    }

    /// Tries, and waits with a time-out, see the same: one is free, none, one, none.
    @Test(arguments: [true, false])
    func triesBetweenWaits(tries: Bool) async throws {
      try await onThread {
        let gate = Gate(2)
        let attempt = { () -> Bool in
          let result = tries ? gate.attempt(1) : gate.wait(1, after(milliseconds: 10))
          #expect(result == 0 || result == (tries ? EAGAIN : ETIMEDOUT))
          return result == 0
        }
        #expect(gate.wait(1) == 0)
        #expect(attempt() && !attempt())
        gate.signal(2)
        #expect(attempt())
        #expect(gate.wait(1) == 0)
        #expect(!attempt())
        gate.signal(2)
        gate.release()
      }
    }

    /// A request for more than the gate has does not hold up others. (Go lets it wait for its
    /// context; a gate refuses it.)
    @Test func aRequestThatIsTooBigBlocksNobody() async throws {
      try await onThread {
        let gate = Gate(2), done = Latch(6)
        startThread { #expect(gate.wait(3) == EINVAL) }
        let crew = Crew(6) { _ in
          #expect(gate.wait(1) == 0)
          usleep(1000)
          gate.signal(1)
          done.arrive()
        }
        #expect(crew.wait() && done.isOpen)
        gate.release()
      }
    }

    /// A wait for all permits gets them while others return and take theirs again and again.
    @Test func aBigWaitIsServedAmongManySmallOnes() async throws {
      try await onThread {
        let count = 4, gate = Gate(count), isOver = Latch(1)
        for _ in 0..<count { #expect(gate.wait(1) == 0) }
        let crew = Crew(count) { _ in
          while !isOver.isOpen {
            usleep(500)
            gate.signal(1)
            #expect(gate.wait(1) == 0)
          }
          gate.signal(1)
        }
        #expect(gate.wait(count) == 0)
        isOver.arrive()
        gate.signal(count)
        #expect(crew.wait() && gate.stats.in_use == 0)
        gate.release()
      }
    }

    /// A big request at the head is cancelled while a small wait arrives: the small one is served.
    @Test func aCancelAtTheHeadLetsTheNextOn() async throws {
      try await onThread {
        for _ in 0..<200 {
          let gate = Gate(10), decided = Locked<[Int32]>([])
          #expect(gate.wait(1) == 0)
          var big: weir_gate_request_t?
          let error = weir_gate_request(
            gate.raw, 10, { result in decided.with { $0.append(result) } }, &big)
          #expect(error == 0 && gate.attempt(1) == EAGAIN)
          let request = Passed(big)
          let crew = Crew(1) { _ in
            if let it = request.it { _ = weir_gate_request_cancel(it) }
          }
          #expect(gate.wait(1) == 0)
          #expect(crew.wait() && decided.now == [ECANCELED])
          gate.signal(2)
          if let big { weir_gate_request_release(big) }
          gate.release()
        }
      }
    }

    /// A request that is cancelled before its permits come never has them, not even for a moment.
    @Test func aCancelBeforeTheSignalWins() async throws {
      try await onThread {
        let gate = Gate(2), decided = Locked<[Int32]>([])
        #expect(gate.wait(1) == 0)
        var request: weir_gate_request_t?
        let error = weir_gate_request(
          gate.raw, 2, { result in decided.with { $0.append(result) } }, &request)
        #expect(error == 0)
        if let request {
          #expect(weir_gate_request_cancel(request) == 0)
          weir_gate_request_release(request)
        }
        gate.signal(1)
        #expect(decided.now == [ECANCELED] && gate.attempt(2) == 0)
        gate.signal(2)
        gate.close() /* a done context: nothing is granted, even without waiting */
        #expect(gate.wait(1) == ECANCELED)
        gate.release()
      }
    }

    // ---- tokio ------------------------------------------------------------

    @Test func aTryAfterAPermitCameBack() async throws {
      try await onThread {
        let gate = Gate(1)
        #expect(gate.attempt(1) == 0 && gate.attempt(1) == EAGAIN)
        gate.signal(1)
        #expect(gate.attempt(1) == 0)
        gate.signal(1)
        gate.release()
      }
    }

    /// A request, a thread and asynchronous work wait for a permit, of a gate that has one in use or
    /// none at all until it is resized.
    @Test(arguments: [0, 1])
    func aWaiterIsServedByASignalOrByAddedPermits(permits: Int) async throws {
      try await onThread {
        let gate = Gate(permits), served = Locked<[String]>([])
        #expect(permits == 0 || gate.attempt(1) == 0)
        let serve: @Sendable (String) -> Void = { name in served.with { $0.append(name) } }
        let decided: @Sendable (Int32) -> Void = { result in
          if result == 0 {
            serve("request")
            gate.signal(1)
          }
        }
        #expect(weir_gate_request(gate.raw, 1, decided, nil) == 0)
        #expect(
          gate.startWaiter(1) {
            serve("thread")
            gate.signal(1)
          })
        #expect(weir_gate_async(gate.raw, 1, globalQueue()) { serve("work") } == 0)
        #expect(served.now.isEmpty)
        if permits == 0 { #expect(gate.resize(1) == 0) } else { gate.signal(1) }
        #expect(eventually { served.now == ["request", "thread", "work"] })
        #expect(eventually { gate.stats.in_use == 0 })
        gate.release()
      }
    }

    /// add_permits and forget_permits: a resize up or down, of a gate that is open or closed.
    @Test(arguments: 0...3, 0...3)
    func permitsAreAddedAndForgotten(size: Int, change: Int) async throws {
      try await onThread {
        for closes in [false, true] {
          for after in [size + change, max(0, size - change)] {
            let gate = Gate(size)
            if closes { gate.close() }
            #expect(gate.resize(after) == 0)
            #expect(gate.stats.permits == after && gate.stats.in_use == 0)
            #expect(gate.stats.closed == closes)
            gate.release()
          }
        }
      }
    }

    /// A permit that is never returned: the gate is short of it for good, or until a resize.
    @Test func aForgottenPermit() async throws {
      try await onThread {
        let gate = Gate(1)
        #expect(gate.attempt(1) == 0 && gate.attempt(1) == EAGAIN && gate.stats.in_use == 1)
        #expect(gate.resize(2) == 0 && gate.attempt(1) == 0)
        gate.signal(1)
        gate.release()
      }
    }

    /// merge and split: permits come back in other portions than they were taken in.
    @Test func permitsComeBackInOtherPortions() async throws {
      try await onThread {
        let gate = Gate(5)
        #expect(gate.attempt(1) == 0 && gate.attempt(2) == 0 && gate.stats.in_use == 3)
        gate.signal(3)
        #expect(gate.attempt(3) == 0)
        for left in [2, 1, 0] {
          gate.signal(1)
          #expect(gate.signal(0) == 0 && gate.stats.in_use == left)
        }
        #expect(gate.attempt(5) == 0)
        gate.signal(5)
        gate.release()
      }
    }

    @Test func severalPermitsAtOnce() async throws {
      try await onThread {
        let gate = Gate(42)
        #expect(gate.attempt(42) == 0 && gate.attempt(1) == EAGAIN)
        gate.signal(42)
        #expect(gate.attempt(32) == 0)
        let first = Latch(1)
        let crew = Crew(1) { _ in
          #expect(gate.wait(10) == 0)
          first.arrive()
          #expect(gate.wait(32) == 0)
          gate.signal(42)
        }
        #expect(first.wait())
        gate.signal(32)
        #expect(crew.wait() && gate.stats.in_use == 0)
        gate.release()
      }
    }

    /// A thousand requests, then every permit is there again.
    @Test func afterManyRequestsEveryPermitIsFree() async throws {
      try await onThread {
        let gate = Gate(5), served = Latch(1000), queue = TestQueue(concurrent: true)
        for _ in 0..<1000 {
          #expect(weir_gate_async(gate.raw, 1, queue.it) { served.arrive() } == 0)
        }
        #expect(served.wait() && eventually { gate.stats.in_use == 0 })
        for _ in 0..<5 { #expect(gate.attempt(1) == 0) }
        #expect(gate.attempt(1) == EAGAIN)
        gate.signal(5)
        gate.release()
      }
    }

    @Test func theMostPermitsAGateCanHave() async throws {
      try await onThread {
        let most = Int(bitPattern: UInt.max / 8), gate = Gate(0)
        #expect(gate.resize(most) == 0 && gate.stats.permits == most)
        #expect(gate.resize(most + 1) == EINVAL && gate.stats.permits == most)
        #expect(weir_gate_create(nil, most + 1) == nil)
        gate.release()
      }
    }

    @Test func aClosedGateRefusesEveryForm() async throws {
      try await onThread {
        let gate = Gate(1), decided = Locked<[Int32]>([])
        gate.close()
        #expect(gate.attempt(1) == ECANCELED && gate.wait(1) == ECANCELED)
        #expect(gate.wait(2) == ECANCELED && gate.wait(1, atOnce) == ECANCELED)
        #expect(weir_gate_async(gate.raw, 1, globalQueue()) {} == ECANCELED)
        let error = weir_gate_request(
          gate.raw, 1, { result in decided.with { $0.append(result) } }, nil)
        #expect(error == 0 && decided.now == [ECANCELED])
        gate.release()
      }
    }
  }
}
