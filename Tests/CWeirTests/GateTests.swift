// weir/gate.h: permits are granted in the order of the requests, no more than exist, and none is
// lost.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct GateTests {
    /// Every list of up to three requests (up to four for few permits), against a model of the
    /// queue, permit by permit.
    @Test(arguments: 1...4)
    func waitersAreServedInOrder(permits: Int) {
      for length in 1...(permits < 3 ? 4 : 3) {
        for requests in lists(of: Array(1...permits), length: length) {
          #expect(Scene(permits, requests).plays(), "\(permits) permits, \(requests)")
        }
      }
    }

    @Test func moreThanAllPermitsIsAnErrorAtOnce() {
      for permits in 1...4 {
        let gate = Gate(permits)
        for taken in 0...permits {
          #expect(gate.attempt(taken) == 0)
          for count in [permits + 1, permits + 2, Int.max, -1] {
            #expect(gate.wait(count) == EINVAL && gate.attempt(count) == EINVAL)
          }
          gate.signal(taken)
        }
        gate.release()
      }
    }

    /// Of 0 permits, from the start or by a resize: every request waits for the next resize, which
    /// serves or refuses it.
    @Test(arguments: [true, false])
    func aPausedGateLetsEverybodyWait(fromTheStart: Bool) {
      let gate = Gate(fromTheStart ? 0 : 3), log = Locked<[String]>([]), ran = Latch(1)
      if !fromTheStart { #expect(gate.resize(0) == 0) }
      #expect(gate.attempt(1) == EAGAIN && gate.attempt(9) == EAGAIN)
      /* More than any gate can have. */
      for count in [Int.max, -1] {
        #expect(gate.wait(count) == EINVAL && gate.attempt(count) == EINVAL)
      }
      #expect(gate.wait(1, atOnce) == ETIMEDOUT)
      #expect(gate.wait(9, after(milliseconds: 2)) == ETIMEDOUT && gate.wait(0) == 0)
      #expect(gate.startWaiter(2) { log.with { $0.append("thread") } })
      for count in [1, 9] {
        #expect(
          weir_gate_request(
            gate.raw, count, { result in log.with { $0.append("\(count): \(result)") } }, nil)
            == 0)
      }
      #expect(weir_gate_async(gate.raw, 1, globalQueue()) { ran.arrive() } == 0)
      #expect(gate.stats.waiting == 4 && log.now.isEmpty)
      #expect(gate.resize(0) == 0 && gate.stats.waiting == 4)
      #expect(gate.resize(3) == 0)
      #expect(eventually { log.now.count == 3 })
      #expect(Set(log.now) == ["thread", "1: 0", "9: \(EINVAL)"])
      gate.signal(3)
      #expect(ran.wait() && eventually { gate.stats.in_use == 0 })
      #expect(gate.attempt(4) == EINVAL && gate.resize(0) == 0)
      gate.close()
      #expect(gate.attempt(1) == ECANCELED && gate.wait(1) == ECANCELED)
      gate.release()
    }

    @Test func smallRequestsDoNotStarveABigOne() {
      let gate = Gate(4), big = Latch(1)
      let small = Crew(6) { _ in
        while !big.isOpen {
          if gate.wait(1) == 0 { gate.signal(1) }
        }
      }
      #expect(gate.wait(4) == 0)
      big.arrive()
      gate.signal(4)
      #expect(small.wait())
      #expect(gate.stats.in_use == 0)
      gate.release()
    }

    /// Writes before a signal are visible after the wait that it lets through: the sum is right,
    /// and the thread sanitizer silent.
    @Test func aGateOfOnePermitIsALock() {
      let gate = Gate(1)
      let sum = Passed(UnsafeMutablePointer<Int>.allocate(capacity: 1))
      sum.it.pointee = 0
      let crew = Crew(4) { _ in
        for _ in 0..<500 where gate.wait(1) == 0 {
          sum.it.pointee += 1
          gate.signal(1)
        }
      }
      #expect(crew.wait() && sum.it.pointee == 2000)
      sum.it.deallocate()
      gate.release()
    }

    @Test(arguments: [1, 2, 3, 7])
    func underLoadNoMorePermitsAreInUseThanExist(permits: Int) {
      let load = Load(permits)
      #expect(load.run(threads: 6, rounds: 300))
      let stats = load.gate.stats
      #expect(load.out.most <= permits && load.out.now == 0)
      #expect(stats.in_use == 0 && stats.waiting == 0)
      #expect(stats.waits == load.served.ever && stats.timed_out == load.timedOut.ever)
      #expect(stats.peak <= permits && stats.peak >= load.out.most)
      #expect(stats.woken == load.woken.ever)
      #expect(load.gate.attempt(permits) == 0)
      load.gate.signal(permits)
      load.gate.release()
    }

    @Test func gatesCanBeMadeOfAnySizeThatFits() {
      let most = Int(UInt.max / 8)
      let gate = Gate(most)
      #expect(gate.attempt(most) == 0 && gate.attempt(1) == EAGAIN)
      gate.signal(most)
      gate.release()
      errno = 0
      #expect(weir_gate_create("too many", most + 1) == nil && errno == EINVAL)
      #expect(weir_gate_create("too many", -1) == nil)
    }

    /// The sanitizers would report an error here.
    @Test func aGateMayBeReleasedWithPermitsInUse() {
      for portions in [[3], [1, 2], [1, 1, 1]] {
        let gate = Gate(3, "left")
        #expect(gate.wait(3) == 0)
        gate.release()
        for portion in portions { #expect(gate.signal(portion) == 0) }
      }
    }
  }

  /// weir_gate_stats.
  @Suite struct GateStatsTests {
    @Test func theStructCanGrowAndShrink() {
      let gate = Gate(5)
      #expect(gate.attempt(2) == 0)
      let size = MemoryLayout<weir_gate_stats_t>.size
      for given in 0...(size + 16) {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: size + 32, alignment: 8)
        memset(bytes, 0xAA, size + 32)
        weir_gate_stats(
          gate.raw, bytes.assumingMemoryBound(to: weir_gate_stats_t.self), given)
        let copy = Array(UnsafeRawBufferPointer(start: bytes, count: size + 32))
        #expect(copy[given...].allSatisfy { $0 == 0xAA })
        #expect(given <= size || copy[size..<given].allSatisfy { $0 == 0 })
        #expect(given == 0 || copy[0] == 5)
        bytes.deallocate()
      }
      gate.signal(2)
      gate.release()
    }
  }
}

/// A gate with all permits in use and a queue of waiters, and the expected result of each waiter
/// when the permits come back.
private struct Scene {
  let permits: Int
  let requests: [Int]
  private let gate: Gate
  private let served = Locked<Set<Int>>([])

  init(_ permits: Int, _ requests: [Int]) {
    self.permits = permits
    self.requests = requests
    gate = Gate(permits)
  }

  /// Runs the scene; false if anything differs from the model.
  func plays() -> Bool {
    guard gate.wait(permits) == 0, queueUp() else { return false }
    var mine = permits, there = 0, next = 0, holding: [Int] = []
    while mine > 0 || !holding.isEmpty {
      let given = mine > 0 ? 1 : requests[holding.removeFirst()]
      mine = max(0, mine - 1)
      there += given
      let first = next
      while next < requests.count, requests[next] <= there {
        there -= requests[next]
        holding.append(next)
        next += 1
      }
      guard gate.signal(given) == next - first else { return false }
      guard stands(served: next, inUse: permits - there) else { return false }
    }
    gate.release()
    return next == requests.count
  }

  private func queueUp() -> Bool {
    let served = self.served
    return requests.enumerated().allSatisfy { number, count in
      gate.startWaiter(count) { served.with { _ = $0.insert(number) } }
    }
  }

  private func stands(served count: Int, inUse: Int) -> Bool {
    let stats = gate.stats
    return stats.waiting == requests.count - count && stats.in_use == inUse
      && eventually { served.now == Set(0..<count) }
  }
}

/// Threads that take and return permits at random.
private final class Load: Sendable {
  let gate: Gate
  let permits: Int
  let out = Meter(), served = Meter(), timedOut = Meter(), woken = Meter()

  init(_ permits: Int) {
    self.permits = permits
    gate = Gate(permits)
  }

  func run(threads: Int, rounds: Int) -> Bool {
    let crew = Crew(threads) { number in
      var random = Random("load \(self.permits) \(number)")
      for _ in 0..<rounds { self.round(&random) }
    }
    return crew.wait()
  }

  private func round(_ random: inout Random) {
    let count = 1 + random.below(permits)
    let result = take(count, &random)
    if result == ETIMEDOUT { timedOut.enter() }
    guard result == 0 else { return }
    served.enter()
    out.enter(count)
    if random.below(4) == 0 { sched_yield() }
    out.leave(count)
    let first = random.below(count + 1) /* given back in two portions */
    woken.enter(gate.signal(first))
    woken.enter(gate.signal(count - first))
  }

  private func take(_ count: Int, _ random: inout Random) -> Int32 {
    switch random.below(4) {
    case 0: gate.attempt(count)
    case 1: gate.wait(count, dispatch_time(0, Int64(random.below(100_000))))
    case 2: gate.wait(count, random.below(2) == 0 ? atOnce : forever)
    default: gate.wait(count)
    }
  }
}
