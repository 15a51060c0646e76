// Nested scopes of one gate: an outer scope lends its permits to the inner ones.

import TestSupport
import Testing

@testable import Weir

@Suite(.timeLimit(.minutes(2)))
struct NestedPermitTests {
  @Test("a scope within a scope borrows, at any depth", arguments: [1, 2])
  func nested(permits: Int) async throws {
    let gate = Gate(label: "nested", permits: permits)
    let inUse = try await gate.withPermit {
      try await gate.withPermit(timeout: .seconds(30)) {
        try await gate.withPermit { gate.statistics.inUse }
      }
    }
    #expect(inUse == 1)
    #expect(gate.statistics.inUse == 0 && gate.statistics.acquired == 1)
  }

  @Test("a transform of a map may take a permit of the map's gate", arguments: [1, 3])
  func inMaps(permits: Int) async throws {
    let gate = Gate(label: "maps", permits: permits)
    let crowd = Shared(Crowd())
    let results = try await (0..<50).mapConcurrently(limit: 8, within: gate) { number in
      try await gate.withPermit {
        crowd.change { $0.enter() }
        await Task.yield()
        crowd.change { $0.leave() }
        return number
      }
    }
    #expect(results == Array(0..<50))
    #expect(crowd.value.most <= permits)
    #expect(gate.statistics.inUse == 0 && gate.statistics.peak <= permits)
    try await withWindowedTaskGroup(of: Void.self, limit: 4, within: gate) { group in
      for _ in 0..<10 { try await group.addTask { try await gate.withPermit {} } }
    }
    #expect(gate.statistics.inUse == 0)
  }

  @Test("an attempt with a time-out borrows too, and so do maps in it")
  func inAttempts() async throws {
    let gate = Gate(label: "attempts", permits: 1)
    let sums = try await (0..<5).mapConcurrently(
      limit: 4, within: gate,
      options: MapOptions(timeout: .seconds(100), retry: .attempts(2, delay: .zero))
    ) { number in
      let one = try await gate.withPermit { number }
      let many = try await (0..<3).mapConcurrently(limit: 2, within: gate) { $0 }
      return one + many.reduce(0, +)
    }
    #expect(sums == [3, 4, 5, 6, 7])
    #expect(gate.statistics.inUse == 0 && gate.statistics.peak == 1)
  }

  @Test("permits with a count are taken in addition")
  func several() async throws {
    let gate = Gate(label: "several", permits: 5)
    try await gate.withPermits(3) {
      let one = try await gate.withPermit { gate.statistics.inUse }
      let two = try await gate.withPermits(2) { gate.statistics.inUse }
      let none = try await gate.withPermits(0) { gate.statistics.inUse }
      #expect(one == 3 && two == 5 && none == 3)
      await #expect(throws: GateError.timedOut) {
        try await gate.withPermits(3, timeout: .milliseconds(20)) {}
      }
    }
    #expect(gate.statistics.inUse == 0)
  }

  @Test("an error and a cancellation return the loan")
  func errors() async throws {
    struct Bad: Error {}
    let gate = Gate(label: "errors", permits: 1)
    try await gate.withPermit {
      for _ in 0..<3 {
        await #expect(throws: Bad.self) { try await gate.withPermit { throw Bad() } }
      }
      let cancelled = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await gate.withPermit { true }
      }
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      try await gate.withPermit {}
    }
    #expect(gate.statistics.inUse == 0)
  }

  @Test("a task that only inherits the scope waits for a permit of its own")
  func heirs() async throws {
    let gate = Gate(label: "heirs", permits: 1)
    let heir = try await gate.withPermit {
      let heir = Task { try await gate.withPermit { gate.statistics.inUse } }
      #expect(await eventually { gate.statistics.waiting == 1 })
      try await gate.withPermit {}
      return heir
    }
    #expect(try await heir.value == 1)
    #expect(gate.statistics.acquired == 2 && gate.statistics.inUse == 0)
  }

  /// The scope's permit is with a child of the group, which returns it.
  @Test("a scope whose loans are out waits for one of them")
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
        let inUse = try await gate.withPermit { gate.statistics.inUse }
        #expect(inUse == 1)
        await opened
      }
    }
    #expect(gate.statistics.inUse == 0)
  }
}
