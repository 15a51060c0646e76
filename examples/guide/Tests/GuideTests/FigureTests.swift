// The numbers that the programs in examples/guide print. The tests compare ratios
// within one run, with room for noise.
import Foundation
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

    @Test(arguments: ["3-5-concurrent-loop-weir"])
    func theChosenStrideIsAboutAsGoodAsAGoodOne(program: String) async throws {
      try await onThread {
        // A busy machine can spoil one run.
        let runs = try (0..<5).map { _ in
          try run(program).lines[1...3].map { numbers(in: $0).last ?? 0 }
        }
        #expect(runs.contains { $0[2] < $0[0] && $0[2] < 3 * $0[1] }, "\(runs)")
      }
    }

    /// The budget is half of the descriptors minus the open ones, and all of it is
    /// used.
    @Test(arguments: ["3-5e-descriptors-weir"])
    func theDescriptorGateIsUsedUpAndNotMore(program: String) async throws {
      try await onThread {
        let outcome = try run(program)
        let lines = outcome.lines.map(numbers(in:))
        try #require(lines.count == 3, "\(outcome.story)")
        let budget = lines[0][1]
        // The program inherits some descriptors.
        #expect(budget >= 1 && budget <= 29, "\(outcome.story)")
        #expect(lines[1] == [budget, 500 - budget], "\(outcome.story)")
        #expect(lines[2] == [budget, 0], "\(outcome.story)")
      }
    }

    @Test func withoutTheSemaphoreDescriptorsRunOut() async throws {
      try await onThread {
        let last = numbers(in: try run("3-5d-semaphore").lines[3])
        #expect(last.count == 2 && last[0] < 64 && last[1] > 400, "\(last)")
      }
    }

    /// A child of posix_spawn inherits what libdispatch's threads block.
    @Test func aChildOfWeirSpawnBlocksNothing() async throws {
      try await onThread {
        let lines = try run("5-fork-weir_f").lines
        #expect(!lines[0].hasSuffix(" 0000000000000000"), "\(lines)")
        #expect(lines[1].hasSuffix(" 0000000000000000"), "\(lines)")
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

    @Test func theTraceIsJSON() async throws {
      try await onThread {
        guard let workshop = try Workshops.of(.toolchain) else { return }
        let outcome = try workshop.run("trace-weir_f", workshop.path("trace.json"))
        #expect(outcome.isFine, "\(outcome.story)")
        for line in outcome.lines {
          let event = try JSONSerialization.jsonObject(with: Data(line.utf8))
          #expect(event is [String: Any], "\(line)")
        }
        // Three jobs were submitted, started and ended, each with a note.
        let jobs = outcome.lines.filter { $0.contains("visitors") }
        let notes = outcome.lines.filter { $0.contains("has a ticket") }
        #expect(jobs.count >= 9 && notes.count == 3, "\(outcome.story)")
        // Two had to wait, and were woken.
        for kind in ["wait", "wake"] {
          let events = outcome.lines.filter { $0.contains("\"ev\":\"\(kind)\"") }
          #expect(events.count >= 2, "\(outcome.story)")
        }
        let text = try String(in: workshop.path("trace.json"))
        let trace = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        #expect(((trace?["traceEvents"] as? [Any])?.count ?? 0) > 3, "\(text)")
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
