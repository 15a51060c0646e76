// Scopes, maps and groups within gates: each takes permits of its own, lends them to the maps in
// it, and loses none.

import TestSupport
import Testing

@testable import Weir

@Suite(.timeLimit(.minutes(10)))
struct NestedPermitTests {
  // MARK: Maps within gates

  @Test("an element has a permit of each gate", arguments: MapForm.allCases)
  func severalGates(form: MapForm) async throws {
    let (first, second) = (Gate(label: "first", permits: 3), Gate(label: "second", permits: 2))
    let crowd = Shared(Crowd())
    _ = try await form.map(12, limit: 6, within: [first, second]) { number in
      crowd.change { $0.enter() }
      #expect(first.statistics.inUse >= 1 && second.statistics.inUse >= 1)
      await Task.yield()
      crowd.change { $0.leave() }
      return number
    }
    #expect(crowd.value.ever == 12 && crowd.value.most <= 2)
    #expect(first.statistics.acquired == 12 && second.statistics.acquired == 12)
    #expect(first.statistics.inUse == 0 && second.statistics.inUse == 0)
    first.close()
    await #expect(throws: GateError.closed) {
      try await form.map(3, limit: 2, within: [second, first]) { $0 }
    }
    #expect(second.statistics.inUse == 0)
  }

  @Test("a job on lanes has a permit of each gate, and none is left if one is closed")
  func lanes() async throws {
    let (first, second) = (Gate(label: "first", permits: 3), Gate(label: "second", permits: 2))
    let lanes = Lanes(label: "jobs", width: 6, within: [first, second])
    let crowd = Shared(Crowd())
    try await (0..<12).forEachConcurrently(limit: 12) { _ in
      try await lanes.run {
        crowd.change { $0.enter() }
        crowd.change { $0.leave() }
      }
    }
    #expect(crowd.value.ever == 12 && crowd.value.most <= 2)
    #expect(second.statistics.acquired == 12)
    second.close()
    await #expect(throws: GateError.closed) { try await lanes.run {} }
    await lanes.wait()
    #expect(first.statistics.inUse == 0 && second.statistics.inUse == 0)
  }

  /// Nested three deep, each with its own limit: there are never more elements in progress than
  /// permits, and all maps end. A time-out and attempts change nothing.
  @Test("nested maps share the permits of their gates", arguments: 1...4, [1, 2, 8])
  func nestedMaps(permits: Int, limit: Int) async throws {
    let gates = [Gate(label: "shared", permits: permits), Gate(label: "other", permits: permits)]
    let crowd = Shared(Crowd())
    let options = MapOptions(timeout: .seconds(100), retry: .attempts(2, delay: .zero))
    let sums = try await (0..<6).mapConcurrently(limit: limit, within: gates) { outer in
      try await (0..<5).mapConcurrently(limit: limit, within: gates, options: options) { middle in
        try await stream(0..<4).mapConcurrently(limit: limit, within: gates) { inner in
          crowd.change { $0.enter() }
          for _ in 0..<(inner % 3) { await Task.yield() }
          crowd.change { $0.leave() }
          return outer * 100 + middle * 10 + inner
        }.reduce(0, +)
      }.reduce(0, +)
    }
    #expect(sums == (0..<6).map { (outer: Int) -> Int in outer * 2000 + 400 + 30 })
    #expect(crowd.value.ever == 120 && crowd.value.most <= permits)
    for gate in gates {
      #expect(gate.statistics.inUse == 0 && gate.statistics.peak <= permits)
      if permits > 1 && limit > 1 { #expect(gate.statistics.peak > 1) }
    }
  }

  // MARK: Scopes within scopes

  @Test("a scope within a scope takes a permit of its own, in tasks and threads")
  func nested() async throws {
    let gate = Gate(label: "nested", permits: 3)
    let inUse = try await gate.withPermit {
      try await gate.withPermit(timeout: .seconds(30)) {
        try await gate.withPermits(1) { gate.statistics.inUse }
      }
    }
    let inUseOfThread = try await onThread {
      try gate.withPermit {
        try gate.withPermit(timeout: .seconds(30)) {
          try gate.withPermits(1) { gate.statistics.inUse }
        }
      }
    }
    #expect(inUse == 3 && inUseOfThread == 3)
    #expect(gate.statistics.inUse == 0 && gate.statistics.acquired == 6)
  }

  @Test("with two permits there are never three bodies")
  func permitsAreThings() async throws {
    let gate = Gate(label: "things", permits: 2)
    let (entered, tried) = (Meeting(of: 2), Meeting(of: 2))
    try await (0..<2).forEachConcurrently(limit: 2) { _ in
      try await gate.withPermit {
        await entered.arrive()
        await #expect(throws: TimeoutError.self) {
          try await gate.withPermit(timeout: .zero) { Issue.record("a third body") }
        }
        await tried.arrive()
      }
    }
    #expect(gate.statistics.peak == 2)
    // The transform of a map within the gate holds a permit as any scope does.
    await #expect(throws: TimeoutError.self) {
      try await [0].mapConcurrently(limit: 1, within: gate) { _ in
        try await gate.withPermits(2, timeout: .zero) {}
      }
    }
  }

  // MARK: Loans

  /// Of nested scopes the one with most permits lends, whatever the number of the task; three
  /// permits are lent, and one is left.
  @Test("a scope lends its permits to the maps in it, also below a time-out")
  func loans() async throws {
    for round in 0..<16 {
      let gate = Gate(label: "nested", permits: 5)
      let crowd = Shared(Crowd())
      try await Task {
        let counts = round % 2 == 0 ? (1, 3) : (3, 1)
        try await gate.withPermits(counts.0) {
          try await gate.withPermits(counts.1) {
            let meeting = Meeting(of: 4)
            try await withTimeout(.seconds(3600)) {
              try await (0..<30).forEachConcurrently(limit: 30, within: gate) { _ in
                crowd.change { $0.enter() }
                await meeting.arrive()
                await Task.yield()
                crowd.change { $0.leave() }
              }
            }
          }
        }
      }.value
      #expect(crowd.value.ever == 30 && crowd.value.most == 4 && gate.statistics.inUse == 0)
    }
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
        try await group.addTask {
          began.change { $0 = true }
          #expect(await eventually { gate.statistics.waiting == 1 })
        }
        #expect(await eventually { began.value })
        let inUse = try await [0].mapConcurrently(limit: 1, within: gate) { _ in
          gate.statistics.inUse
        }
        #expect(inUse == [1])
      }
    }
    #expect(gate.statistics.inUse == 0)
  }

  // MARK: Many scopes

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
    try await (0..<1000).forEachConcurrently(limit: 1000) { number in
      try await gate.withPermits(1 + number % 2) {
        await meeting.arrive()
        #expect(gate.heldByTask == 1 + number % 2)
      }
      #expect(gate.heldByTask == 0)
    }
    #expect(gate.statistics.inUse == 0)
  }

  /// Tasks that start their successors within a scope build no chain of scopes, and a task
  /// that inherits an ended scope holds nothing.
  @Test("ended scopes are forgotten")
  func endedScopes() async throws {
    let gate = Gate(label: "relay", permits: 1)
    // Of its own: in the pool each would queue after all that other tests do.
    let lanes = Lanes(label: "relay", width: 2)
    let ended = Shared(0)
    @Sendable func run(_ left: Int) async throws {
      try await gate.withPermit {
        if left > 0 { Task(executorPreference: lanes) { try await run(left - 1) } }
      }
      ended.next()
    }
    try await Task(executorPreference: lanes) { try await run(2000) }.value
    #expect(await eventually { ended.value == 2001 })
    #expect(gate.statistics.inUse == 0)
  }
}
