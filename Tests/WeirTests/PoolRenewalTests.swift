// Pools over time: elements that suspend to be made, are renewed, and end with a smaller or a
// closed pool.

import TestSupport
import Testing
import Weir

private struct Bad: Error {}

@Suite(.timeLimit(.minutes(10)))
struct PoolRenewalTests {
  /// A pool whose elements count the living ones, and are made at a signal of the test.
  private struct Made {
    let lives = Shared(Crowd())
    let pool: Pool<Life>

    init(
      count: Int, discarding: @escaping @Sendable (any Error) -> Bool = { _ in true },
      before: @escaping @Sendable () async throws -> Void = {}
    ) {
      let lives = lives
      pool = Pool(label: "made", count: count, discarding: discarding) {
        try await before()
        return Life(lives)
      }
    }

    var living: Int { lives.value.now }
    var ever: Int { lives.value.ever }
  }

  @Test("a closure that makes an element may suspend, for tasks and for threads")
  func suspends() async throws {
    let meeting = Meeting(of: 2)
    let made = Made(count: 2, before: { _ = await meeting.arrive() })
    async let ofTask: Void = made.pool.withElement { _ in await Task.yield() }
    try await onThread { try made.pool.withElement { _ in } }
    try await ofTask
    #expect(made.ever == 2)
  }

  @Test("an element that cannot be made is the error of its caller, and of no later one")
  func failsOnce() async throws {
    let attempts = Shared(0)
    let made = Made(
      count: 1,
      before: {
        attempts.change { $0 += 1 }
        if attempts.value < 3 { throw Bad() }
      })
    await #expect(throws: Bad.self) { try await made.pool.withElement { _ in } }
    try await onThread { _ = #expect(throws: Bad.self) { try made.pool.withElement { _ in } } }
    try await made.pool.withElement { _ in }
    #expect(made.pool.statistics.inUse == 0 && made.living == 1)
  }

  @Test("an element whose body threw or was cancelled is not used again")
  func renewed() async throws {
    let made = Made(count: 1)
    await #expect(throws: Bad.self) { try await made.pool.withElement { _ in throw Bad() } }
    #expect(made.living == 0)
    let task = Task { try await made.pool.withElement { _ in await untilCancelled() } }
    try #require(await eventually { made.pool.statistics.inUse == 1 && made.ever == 2 })
    task.cancel()
    try await task.value  // a body that returns is not failed by its pool
    #expect(made.living == 0)
    try await onThread {
      _ = #expect(throws: Bad.self) { try made.pool.withElement { _ in throw Bad() } }
    }
    #expect(made.living == 0 && made.ever == 3)
    for _ in 0..<3 { try await made.pool.withElement { _ in } }
    #expect(made.ever == 4)
  }

  @Test("a closure decides which errors an element survives")
  func survives() async throws {
    let made = Made(count: 1, discarding: { !($0 is Bad) })
    await #expect(throws: Bad.self) { try await made.pool.withElement { _ in throw Bad() } }
    #expect(made.living == 1)
    await #expect(throws: CancellationError.self) {
      try await made.pool.withElement { _ in throw CancellationError() }
    }
    #expect(made.living == 0)
  }

  @Test("a larger pool serves waiting callers; a smaller one ends elements")
  func resized() async throws {
    let made = Made(count: 1)
    let meeting = Meeting(of: 4)
    let tasks = (0..<3).map { _ in
      Task { try await made.pool.withElement { _ in _ = await meeting.arrive() } }
    }
    try #require(await eventually { made.pool.statistics.waiting == 2 })
    made.pool.count = 3
    try #require(await eventually { made.living == 3 })
    made.pool.count = 2
    #expect(made.living == 3 && made.pool.count == 2)  // all are in use
    await meeting.arriveOnly()
    for task in tasks { try await task.value }
    #expect(made.living == 2)
    made.pool.count = 1
    #expect(made.living == 1)
  }

  @Test("a closed pool refuses callers and ends its elements")
  func closed() async throws {
    let made = Made(count: 2)
    try await made.pool.withElement { _ in
      try await made.pool.withElement { _ in }
      let waiting = Task {
        try await made.pool.withElement { _ in try await made.pool.withElement { _ in } }
      }
      try #require(await eventually { made.pool.statistics.waiting == 1 })
      #expect(made.living == 2)
      made.pool.close()
      await #expect(throws: GateError.closed) { try await waiting.value }
      #expect(made.living == 1)
      await #expect(throws: GateError.closed) { try await made.pool.withElement { _ in } }
      try await onThread {
        _ = #expect(throws: GateError.closed) { try made.pool.withElement { _ in } }
      }
    }
    #expect(made.living == 0)
    made.pool.close()
  }

  @Test("a time-out of a pool has its label")
  func timedOut() async throws {
    let made = Made(count: 1)
    let error = try await made.pool.withElement { _ in
      await #expect(throws: TimeoutError.self) {
        try await made.pool.withElement(timeout: .milliseconds(1)) { _ in }
      }
    }
    #expect(error?.label == "made" && error?.duration == .milliseconds(1))
  }
}
