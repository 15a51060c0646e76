// The windowed task group, nested limits that share one gate, and the stream with back-pressure.

import TestSupport
import Testing
import Weir

@Suite(.timeLimit(.minutes(10)))
struct WindowedTaskGroupTests {
  @Test func resultsAreKeptUntilTheyAreTaken() async throws {
    let crowd = Shared(Crowd())
    let results = try await withWindowedTaskGroup(of: Int.self, limit: 3) { group in
      for number in 0..<100 {
        try await group.addTask {
          crowd.change { $0.enter() }
          await Task.yield()
          crowd.change { $0.leave() }
          return number
        }
      }
      var results = [try await group.next()]
      for try await result in group { results.append(result) }
      #expect(try await group.next() == nil)
      return results
    }
    #expect(Set(results) == Set(0..<100) && results.count == 100)
    #expect(crowd.value.most <= 3)
  }

  @Test func anErrorOfAChildIsThrownByTheNextAddTask() async throws {
    struct Bad: Error {}
    let added = Shared(0)
    await #expect(throws: Bad.self) {
      try await withWindowedTaskGroup(of: Void.self, limit: 2) { group in
        for _ in 0..<1000 {
          try await group.addTask { throw Bad() }
          added.change { $0 += 1 }
        }
      }
    }
    #expect(added.value == 2)
    // Also where nobody looks at the results.
    await #expect(throws: Bad.self) {
      try await withWindowedTaskGroup(of: Void.self, limit: 2) { group in
        try await group.addTask { throw Bad() }
      }
    }
  }

  /// The first result is taken, and the other children are cancelled.
  @Test func aBodyThatCancelsTheRestKeepsItsResults() async throws {
    struct Bad: Error {}
    let first = try await withWindowedTaskGroup(of: Int.self, limit: 4) { group in
      for number in 0..<4 {
        try await group.addTask {
          if number == 2 { return number }
          await untilCancelled()
          throw Bad()
        }
      }
      let first = try await group.next()
      group.cancelAll()
      return first
    }
    #expect(first == 2)
  }

  // MARK: Within a gate

  /// Maps nested three deep, each with its own limit, all within one gate: there are never
  /// more elements in progress than permits, and all maps end.
  @Test(arguments: 1...4, [1, 2, 8])
  func nestedMapsShareOneBound(permits: Int, limit: Int) async throws {
    let gate = Gate(label: "shared", permits: permits)
    let crowd = Shared(Crowd())
    let sums = try await (0..<6).mapConcurrently(limit: limit, within: gate) { outer in
      let middles = try await (0..<5).mapConcurrently(limit: limit, within: gate) { middle in
        let inners = try await stream(0..<4).mapConcurrently(limit: limit, within: gate) { inner in
          crowd.change { $0.enter() }
          for _ in 0..<(inner % 3) { await Task.yield() }
          crowd.change { $0.leave() }
          return outer * 100 + middle * 10 + inner
        }
        return inners.reduce(0, +)
      }
      return middles.reduce(0, +)
    }
    let expected: [Int] = (0..<6).map { (outer: Int) -> Int in outer * 2000 + 400 + 30 }
    #expect(sums == expected)
    #expect(crowd.value.ever == 120 && crowd.value.most <= permits)
    #expect(gate.statistics.inUse == 0 && gate.statistics.peak <= permits)
    if permits > 1 && limit > 1 { #expect(gate.statistics.peak > 1) }
  }

  /// A scope lends its permits to the maps in it.
  @Test func aScopeLendsItsPermits() async throws {
    let gate = Gate(label: "lent", permits: 4)
    let other = try await gate.acquire(1)
    let meeting = Meeting(of: 3)
    let crowd = Shared(Crowd())
    try await gate.withPermits(2) {
      // Two lent, and the one that is left.
      _ = try await (0..<30).mapConcurrently(limit: 30, within: gate) { _ in
        crowd.change { $0.enter() }
        _ = await meeting.arrive()
        await Task.yield()
        crowd.change { $0.leave() }
      }
    }
    #expect(crowd.value.most == 3 && gate.statistics.inUse == 1)
    other.release()
  }

  @Test func failuresAndCancellationWithinAGateLoseNoPermit() async throws {
    struct Bad: Error {}
    var random = SeededGenerator(for: "within")
    let gate = Gate(label: "storm", permits: 3)
    for round in 0..<300 {
      let (fails, cancels) = (Int.random(in: 0..<40, using: &random), round % 3 == 0)
      let task = Task {
        try await (0..<8).mapConcurrently(limit: 4, within: gate) { outer in
          try await (0..<5).mapConcurrently(limit: 4, within: gate) { inner in
            await Task.yield()
            if !cancels && outer * 5 + inner == fails { throw Bad() }
          }
        }
      }
      if cancels {
        for _ in 0..<fails { await Task.yield() }
        task.cancel()
      }
      _ = try? await task.value
      let now = gate.statistics
      try #require(now.inUse == 0 && now.waiting == 0, "round \(round): \(now)")
    }
    #expect(try gate.tryAcquire(3)?.count == 3)
  }

  /// A close and a loan race for a request: exactly one of them decides it.
  @Test func closesThatRaceLoansLoseNoPermit() async throws {
    for round in 0..<1500 {
      let gate = Gate(label: "closing", permits: 1)
      let crowd = Shared(Crowd())
      let task = Task {
        try await gate.withPermit {
          _ = try await (0..<6).mapConcurrently(limit: 6, within: gate, failures: .becomeNil) { _ in
            crowd.change { $0.enter() }
            await Task.yield()
            crowd.change { $0.leave() }
          }
        }
      }
      for _ in 0..<(round % 30) { await Task.yield() }
      gate.close()
      _ = try? await task.value
      try #require(crowd.value.most <= 1 && gate.statistics.inUse == 0, "round \(round)")
    }
  }

  /// Tasks that start their successors within a scope build no chain of scopes, and a task
  /// that inherits an ended scope holds nothing.
  @Test func endedScopesAreForgotten() async throws {
    let gate = Gate(label: "relay", permits: 1)
    // Of its own: in the pool each would queue behind all that other tests do.
    let lanes = Lanes(label: "relay", width: 2)
    let ended = Shared(0)
    @Sendable func run(_ left: Int) async throws {
      try await gate.withPermit {
        if left > 0 { Task(executorPreference: lanes) { try await run(left - 1) } }
      }
      ended.change { $0 += 1 }
    }
    try await Task(executorPreference: lanes) { try await run(2000) }.value
    #expect(await eventually { ended.value == 2001 })
    #expect(gate.statistics.inUse == 0)
  }

  @Test func aClosedGateIsAnError() async throws {
    let gate = Gate(label: "closed", permits: 3)
    gate.close()
    await #expect(throws: GateError.closed) {
      try await (0..<3).mapConcurrently(limit: 2, within: gate) { $0 }
    }
    await #expect(throws: GateError.closed) {
      try await (0..<3).mapConcurrently(limit: 2, within: gate, failures: .becomeNil) { $0 }
    }
  }

  // MARK: Streams

  @Test(arguments: [0, 1, 50], [1, 3, 64])
  func aStreamGivesEveryResultOnce(count: Int, limit: Int) async throws {
    let mapped = stream(0..<count).concurrentlyMapped(limit: limit) { number in
      for _ in 0..<(number * 7 % 5) { await Task.yield() }
      return number * 2
    }
    var results: [Int] = []
    for try await result in mapped { results.append(result) }
    #expect(results == (0..<count).map { $0 * 2 })
    let unordered = Numbers(count: count).concurrentlyMapped(limit: limit, order: .completion) {
      $0
    }
    for _ in 0..<2 {
      var seen: Set<Int> = []
      for try await result in unordered { seen.insert(result) }
      #expect(seen == Set(0..<count))
    }
  }

  /// A slow consumer slows the transforms, and they slow the sequence.
  @Test(arguments: [ResultOrder.input, .completion])
  func aStreamIsHeldUpByItsConsumer(order: ResultOrder) async throws {
    let state = Shared((read: 0, taken: 0, ahead: 0))
    let numbers = Numbers(count: 500) {
      state.change {
        $0.read += 1
        $0.ahead = max($0.ahead, $0.read - $0.taken)
      }
    }
    for try await _ in numbers.concurrentlyMapped(limit: 4, order: order, { $0 }) {
      state.change { $0.taken += 1 }
      for _ in 0..<3 { await Task.yield() }
    }
    #expect(state.value.taken == 500 && state.value.ahead <= 5)
  }

  /// Tested with a slow consumer and a long stream.
  @Test(arguments: [ResultOrder.input, .completion])
  func aStreamKeepsNothing(order: ResultOrder) async throws {
    let crowd = Shared(Crowd())
    for try await _ in Numbers(count: 3000).concurrentlyMapped(
      limit: 4, order: order, { _ in Life(crowd) })
    {
      for _ in 0..<3 { await Task.yield() }
    }
    #expect(crowd.value.most <= 40 && crowd.value.ever == 3000)
    #expect(await eventually { crowd.value.now == 0 })
  }

  @Test func leavingAStreamCancelsTheTransformsInProgress() async throws {
    let alive = Shared(0)
    for try await first in Numbers(count: 100).concurrentlyMapped(
      limit: 4,
      { number in
        alive.change { $0 += 1 }
        defer { alive.change { $0 -= 1 } }
        if number > 0 { await untilCancelled() }
        return number
      })
    {
      #expect(first == 0)
      break
    }
    #expect(await eventually { alive.value == 0 })
  }
}

/// A sequence of numbers that can be iterated again.
private struct Numbers: AsyncSequence, Sendable {
  let count: Int
  var asked: @Sendable () -> Void = {}

  struct Iterator: AsyncIteratorProtocol {
    let numbers: Numbers
    var next = 0

    mutating func next() async -> Int? {
      numbers.asked()
      if next == numbers.count { return nil }
      defer { next += 1 }
      return next
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(numbers: self) }
}
