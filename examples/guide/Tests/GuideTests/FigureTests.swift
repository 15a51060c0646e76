// The numbers that the programs in examples/guide print. The tests compare ratios
// within one run, with room for noise.
import TestSupport
import Testing

extension GuideTests {
  @Suite struct FigureTests {
    /// A concurrent loop runs each iteration once.
    @Test(arguments: ["3-5-concurrent-loop"])
    func theConcurrentLoopDoesEachIterationOnce(program: String) async throws {
      try await onThread {
        let line = try run(program).lines[1]
        #expect(numbers(in: line).sorted() == (0..<12).map(Double.init), "\(line)")
      }
    }

    /// A stride helps iterations of nanoseconds, and not those of microseconds.
    @Test(arguments: ["3-5a-striding"])
    func stridingPaysForTinyIterationsAlone(program: String) async throws {
      try await onThread {
        // A busy machine can spoil one run, or put both threads of the loop on
        // one processor: then the heavy loop seems to gain too.
        let runs = try (0..<3).map { _ in
          try run(program).lines.filter { $0.hasPrefix("  stride 64") }
            .map { numbers(in: $0).last ?? 0 }
        }
        try #require(runs.allSatisfy { $0.count == 2 })
        #expect(runs.contains { $0[0] > 1.5 && $0[0] > 1.5 * $0[1] }, "\(runs)")
      }
    }

    @Test func withoutTheSemaphoreDescriptorsRunOut() async throws {
      try await onThread {
        let last = numbers(in: try run("3-5d-semaphore").lines[3])
        #expect(last.count == 2 && last[0] < 64 && last[1] > 400, "\(last)")
      }
    }

    /// A free lock costs no more than a serial queue, and the submission of a task more than a lock.
    @Test func aLockIsCheaperThanAQueue() async throws {
      try await onThread {
        let costs = try run("5-lock").lines[1...3].map { numbers(in: $0)[0] }
        #expect(costs[0] < 2 * costs[1] && costs[0] < costs[2], "\(costs)")
      }
    }

    /// Tasks on a queue take no longer than new threads.
    @Test func aTaskBeginsSoonerThanAThread() async throws {
      try await onThread {
        let rounds = try run("5-threads").lines.prefix(2).map { numbers(in: $0)[1] }
        #expect(rounds[1] < 2 * rounds[0], "\(rounds)")
      }
    }

    private func run(_ program: String) throws -> Outcome {
      let workshop = try #require(try Workshops.of(.toolchain))
      let outcome = try workshop.run(program)
      #expect(outcome.isFine, "\(outcome.story)")
      return outcome
    }
  }
}
