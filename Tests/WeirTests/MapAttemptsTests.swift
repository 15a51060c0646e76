// The elements of maps: their outcomes, time-outs, retries; nil results.

import TestSupport
import Testing

@testable import Weir

private struct Bad: Error, Equatable {
  let number: Int
}

@Suite(.timeLimit(.minutes(10)))
struct MapAttemptsTests {
  /// Calls every form of a map over 0..<count, and expects the same results.
  private func results<T: Sendable & Equatable>(
    _ count: Int, _ transform: @escaping @Sendable (Int) async throws -> T,
    location: SourceLocation = #_sourceLocation
  ) async throws -> [Swift.Result<T, Bad>] {
    let ofSequence = try await (0..<count).mapConcurrently(
      limit: 3, failures: .becomeResults, transform)
    let ofStream = try await stream(0..<count).mapConcurrently(
      limit: 3, failures: .becomeResults, transform)
    var mapped: [Swift.Result<T, any Error>] = []
    for try await result in (0..<count).concurrentlyMapped(
      limit: 3, failures: .becomeResults, transform)
    {
      mapped.append(result)
    }
    var mappedStream: [Swift.Result<T, any Error>] = []
    for try await result in stream(0..<count).concurrentlyMapped(
      limit: 3, failures: .becomeResults, transform)
    {
      mappedStream.append(result)
    }
    let all = [ofSequence, ofStream, mapped, mappedStream].map { results in
      results.map { result in result.mapError { $0 as? Bad ?? Bad(number: -1) } }
    }
    for other in all { #expect(other == all[0], sourceLocation: location) }
    return all[0]
  }

  @Test("each element becomes a result, and a failure keeps its error")
  func outcomes() async throws {
    let found = try await results(10) { number in
      if number % 3 == 1 { throw Bad(number: number) }
      return number * 10
    }
    let expected: [Swift.Result<Int, Bad>] = (0..<10).map { number in
      number % 3 == 1 ? .failure(Bad(number: number)) : .success(number * 10)
    }
    #expect(found == expected)
  }

  // MARK: Time-outs

  @Test("an element that takes too long is cancelled and fails; the others go on")
  func timeouts() async throws {
    let clock = ManualClock()
    let begun = Shared(0)
    let task = Task {
      try await (0..<6).mapConcurrently(
        limit: 6, options: MapOptions(timeout: .seconds(60), clock: clock), failures: .becomeResults
      ) { number in
        begun.change { $0 += 1 }
        if number % 2 == 1 { await untilCancelled() }
        return number
      }
    }
    defer { task.cancel() }
    // Two tasks are left for each slow element: its own, and the one that sleeps.
    try #require(await eventually { begun.value == 6 && clock.sleepers == 3 })
    clock.advance(by: .seconds(59))
    #expect(clock.sleepers == 3)
    clock.advance(by: .seconds(1))
    let results = try await task.value
    for (number, result) in results.enumerated() {
      if number % 2 == 0 {
        #expect(try result.get() == number)
      } else {
        #expect(throws: TimeoutError(element: number, .seconds(60))) { try result.get() }
      }
    }
  }

  @Test("a time-out names its element, whatever the order and the attempts", arguments: [1, 4])
  func timeoutNamesItsElement(limit: Int) async throws {
    let options = MapOptions(timeout: .milliseconds(1), retry: .attempts(2, delay: .zero))
    let body: @Sendable (Int) async throws -> Void = { if $0 == 107 { await untilCancelled() } }
    let forms: [@Sendable () async throws -> Void] = [
      { _ = try await (100..<110).mapConcurrently(limit: limit, options: options, body) },
      { _ = try await stream(100..<110).mapConcurrently(limit: limit, options: options, body) },
      { try await (100..<110).forEachConcurrently(limit: limit, options: options, body) },
      { try await stream(100..<110).forEachConcurrently(limit: limit, options: options, body) },
      {
        for try await _ in stream(100..<110).concurrentlyMapped(
          limit: limit, order: .completion, options: options, body)
        {}
      },
    ]
    for form in forms {
      let error = try #require(await #expect(throws: TimeoutError.self) { try await form() })
      #expect(error.element == 7)
      #expect("\(error)" == "the transform of element 7 did not end within 0.001 seconds")
    }
  }

  @Test("the wait for a permit is no part of the time", .timeLimit(.minutes(10)))
  func permitsBeforeTime() async throws {
    let clock = ManualClock()
    let gate = Gate(label: "held", permits: 1)
    let held = try await gate.acquire()
    let task = Task {
      try await (0..<1).mapConcurrently(
        limit: 1, within: gate, options: MapOptions(timeout: .seconds(1), clock: clock)
      ) { $0 }
    }
    defer { task.cancel() }
    try #require(await eventually { gate.statistics.waiting == 1 })
    clock.advance(by: .seconds(100))
    held.release()
    #expect(try await task.value == [0])
  }

  // MARK: Retries

  @Test("a failing element is tried again, after the delay that the closure chooses")
  func retries() async throws {
    let clock = ManualClock()
    let attempts = Shared(0)
    let asked = Shared<[Int]>([])
    let policy: RetryPolicy = .attempts(4) { failures, error in
      asked.change { $0.append(failures) }
      #expect(error is Bad)
      return .seconds(1 << failures)
    }
    let task = Task {
      try await (7..<8).mapConcurrently(
        limit: 1, options: MapOptions(retry: policy, clock: clock)
      ) { number in
        let attempt = attempts.next()
        if attempt < 4 { throw Bad(number: attempt) }
        return number
      }
    }
    defer { task.cancel() }
    for failures in 1...3 {
      try #require(await eventually { clock.sleepers == 1 })
      #expect(attempts.value == failures)
      clock.advance(by: .seconds((1 << failures) - 1))
      #expect(clock.sleepers == 1 && attempts.value == failures)
      clock.advance(by: .seconds(1))
    }
    #expect(try await task.value == [7])
    #expect(asked.value == [1, 2, 3])
  }

  @Test("the last error is thrown, after the attempts or when the closure chooses none")
  func retriesThatFail() async throws {
    let attempts = Shared(0)
    let fail: @Sendable (Int) async throws -> Int = { _ in
      throw Bad(
        number: attempts.next())
    }
    await #expect(throws: Bad(number: 3)) {
      try await (0..<1).mapConcurrently(
        limit: 1, options: MapOptions(retry: .attempts(3, delay: .zero)), fail)
    }
    await #expect(throws: Bad(number: 4)) {
      try await (0..<1).mapConcurrently(
        limit: 1, options: MapOptions(retry: .attempts(1, delay: .zero)), fail)
    }
    await #expect(throws: Bad(number: 6)) {
      try await (0..<1).mapConcurrently(
        limit: 1,
        options: MapOptions(
          retry: .attempts(9) { failures, _ in failures == 1 ? .seconds(-1) : nil }), fail)
    }
    let results = try await (0..<1).mapConcurrently(
      limit: 1, options: MapOptions(retry: .attempts(2, delay: .microseconds(1))),
      failures: .becomeResults, fail)
    #expect(throws: Bad(number: 8)) { try results[0].get() }
  }

  @Test("each attempt has the whole time-out")
  func retryOfTimeouts() async throws {
    let clock = ManualClock()
    let attempts = Shared(0)
    let task = Task {
      try await (0..<1).mapConcurrently(
        limit: 1,
        options: MapOptions(
          timeout: .seconds(60), retry: .attempts(3, delay: .zero), clock: clock)
      ) { _ in
        let attempt = attempts.next()
        if attempt < 3 { await untilCancelled() }
        return attempt
      }
    }
    defer { task.cancel() }
    for attempt in 1...2 {
      try #require(await eventually { attempts.value == attempt && clock.sleepers == 1 })
      clock.advance(by: .seconds(60))
    }
    #expect(try await task.value == [3])
  }

  @Test("a cancelled task does not try again, even in the middle of a delay")
  func cancelledRetry() async throws {
    let clock = ManualClock()
    let attempts = Shared(0)
    let task = Task {
      try await (0..<1).mapConcurrently(
        limit: 1, options: MapOptions(retry: .attempts(100, delay: .seconds(1)), clock: clock)
      ) { number in
        attempts.change { $0 += 1 }
        throw Bad(number: number)
      }
    }
    defer { task.cancel() }
    try #require(await eventually { clock.sleepers == 1 })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(attempts.value == 1)
    await #expect(throws: CancellationError.self) {
      try await (0..<1).mapConcurrently(
        limit: 1, options: MapOptions(retry: .attempts(9, delay: .zero))
      ) { _ in
        attempts.change { $0 += 1 }
        throw CancellationError()
      }
    }
    #expect(attempts.value == 2)
  }
}
