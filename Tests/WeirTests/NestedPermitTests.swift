// Nested scopes of one gate: each takes permits of its own, and lends them to maps within the gate.

import TestSupport
import Testing

@testable import Weir

@Suite(.timeLimit(.minutes(10)))
struct NestedPermitTests {
  @Test("a scope within a scope takes a permit of its own, in tasks and threads")
  func nested() async throws {
    let gate = Gate(label: "nested", permits: 3)
    let inUse = try await gate.withPermit {
      try await gate.withPermit(timeout: .seconds(30)) {
        try await gate.withPermits(1) { gate.statistics.inUse }
      }
    }
    #expect(inUse == 3)
    try await onThread {
      let inUse = try gate.withPermit {
        try gate.withPermit(timeout: .seconds(30)) {
          try gate.withPermits(1) { gate.statistics.inUse }
        }
      }
      #expect(inUse == 3)
    }
    #expect(gate.statistics.inUse == 0 && gate.statistics.acquired == 6)
  }

  @Test("with two permits there are never three bodies")
  func permitsAreThings() async throws {
    let gate = Gate(label: "things", permits: 2)
    let (entered, tried) = (Meeting(of: 2), Meeting(of: 2))
    let crowd = Shared(Crowd())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          try await gate.withPermit {
            crowd.change { $0.enter() }
            _ = await entered.arrive()
            await #expect(throws: TimeoutError.self) {
              try await gate.withPermit(timeout: .zero) { crowd.change { $0.enter() } }
            }
            _ = await tried.arrive()
            crowd.change { $0.leave() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(crowd.value.ever == 2 && gate.statistics.peak == 2)
    // The transform of a map within the gate holds a permit as any scope does.
    await #expect(throws: TimeoutError.self) {
      try await [0].mapConcurrently(limit: 1, within: gate) { _ in
        try await gate.withPermits(2, timeout: .zero) {}
      }
    }
  }

  @Test("of nested scopes the one with most permits lends, whatever the number of the task")
  func mostPermitsLend() async throws {
    for round in 0..<16 {
      let gate = Gate(label: "nested", permits: 4)
      let crowd = Shared(Crowd())
      try await Task {
        let counts = round % 2 == 0 ? (1, 3) : (3, 1)
        try await gate.withPermits(counts.0) {
          try await gate.withPermits(counts.1) {
            let meeting = Meeting(of: 3)
            try await (0..<3).forEachConcurrently(limit: 8, within: gate) { _ in
              crowd.change { $0.enter() }
              _ = await meeting.arrive()
              crowd.change { $0.leave() }
            }
          }
        }
      }.value
      #expect(crowd.value.ever == 3)
    }
  }

  @Test("a map in an attempt with a time-out borrows the permit of its element")
  func inAttempts() async throws {
    let gate = Gate(label: "attempts", permits: 1)
    let sums = try await (0..<5).mapConcurrently(
      limit: 4, within: gate,
      options: MapOptions(timeout: .seconds(100), retry: .attempts(2, delay: .zero))
    ) { number in
      let many = try await (0..<3).mapConcurrently(limit: 2, within: gate) { $0 }
      return number + many.reduce(0, +)
    }
    #expect(sums == [3, 4, 5, 6, 7])
    #expect(gate.statistics.inUse == 0 && gate.statistics.peak == 1)
  }

  @Test("no permit counts as held that is lent, or that a time-out of a map will return")
  func uncertainPermits() async throws {
    let gate = Gate(label: "uncertain", permits: 2)
    try await gate.withPermit {
      #expect(gate.heldByTask == 1)
      let lent = try await [0].mapConcurrently(limit: 1, within: gate) { _ in gate.heldByTask }
      #expect(lent == [1] && gate.heldByTask == 0)
    }
    for timeout in [nil, Duration.seconds(100)] {
      let options = MapOptions(timeout: timeout)
      let held = try await [0].mapConcurrently(limit: 1, options: options) { _ in
        try await gate.withPermit { gate.heldByTask }
      }
      #expect(held == [timeout == nil ? 1 : 0])
    }
    // A child that waits for a permit of the gate, and gets a loan, is not cancelled.
    try await gate.withPermit {
      try await (0..<50).forEachConcurrently(limit: 5, within: gate) { _ in await Task.yield() }
    }
    #expect(!gate.statistics.description.contains("cancelled"))
  }

  @Test("an error and a cancellation return the permit")
  func errors() async throws {
    struct Bad: Error {}
    let gate = Gate(label: "errors", permits: 2)
    try await gate.withPermit {
      for _ in 0..<3 {
        await #expect(throws: Bad.self) { try await gate.withPermit { throw Bad() } }
        await #expect(throws: Bad.self) {
          try await (0..<3).mapConcurrently(limit: 3, within: gate) { _ in throw Bad() }
        }
      }
      let cancelled = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await gate.withPermit { true }
      }
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      #expect(gate.statistics.inUse == 1)
    }
    #expect(gate.statistics.inUse == 0)
  }

  @Test("a task that is started in a scope does not borrow from it")
  func heirs() async throws {
    let gate = Gate(label: "heirs", permits: 1)
    let heir = try await gate.withPermit {
      let heir = Task {
        try await (0..<3).mapConcurrently(limit: 3, within: gate) { _ in gate.statistics.inUse }
      }
      #expect(await eventually { gate.statistics.waiting == 3 })
      let lent = try await (0..<2).mapConcurrently(limit: 2, within: gate) { $0 }
      #expect(lent == [0, 1])
      return heir
    }
    #expect(try await heir.value == [1, 1, 1])
    #expect(gate.statistics.inUse == 0)
  }

  /// The scope's permit is with a child of the group, which returns it.
  @Test("a map in the body of a group waits for a permit that is lent to the group")
  func loansThatAreOut() async throws {
    let gate = Gate(label: "out", permits: 1)
    try await gate.withPermit {
      try await withWindowedTaskGroup(of: Void.self, limit: 2, within: gate) { group in
        let began = Shared(false)
        let mayEnd = Shared(false)
        try await group.addTask {
          began.change { $0 = true }
          #expect(await eventually { mayEnd.value })
        }
        #expect(await eventually { began.value })
        async let opened: Void = {
          #expect(await eventually { gate.statistics.waiting == 1 })
          mayEnd.change { $0 = true }
        }()
        let inUse = try await [0].mapConcurrently(limit: 1, within: gate) { _ in
          gate.statistics.inUse
        }
        #expect(inUse == [1])
        await opened
      }
    }
    #expect(gate.statistics.inUse == 0)
  }

  /// More owners than a table of scopes has entries, and owners with many scopes.
  @Test("every scope is known, however many there are")
  func manyScopes() async throws {
    let gate = Gate(label: "many", permits: 2000)
    let meeting = Meeting(of: 1000)
    @Sendable func nest(_ depth: Int) async throws {
      if depth == 0 { return }
      try await gate.withPermit {
        #expect(gate.heldByTask == 21 - depth)
        try await nest(depth - 1)
      }
    }
    try await nest(20)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask {
          try await gate.withPermits(1 + number % 2) {
            _ = await meeting.arrive()
            #expect(gate.heldByTask == 1 + number % 2)
          }
          #expect(gate.heldByTask == 0)
        }
      }
      try await group.waitForAll()
    }
    #expect(gate.statistics.inUse == 0)
  }
}
