// Maps, groups and lanes within several gates.

import TestSupport
import Testing
import Weir

@Suite(.timeLimit(.minutes(10)))
struct SeveralGatesTests {
  private typealias Body = @Sendable () async throws -> Void
  private static let numbers = 0..<12

  /// Every form that takes gates, each with 12 calls of a body, up to 6 at once.
  private static let forms: [@Sendable (Gate, Gate, @escaping Body) async throws -> Void] = [
    { first, second, body in
      _ = try await numbers.mapConcurrently(limit: 6, within: [first, second]) { _ in
        try await body()
      }
    },
    { first, second, body in
      _ = try await numbers.mapConcurrently(
        limit: 6, within: [first, second], failures: .becomeResults
      ) { _ in try await body() }
    },
    { first, second, body in
      try await stream(numbers).forEachConcurrently(limit: 6, within: [first, second]) { _ in
        try await body()
      }
    },
    { first, second, body in
      for try await _ in numbers.concurrentlyMapped(
        limit: 6, within: [first, second], { _ in try await body() })
      {}
    },
    { first, second, body in
      try await withWindowedTaskGroup(of: Void.self, limit: 6, within: [first, second]) { group in
        for _ in numbers { try await group.addTask(body) }
      }
    },
  ]

  @Test("a body has a permit of each gate", arguments: forms.indices)
  func permits(form: Int) async throws {
    let (first, second) = (Gate(label: "first", permits: 3), Gate(label: "second", permits: 2))
    let crowd = Shared(Crowd())
    try await Self.forms[form](first, second) {
      crowd.change { $0.enter() }
      #expect(first.statistics.inUse >= 1 && second.statistics.inUse >= 1)
      await Task.yield()
      crowd.change { $0.leave() }
    }
    #expect(crowd.value.ever == 12 && crowd.value.most <= 2)
    #expect(first.statistics.acquired == 12 && second.statistics.acquired == 12)
    #expect(first.statistics.inUse == 0 && second.statistics.inUse == 0)
  }

  @Test("a job on lanes has a permit of each gate, and none is left if one is closed")
  func lanes() async throws {
    let (first, second) = (Gate(label: "first", permits: 3), Gate(label: "second", permits: 2))
    let lanes = Lanes(label: "jobs", width: 6, within: [first, second])
    let crowd = Shared(Crowd())
    _ = try await Self.numbers.mapConcurrently(limit: 12) { _ in
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

  @Test("maps nested within the same gates borrow of both")
  func nested() async throws {
    let (first, second) = (Gate(label: "first", permits: 1), Gate(label: "second", permits: 1))
    let sums = try await (0..<3).mapConcurrently(limit: 3, within: [first, second]) { outer in
      try await (0..<3).mapConcurrently(limit: 3, within: [first, second]) { inner in
        await Task.yield()
        return outer * inner
      }.reduce(0, +)
    }
    #expect(sums == [0, 3, 6])
    #expect(first.statistics.peak == 1 && second.statistics.peak == 1)
  }

  @Test("a child of a windowed group has a time-out and several attempts")
  func options() async throws {
    let clock = ManualClock()
    let attempts = Shared(0)
    let options = MapOptions(
      timeout: .seconds(60), retry: .attempts(2, delay: .zero), clock: clock)
    let task = Task {
      try await withWindowedTaskGroup(of: Int.self, limit: 2, options: options) { group in
        try await group.addTask { 1 }
        try await group.addTask {
          attempts.change { $0 += 1 }
          await untilCancelled()
          return 2
        }
        var sum = 0
        for try await number in group { sum += number }
        return sum
      }
    }
    for attempt in 1...2 {
      try #require(await eventually { attempts.value == attempt && clock.sleepers == 1 })
      clock.advance(by: .seconds(60))
    }
    let error = await #expect(throws: TimeoutError.self) { try await task.value }
    #expect(error?.element == 1 && error?.duration == .seconds(60))
  }
}
