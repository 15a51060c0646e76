// weir/descriptors.h: the budget is half of the limit, less what is open, and
// at least 1. It is looked up once a process, so each case has its own.
import CWeir
import Glibc
import Testing

extension CWeirTests {
  @Suite struct DescriptorsTests {
    @Test(arguments: [8, 12, 16, 20, 24, 64, 256, 1000, 1024, 4096])
    func theBudgetIsHalfOfTheLimitLessWhatIsOpen(limit: Int) async {
      await #expect(processExitsWith: .success) { [limit] in
        #expect(setDescriptorLimit(limit))
        let open = openDescriptors()
        #expect(weir_descriptor_limit() == limit)
        #expect(weir_descriptor_budget() == max(1, limit / 2 - open))
        #expect(openDescriptors() == open)
      }
    }

    @Test(arguments: [0, 1, 5, 40])
    func moreOpenIsLessBudget(more: Int) async {
      await #expect(processExitsWith: .success) { [more] in
        #expect(setDescriptorLimit(128))
        for _ in 0..<more { #expect(dup(0) >= 0) }
        let open = openDescriptors()
        #expect(open > more)
        #expect(weir_descriptor_budget() == max(1, 64 - open))
      }
    }

    @Test func theGateHasAsManyPermits() async {
      await #expect(processExitsWith: .success) {
        #expect(setDescriptorLimit(100))
        let gate = Gate(raw: weir_descriptor_gate())
        let budget = weir_descriptor_budget()
        #expect(gate.stats.permits == budget)
        #expect(gate.attempt(budget) == 0 && gate.attempt(1) == EAGAIN)
        #expect(gate.wait(budget + 1) == EINVAL)
        gate.signal(budget)
      }
    }

    @Test func itIsLookedUpOnce() async {
      await #expect(processExitsWith: .success) {
        #expect(setDescriptorLimit(200))
        let budget = weir_descriptor_budget(), gate = weir_descriptor_gate()
        for _ in 0..<20 { _ = dup(0) }
        #expect(setDescriptorLimit(100))
        #expect(weir_descriptor_limit() == 100)
        #expect(weir_descriptor_budget() == budget && weir_descriptor_gate() == gate)
      }
    }

    @Test func evenManyThreadsGetOneGate() async {
      await #expect(processExitsWith: .success) {
        let gates = Locked<Set<OpaquePointer>>([]), ready = Latch(8)
        let crew = Crew(8) { _ in
          ready.arriveAndWait()
          let gate = weir_descriptor_gate()
          gates.with { _ = $0.insert(gate) }
        }
        #expect(crew.wait() && gates.now.count == 1)
      }
    }

    @Test(.enabled(if: hardDescriptorLimit() > 2_200_000))
    func theBudgetHasABound() async {
      await #expect(processExitsWith: .success) {
        #expect(setDescriptorLimit(2_200_000))
        #expect(weir_descriptor_budget() == 1_048_576)
      }
    }
  }
}
