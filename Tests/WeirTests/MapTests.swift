// The maps, loops and groups of structured concurrency: limits, orders, failures that cancel the
// rest, cancellation that is always an error, time-outs, retries, and no task that outlives its scope.

import Dispatch
import TestSupport
import Testing

@testable import Weir

@Suite(.timeLimit(.minutes(10)))
struct MapTests {
  /// As many tasks as the limit meet.
  @Test("each element has its result in its place; the limit is reached, and never exceeded")
  func limits() async throws {
    for form in MapForm.allCases {
      for (count, limit) in [(0, 1), (1, 1), (2, 1), (7, 2), (15, 5), (100, 8), (100, 1000)] {
        let crowd = Shared(Crowd())
        let meeting = Meeting(of: min(limit, count))
        let results = try await form.map(count, limit: limit) { number in
          crowd.change { $0.enter() }
          await meeting.arrive()
          for _ in 0..<(number * 7 % 5) { await Task.yield() }
          crowd.change { $0.leave() }
          return number * number
        }
        #expect(results == (0..<count).map { $0 * $0 }, "\(form)")
        #expect(crowd.value.most == min(limit, count) && crowd.value.ever == count, "\(form)")
      }
    }
  }

  /// The first element ends last, and delays no other.
  @Test("in the order of completion, a slow element delays no other")
  func completionOrder() async throws {
    for form in [MapForm.sequence, .stream, .results, .mapped, .mappedStream] {
      let last = Meeting(of: 10)
      let results = try await form.map(10, limit: 2, order: .completion) { number in
        if number == 0 { await last.arrive() } else { await last.arriveOnly() }
        return number
      }
      #expect(results.last == 0 && results.sorted() == Array(0..<10), "\(form)")
    }
  }

  @Test("a failure cancels the rest")
  func failure() async throws {
    for form in [MapForm.sequence, .stream, .loop, .streamLoop, .group] {
      let (begun, cancelled, ended) = (Shared(0), Shared(0), Shared(0))
      let started = Meeting(of: 4)
      await #expect(throws: Bad(number: 2), "\(form)") {
        try await form.map(100, limit: 4) { number in
          begun.next()
          defer { ended.next() }
          await started.arrive()
          if number == 2 { throw Bad(number: 2) }
          await untilCancelled()
          cancelled.next()
          return number
        }
      }
      #expect(begun.value == 4 && cancelled.value == 3 && ended.value == 4, "\(form)")
    }
  }

  @Test("failures become nil or results, with their errors, and what is optional stays")
  func failures() async throws {
    let body: @Sendable (Int) async throws -> Int = { number in
      if number % 3 == 1 { throw Bad(number: number) }
      return number * 10
    }
    let wanted = (0..<10).map { $0 % 3 == 1 ? nil : $0 * 10 }
    let (numbers, lazy) = (0..<10, stream(0..<10))
    #expect(try await numbers.mapConcurrently(limit: 4, failures: .becomeNil, body) == wanted)
    #expect(try await lazy.mapConcurrently(limit: 4, failures: .becomeNil, body) == wanted)
    var results = [
      try await numbers.mapConcurrently(limit: 3, failures: .becomeResults, body),
      try await stream(0..<10).mapConcurrently(limit: 3, failures: .becomeResults, body), [], [],
    ]
    for try await result in numbers.concurrentlyMapped(limit: 3, failures: .becomeResults, body) {
      results[2].append(result)
    }
    for try await result in stream(0..<10)
      .concurrentlyMapped(limit: 3, failures: .becomeResults, body)
    {
      results[3].append(result)
    }
    for results in results {
      #expect(results.map { try? $0.get() } == wanted)
      #expect(throws: Bad(number: 4)) { try results[4].get() }
    }
    let optional = try await (0..<4).mapConcurrently(limit: 2) { $0 % 2 == 0 ? $0 : nil }
    #expect(optional == [0, nil, 2, nil])
  }

  /// Tested for any result of the transforms, and at any time.
  @Test("a cancelled task is an error", arguments: MapForm.allCases, [1, 4])
  func cancelled(form: MapForm, limit: Int) async throws {
    for cancelAt in [0, 1, 5, 9] {
      let (reached, alive) = (Shared(0), Shared(0))
      let task = Task {
        try await form.map(10, limit: limit) { number in
          alive.change { $0 += 1 }
          if number == cancelAt { reached.change { $0 = 1 } }
          if number >= cancelAt { await untilCancelled() }
          alive.change { $0 -= 1 }
          return number  // as if nothing had happened
        }
      }
      defer { task.cancel() }
      try #require(await eventually { reached.value == 1 })
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      if form == .mapped || form == .mappedStream {
        #expect(await eventually { alive.value == 0 })
      } else {
        #expect(alive.value == 0)
      }
    }
  }

  @Test("a failure ends the wait for the next element, and an error of the sequence is thrown")
  func sequences() async throws {
    let (endless, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.yield(1)
    await #expect(throws: Bad(number: 1)) {
      try await endless.mapConcurrently(limit: 4) { throw Bad(number: $0) }
    }
    continuation.finish()
    let failing = AsyncThrowingStream<Int, any Error> { continuation in
      continuation.yield(1)
      continuation.finish(throwing: Bad(number: 9))
    }
    await #expect(throws: Bad(number: 9)) {
      try await failing.mapConcurrently(limit: 2) { _ in await untilCancelled() }
    }
  }

  /// The elements that were read, or made, and have not ended.
  @Test("no more elements are alive than the limit, of a sequence and of a slow consumer's stream")
  func elementsAlive() async throws {
    let crowd = Shared(Crowd())
    let numbers = (0..<100_000).lazy.map { _ in Life(crowd) }
    _ = try await numbers.mapConcurrently(limit: 8, order: .completion) { _ in }
    #expect(crowd.value.most <= 9 && crowd.value.ever == 100_000)
    for order in [ResultOrder.input, .completion] {
      let (lives, state) = (Shared(Crowd()), Shared((read: 0, taken: 0, ahead: 0)))
      let numbers = AsyncStream(unfolding: {
        state.change {
          $0.read += 1
          $0.ahead = max($0.ahead, $0.read - $0.taken)
          return $0.read <= 3000
        } ? Life(lives) : nil
      })
      for try await _ in numbers.concurrentlyMapped(limit: 4, order: order, { $0 }) {
        state.change { $0.taken += 1 }
        for _ in 0..<3 { await Task.yield() }
      }
      #expect(state.value.taken == 3000 && state.value.ahead <= 5 && lives.value.most <= 40)
      #expect(await eventually { lives.value.now == 0 })
    }
  }

  /// Elsewhere, an access to the actor's state would be a race, also if an element is ready at once.
  @Test("a sequence is iterated on its caller's actor") @MainActor
  func sequenceOfAnActor() async throws {
    let results = try await MainActorNumbers(count: 20).mapConcurrently(limit: 3) { $0 + 1 }
    #expect(results == Array(1...20))
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    var (asked, elsewhere) = (0, 0)
    let numbers = (0..<100).lazy.map { number in
      asked += 1
      if DispatchQueue.getSpecific(key: key) != true { elsewhere += 1 }
      return number
    }
    let mapped = try await numbers.mapConcurrently(limit: 3) { number in
      await Task.yield()
      return number
    }
    try await numbers.forEachConcurrently(limit: 3) { _ in await Task.yield() }
    let optional = try await numbers.mapConcurrently(limit: 3, failures: .becomeNil) { $0 }
    #expect(mapped == Array(0..<100) && optional.count == 100)
    #expect(asked == 300 && elsewhere == 0)
  }

  /// Numbers that can be requested on the main actor only.
  private struct MainActorNumbers: AsyncSequence, AsyncIteratorProtocol {
    let count: Int
    private var next = 0

    init(count: Int) { self.count = count }

    func makeAsyncIterator() -> MainActorNumbers { self }

    mutating func next(isolation: isolated (any Actor)?) async throws -> Int? {
      #expect(isolation === MainActor.shared)
      if next == count { return nil }
      defer { next += 1 }
      return next
    }

    mutating func next() async throws -> Int? { try await next(isolation: #isolation) }
  }

  /// The results may be ignored.
  @Test("a transform need not escape")
  func doesNotEscape() async throws {
    func squares(_ square: @Sendable (Int) async throws -> Int) async throws -> [Int] {
      let first = try await (0..<100).mapConcurrently(limit: 7, square)
      #expect(try await stream(0..<100).mapConcurrently(limit: 7, square) == first)
      return first
    }
    #expect(try await squares { $0 * $0 } == (0..<100).map { $0 * $0 })
  }

  // MARK: Streams of results

  @Test("a transform that cannot throw needs no try, and an error keeps its type")
  func typedErrors() async throws {
    var seen: [Int] = []
    for await square in (0..<50).concurrentlyMapped(limit: 4, { $0 * $0 }) { seen.append(square) }
    #expect(seen == (0..<50).map { $0 * $0 })
    let mapped = (0..<9).concurrentlyMapped(limit: 2) { (number) async throws(Bad) -> Int in
      if number == 5 { throw Bad(number: number) }
      return number
    }
    // A sequence can be iterated again.
    for _ in 0..<2 {
      seen = []
      do throws(Bad) {
        for try await number in mapped { seen.append(number) }
        Issue.record("it ended")
      } catch {
        #expect(error.number == 5)
      }
      #expect(seen.count <= 5 && seen == Array(0..<seen.count))
    }
  }

  /// A shorter sequence would look complete, and there is no error to throw.
  @Test("without an error to throw, a cancelled task gets every result")
  func cancelledWithoutErrors() async throws {
    let (began, told) = (Shared(0), Shared(0))
    let task = Task {
      var seen: [Int] = []
      let mapped = (0..<20).concurrentlyMapped(limit: 2) { number in
        began.next()
        await untilCancelled()
        told.next()
        return number
      }
      for await number in mapped { seen.append(number) }
      return seen
    }
    #expect(await eventually { began.value == 2 })
    task.cancel()
    #expect(await task.value == Array(0..<20))
    #expect(told.value == 20)
  }

  @Test("leaving a stream cancels the transforms in progress")
  func leaving() async throws {
    let alive = Shared(0)
    for try await first in stream(0..<100).concurrentlyMapped(
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

  // MARK: Groups

  @Test("the results of a group are kept until they are taken; a body may cancel the rest")
  func groups() async throws {
    let results = try await withWindowedTaskGroup(of: Int.self, limit: 3) { group in
      for number in 0..<100 { try await group.addTask { number } }
      var results = [try await group.next()]
      for try await result in group { results.append(result) }
      #expect(try await group.next() == nil)
      return results
    }
    #expect(Set(results) == Set(0..<100) && results.count == 100)
    let first = try await withWindowedTaskGroup(of: Int.self, limit: 4) { group in
      for number in 0..<4 {
        try await group.addTask {
          if number == 2 { return number }
          await untilCancelled()
          throw Bad(number: number)
        }
      }
      let first = try await group.next()
      group.cancelAll()
      return first
    }
    #expect(first == 2)
  }

  @Test("an error of a child is thrown by the next addTask, also where nobody asks for results")
  func groupErrors() async throws {
    let added = Shared(0)
    await #expect(throws: Bad(number: 1)) {
      try await withWindowedTaskGroup(of: Void.self, limit: 2) { group in
        for _ in 0..<1000 {
          try await group.addTask { throw Bad(number: 1) }
          added.next()
        }
      }
    }
    #expect(added.value == 2)
    await #expect(throws: Bad(number: 2)) {
      try await withWindowedTaskGroup(of: Void.self, limit: 2) { group in
        try await group.addTask { throw Bad(number: 2) }
      }
    }
  }

  // MARK: Time-outs and retries

  @Test("an element that takes too long is cancelled and fails; the others go on")
  func timeouts() async throws {
    let clock = ManualClock()
    let begun = Shared(0)
    let task = Task {
      try await (0..<6).mapConcurrently(
        limit: 6, options: MapOptions(timeout: .seconds(60), clock: clock), failures: .becomeResults
      ) { number in
        begun.next()
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
    for (number, result) in try await task.value.enumerated() {
      if number % 2 == 0 {
        #expect(try result.get() == number)
      } else {
        #expect(throws: TimeoutError(element: number, .seconds(60))) { try result.get() }
      }
    }
  }

  @Test("a time-out names its element, whatever the form and the attempts", arguments: [1, 4])
  func timeoutNamesItsElement(limit: Int) async throws {
    let options = MapOptions(timeout: .milliseconds(1), retry: .attempts(2, delay: .zero))
    for form in MapForm.allCases where form != .nils && form != .streamNils {
      let error = try #require(
        await #expect(throws: TimeoutError.self) {
          try await form.map(10, limit: limit, options: options) { number in
            if number == 7 { await untilCancelled() }
            return number
          }
        })
      #expect(error.element == 7)
      #expect("\(error)" == "the transform of element 7 did not end within 0.001 seconds")
    }
  }

  @Test("the wait for a permit is no part of the time")
  func permitsBeforeTime() async throws {
    let clock = ManualClock()
    let gate = Gate(label: "held", permits: 1)
    let held = try await gate.acquire()
    let options = MapOptions(timeout: .seconds(1), clock: clock)
    let task = Task {
      try await (0..<1).mapConcurrently(limit: 1, within: gate, options: options) { $0 }
    }
    defer { task.cancel() }
    try #require(await eventually { gate.statistics.waiting == 1 })
    clock.advance(by: .seconds(100))
    held.release()
    #expect(try await task.value == [0])
  }

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
    let options = MapOptions(retry: policy, clock: clock)
    let task = Task {
      try await (7..<8).mapConcurrently(limit: 1, options: options) { number in
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

  /// The attempts after which the last error is thrown, together with those before.
  @Test("the last error is thrown, after the attempts or when the closure chooses none")
  func retriesThatFail() async throws {
    let attempts = Shared(0)
    let policies: [(RetryPolicy, Int)] = [
      (.attempts(3, delay: .zero), 3), (.attempts(1, delay: .zero), 4),
      (.attempts(9) { failures, _ in failures == 1 ? .seconds(-1) : nil }, 6),
      (.attempts(2, delay: .microseconds(1)), 8),
    ]
    for (policy, sum) in policies {
      await #expect(throws: Bad(number: sum)) {
        try await (0..<1).mapConcurrently(limit: 1, options: MapOptions(retry: policy)) { _ in
          throw Bad(number: attempts.next())
        }
      }
    }
  }

  /// Element 0 never ends; its third attempt ends at once if it may.
  @Test("each attempt has the whole time-out, in maps and in groups", arguments: [2, 3])
  func retryOfTimeouts(most: Int) async throws {
    for form in [MapForm.sequence, .group] {
      let clock = ManualClock()
      let attempts = Shared(0)
      let options = MapOptions(
        timeout: .seconds(60), retry: .attempts(most, delay: .zero), clock: clock)
      let task = Task {
        try await form.map(1, limit: 1, options: options) { _ in
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
      if most == 3 {
        #expect(try await task.value == [3])
      } else {
        let error = await #expect(throws: TimeoutError.self) { try await task.value }
        #expect(error?.element == 0 && error?.duration == .seconds(60))
      }
    }
  }

  @Test("a cancelled task does not try again, even in the middle of a delay")
  func cancelledRetry() async throws {
    let clock = ManualClock()
    let attempts = Shared(0)
    let options = MapOptions(retry: .attempts(100, delay: .seconds(1)), clock: clock)
    let task = Task {
      try await (0..<1).mapConcurrently(limit: 1, options: options) { number in
        attempts.next()
        throw Bad(number: number)
      }
    }
    defer { task.cancel() }
    try #require(await eventually { clock.sleepers == 1 })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(attempts.value == 1)
    let again = MapOptions(retry: .attempts(9, delay: .zero))
    await #expect(throws: CancellationError.self) {
      try await (0..<1).mapConcurrently(limit: 1, options: again) { _ in
        attempts.next()
        throw CancellationError()
      }
    }
    #expect(attempts.value == 2)
  }
}
