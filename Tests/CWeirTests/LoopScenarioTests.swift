// weir/apply.h in the scenarios that libdispatch tests its loops with: dispatch_apply and
// dispatch_sema.
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct LoopScenarioTests {
    @Test func aLoopRunsEveryIteration() async throws {
      try await onThread {
        let count = Meter()
        weir_apply(32, 1, globalQueue()) { begin, end in count.enter(end - begin) }
        #expect(count.ever == 32)
      }
    }

    @Test func threeNestedLoopsRunEveryIteration() async throws {
      try await onThread {
        let count = Meter()
        weir_apply(32, 1, globalQueue()) { _, _ in
          weir_apply(32, 1, globalQueue()) { _, _ in
            weir_apply(32, 1, globalQueue()) { begin, end in count.enter(end - begin) }
          }
        }
        #expect(count.ever == 32 * 32 * 32)
      }
    }

    /// The calling thread suffices if other work occupies every thread of the queue, without end.
    @Test(arguments: [0, 1])
    func aLoopEndsWhileOtherWorkHasTheThreads(stride: Int) async throws {
      try await onThread {
        let cores = Int(weir_lanes_default_width()), running = Latch(cores), ended = Latch(cores)
        let stop = Latch(1), count = Meter()
        for _ in 0..<cores {
          async(globalQueue()) {
            running.arrive()
            while !stop.isOpen {}
            ended.arrive()
          }
        }
        #expect(running.wait())
        weir_apply(32, stride, globalQueue()) { begin, end in count.enter(end - begin) }
        #expect(count.ever == 32 && !ended.isOpen)
        stop.arrive()
        #expect(ended.wait())
      }
    }

    /// A gate of one permit protects a plain counter in a loop.
    @Test(arguments: [0, 1, 7])
    func aGateIsALockInALoop(stride: Int) async throws {
      try await onThread {
        let gate = Gate(1), total = Passed(UnsafeMutablePointer<Int>.allocate(capacity: 1))
        total.it.initialize(to: 0)
        defer { total.it.deallocate() }
        weir_apply(10_000, stride, globalQueue()) { begin, end in
          for _ in begin..<end {
            #expect(gate.wait(1) == 0)
            total.it.pointee += 1
            gate.signal(1)
          }
        }
        #expect(total.it.pointee == 10_000 && gate.stats.in_use == 0)
        gate.release()
      }
    }
  }
}
