// The maps of structured concurrency: limits, orders, failures that cancel the rest,
// cancellation that is always an error, and no task that outlives its scope.

import Dispatch
import TestSupport
import Testing
import Weir

private struct Bad: Error, Equatable {
  let number: Int
}

@Suite(.timeLimit(.minutes(10)))
struct MapConcurrentlyTests {
  @Test(arguments: [0, 1, 2, 7, 100], [1, 2, 8, 1000])
  func resultsInTheOrderOfTheInput(count: Int, limit: Int) async throws {
    let crowd = Shared(Crowd())
    let results = try await (0..<count).mapConcurrently(limit: limit) { number in
      crowd.change { $0.enter() }
      for _ in 0..<(number * 7 % 5) { await Task.yield() }
      crowd.change { $0.leave() }
      return number * number
    }
    #expect(results == (0..<count).map { $0 * $0 })
    #expect(crowd.value.most <= limit && crowd.value.ever == count && crowd.value.now == 0)
    let same = try await stream(0..<count).mapConcurrently(limit: limit) { $0 * $0 }
    #expect(same == results)
  }

  /// The limit is reached: that many tasks meet.
  @Test(arguments: [1, 2, 5])
  func theLimitIsReached(limit: Int) async throws {
    let meeting = Meeting(of: limit)
    let met = try await (0..<limit * 3).mapConcurrently(limit: limit) { _ in await meeting.arrive()
    }
    #expect(met.allSatisfy { $0 })
    let again = Meeting(of: limit)
    let there = try await stream(0..<limit * 3).mapConcurrently(limit: limit) { _ in
      await again.arrive()
    }
    #expect(there.allSatisfy { $0 })
  }

  /// The first element ends last, and delays no other.
  @Test func completionOrder() async throws {
    for isStream in [false, true] {
      let last = Meeting(of: 10)
      let body: @Sendable (Int) async -> Int = { number in
        if number == 0 { _ = await last.arrive() } else { await last.arriveOnly() }
        return number
      }
      let results =
        isStream
        ? try await stream(0..<10).mapConcurrently(limit: 2, order: .completion, body)
        : try await (0..<10).mapConcurrently(limit: 2, order: .completion, body)
      #expect(results.last == 0 && results.sorted() == Array(0..<10))
    }
  }

  @Test func aFailureCancelsTheRest() async throws {
    for isStream in [false, true] {
      let begun = Shared(0), cancelled = Shared(0), ended = Shared(0)
      let started = Meeting(of: 4)
      let body: @Sendable (Int) async throws -> Int = { number in
        begun.change { $0 += 1 }
        defer { ended.change { $0 += 1 } }
        _ = await started.arrive()
        if number == 2 { throw Bad(number: 2) }
        await untilCancelled()
        cancelled.change { $0 += 1 }
        return number
      }
      await #expect(throws: Bad(number: 2)) {
        _ =
          isStream
          ? try await stream(0..<100).mapConcurrently(limit: 4, body)
          : try await (0..<100).mapConcurrently(limit: 4, body)
      }
      #expect(begun.value == 4 && cancelled.value == 3 && ended.value == 4)
    }
  }

  /// The transform need not escape, and the result may be ignored.
  @Test func aTransformThatDoesNotEscape() async throws {
    func squares(_ square: @Sendable (Int) async throws -> Int) async throws -> [Int] {
      let first = try await (0..<100).mapConcurrently(limit: 7, square)
      let second = try await stream(0..<100).mapConcurrently(limit: 7, square)
      #expect(first == second)
      return first
    }
    #expect(try await squares { $0 * $0 } == (0..<100).map { $0 * $0 })
    let crowd = Shared(Crowd())
    try await (0..<100).forEachConcurrently(limit: 3) { _ in
      crowd.change { $0.enter() }
      await Task.yield()
      crowd.change { $0.leave() }
    }
    try await stream(0..<100).forEachConcurrently(limit: 3) { _ in crowd.change { $0.enter(0) } }
    #expect(crowd.value.ever == 100 && crowd.value.most <= 3)
    await #expect(throws: Bad(number: 5)) {
      try await (0..<100).forEachConcurrently(limit: 3) { if $0 == 5 { throw Bad(number: 5) } }
    }
  }

  /// Tested during the wait for the next element of the sequence.
  @Test func aFailureEndsTheWaitForTheNextElement() async throws {
    let (endless, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.yield(1)
    await #expect(throws: Bad(number: 1)) {
      try await endless.mapConcurrently(limit: 4) { throw Bad(number: $0) }
    }
    continuation.finish()
  }

  @Test func anErrorOfTheSequenceIsThrown() async throws {
    let failing = AsyncThrowingStream<Int, any Error> { continuation in
      continuation.yield(1)
      continuation.finish(throwing: Bad(number: 9))
    }
    await #expect(throws: Bad(number: 9)) {
      try await failing.mapConcurrently(limit: 2) { _ in await untilCancelled() }
    }
  }

  @Test func failuresBecomeNil() async throws {
    let wanted = (0..<20).map { $0 % 3 == 0 ? nil : $0 }
    let body: @Sendable (Int) async throws -> Int = { number in
      if number % 3 == 0 { throw Bad(number: number) }
      return number
    }
    #expect(try await (0..<20).mapConcurrently(limit: 4, failures: .becomeNil, body) == wanted)
    #expect(
      try await stream(0..<20).mapConcurrently(limit: 4, failures: .becomeNil, body) == wanted)
    var streamed: [Int?] = []
    for try await number in stream(0..<20)
      .concurrentlyMapped(limit: 4, failures: .becomeNil, body)
    {
      streamed.append(number)
    }
    #expect(streamed == wanted)
    // What is optional by itself stays what it is.
    let optional = try await (0..<4).mapConcurrently(limit: 2) { $0 % 2 == 0 ? $0 : nil }
    #expect(optional == [0, nil, 2, nil])
  }

  /// Tested for any result of the transforms, and at any time.
  @Test(arguments: ["plain", "stream", "nil", "stream nil", "group", "mapped"], [1, 4])
  func aCancelledTaskIsAnError(form: String, limit: Int) async throws {
    for cancelAt in [0, 1, 5, 9] {
      let reached = Shared(0), alive = Shared(0)
      let task = Task { () -> Int in
        let body: @Sendable (Int) async -> Int = { number in
          alive.change { $0 += 1 }
          if number == cancelAt { reached.change { $0 = 1 } }
          if number >= cancelAt { await untilCancelled() }
          alive.change { $0 -= 1 }
          return number  // as if nothing had happened
        }
        switch form {
        case "plain": return try await (0..<10).mapConcurrently(limit: limit, body).count
        case "stream": return try await stream(0..<10).mapConcurrently(limit: limit, body).count
        case "nil":
          return try await (0..<10).mapConcurrently(limit: limit, failures: .becomeNil, body).count
        case "stream nil":
          return try await stream(0..<10)
            .mapConcurrently(limit: limit, failures: .becomeNil, body).count
        case "group":
          return try await withWindowedTaskGroup(of: Int.self, limit: limit) { group in
            for number in 0..<10 { try? await group.addTask { await body(number) } }
            var count = 0
            while let _ = try? await group.next() { count += 1 }
            return count
          }
        default:
          var count = 0
          for try await _ in stream(0..<10).concurrentlyMapped(limit: limit, body) { count += 1 }
          return count
        }
      }
      defer { task.cancel() }
      try #require(await eventually { reached.value == 1 })
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      if form == "mapped" {
        #expect(await eventually { alive.value == 0 })
      } else {
        #expect(alive.value == 0)
      }
    }
  }

  /// A million elements at a limit of 8.
  @Test func neverMoreTasksAliveThanTheLimit() async throws {
    let crowd = Shared(Crowd())
    let count = 1_000_000
    let sum = try await (0..<count).mapConcurrently(limit: 8, order: .completion) { number in
      let life = Life(crowd)
      withExtendedLifetime(life) {}
      return number & 1
    }.reduce(0, +)
    #expect(sum == count / 2 && crowd.value.most <= 8 && crowd.value.ever == count)
  }

  @Test func aSequenceIsReadAsTasksEnd() async throws {
    let state = Shared((read: 0, done: 0, ahead: 0))
    let numbers = sequence(state: 0) { (next: inout Int) -> Int? in
      next += 1
      state.change {
        $0.read += 1
        $0.ahead = max($0.ahead, $0.read - $0.done)
      }
      return next <= 1000 ? next : nil
    }
    _ = try await numbers.mapConcurrently(limit: 4) { _ in state.change { $0.done += 1 } }
    #expect(state.value.done == 1000 && state.value.ahead <= 5)
  }

  /// The sequence is iterated on its caller's actor.
  @Test @MainActor func aSequenceOfAnActor() async throws {
    let results = try await MainActorNumbers(count: 20).mapConcurrently(limit: 3) { $0 + 1 }
    #expect(results == Array(1...20))
  }

  /// The same holds for a sequence whose next element is ready at once: its access to the
  /// actor's state would be a race elsewhere.
  @Test func aLazySequenceOfAnActor() async throws {
    let (asked, elsewhere) = try await LazyMaps().askedAndElsewhere()
    #expect(asked == 300 && elsewhere == 0)
  }
}

/// An actor on a queue of its own, which knows if code runs on it.
private actor LazyMaps {
  private let place = QueueExecutor()
  private var (asked, elsewhere) = (0, 0)

  nonisolated var unownedExecutor: UnownedSerialExecutor { place.asUnownedSerialExecutor() }

  /// The number of requests for an element on this actor, and elsewhere.
  func askedAndElsewhere() async throws -> (Int, Int) {
    let numbers = (0..<100).lazy.map { number in
      self.asked += 1
      if !self.place.isHere { self.elsewhere += 1 }
      return number
    }
    let results = try await numbers.mapConcurrently(limit: 3) { number in
      await Task.yield()
      return number
    }
    #expect(results == Array(0..<100))
    try await numbers.forEachConcurrently(limit: 3) { _ in await Task.yield() }
    let optional = try await numbers.mapConcurrently(limit: 3, failures: .becomeNil) { $0 }
    #expect(optional.count == 100)
    return (asked, elsewhere)
  }
}

private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "lazy maps")
  private let key = DispatchSpecificKey<Bool>()

  init() { queue.setSpecific(key: key, value: true) }

  var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
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
