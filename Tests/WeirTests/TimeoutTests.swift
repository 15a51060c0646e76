// A time-out for any async code.

import TestSupport
import Testing
import Weir

private struct Bad: Error {}

@Suite(.timeLimit(.minutes(10)))
struct TimeoutTests {
  /// A body with a time-out of a minute by a clock, which the caller advances.
  private static func task<T: Sendable>(
    _ clock: ManualClock, _ body: @escaping @Sendable () async throws -> T
  ) async throws -> Task<T, any Error> {
    let task = Task { try await withTimeout(.seconds(60), label: "slow", clock: clock, body) }
    try #require(await eventually { clock.sleepers == 1 })
    return task
  }

  @Test("a body that ends in time gives its result or its error")
  func inTime() async throws {
    #expect(try await withTimeout(.seconds(3600)) { 42 } == 42)
    await #expect(throws: Bad.self) { try await withTimeout(.seconds(3600)) { throw Bad() } }
    await #expect(throws: CancellationError.self) {
      try await withTimeout(.seconds(3600)) { throw CancellationError() }
    }
  }

  @Test("a body is cancelled when its time is over, and not before")
  func isOver() async throws {
    let clock = ManualClock()
    let task = try await Self.task(clock) {
      await untilCancelled()
      try Task.checkCancellation()
    }
    clock.advance(by: .seconds(59))
    #expect(clock.sleepers == 1)
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: TimeoutError.self) { try await task.value }
    #expect(error?.label == "slow" && error?.duration == .seconds(60) && error?.element == nil)
    #expect(error.map { "\($0)" } == "\"slow\" did not end within 60.0 seconds")
    await #expect(throws: TimeoutError.self) {
      try await withTimeout(.zero) {
        await untilCancelled()
        try Task.checkCancellation()
      }
    }
  }

  @Test("a result or another error that comes after the time counts")
  func late() async throws {
    let clock = ManualClock()
    let result = try await Self.task(clock) {
      await untilCancelled()
      return 42
    }
    clock.advance(by: .seconds(60))
    #expect(try await result.value == 42)
    let failure = try await Self.task(clock) {
      await untilCancelled()
      throw Bad()
    }
    clock.advance(by: .seconds(60))
    await #expect(throws: Bad.self) { try await failure.value }
  }

  @Test("a cancelled task has no time-out")
  func cancelled() async throws {
    let clock = ManualClock()
    let task = try await Self.task(clock) {
      await untilCancelled()
      clock.advance(by: .seconds(60))
      try Task.checkCancellation()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("the shortest of nested times counts")
  func nested() async throws {
    for (outer, inner) in [(1, 3600_000), (3600_000, 1)] {
      let error = await #expect(throws: TimeoutError.self) {
        try await withTimeout(.milliseconds(outer)) {
          try await withTimeout(.milliseconds(inner)) {
            await untilCancelled()
            try Task.checkCancellation()
          }
        }
      }
      #expect(error?.duration == .milliseconds(1))
    }
  }

  @MainActor @Test("a body runs on the actor of its caller, with its objects")
  func isolation() async throws {
    final class Counter { var count = 0 }
    let counter = Counter()
    let same = try await withTimeout(.seconds(3600)) {
      MainActor.assertIsolated()
      counter.count += 1
      await Task.yield()
      MainActor.assertIsolated()
      return counter
    }
    #expect(same === counter && counter.count == 1)
  }

  @Test("a map in a body gets loans of the scopes around it")
  func loans() async throws {
    let gate = Gate(label: "one", permits: 1)
    let sum = try await gate.withPermit {
      try await withTimeout(.seconds(3600)) {
        try await (1...3).mapConcurrently(limit: 3, within: gate) { $0 }.reduce(0, +)
      }
    }
    #expect(sum == 6)
  }
}
