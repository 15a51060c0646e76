// Pool: an element in use goes to nobody else; elements are made when they are needed, renewed,
// and end with a smaller or a closed pool.

import TestSupport
import Testing
import Weir

@Suite(.timeLimit(.minutes(10)))
struct PoolTests {
  private let lives = Shared(Crowd())

  private func made(
    count: Int, discarding: @escaping @Sendable (any Error) -> Bool = { _ in true },
    before: @escaping @Sendable () async throws -> Void = {}
  ) -> Pool<Life> {
    let lives = lives
    return Pool(label: "made", count: count, discarding: discarding) {
      try await before()
      return Life(lives)
    }
  }

  @Test("elements are made when needed, no more than are used at once, and kept until the end")
  func making() async throws {
    do {
      let pool = made(count: 3)
      for _ in 0..<5 { try await pool.withElement { _ in } }
      #expect(lives.value.ever == 1)
      // A second element is made while the first is in use.
      try await pool.withElement { first in
        try await pool.withElement { second in #expect(first !== second) }
      }
      #expect(lives.value.ever == 2 && lives.value.now == 2)
    }
    #expect(lives.value.now == 0)
  }

  @Test("a body may put another element, which need not be Sendable, in the place of its own")
  func replacing() async throws {
    final class Item { var uses = 0 }
    let pool = Pool<Item?>(label: "places", [nil])
    try await pool.withElement { $0 = Item() }
    try await pool.withElement { $0?.uses += 7 }
    #expect(try await onThread { try pool.withElement { $0?.uses } } == 7)
  }

  @Test("a closure that makes an element may suspend, for tasks and for threads")
  func suspends() async throws {
    let meeting = Meeting(of: 2)
    let pool = made(count: 2, before: { await meeting.arrive() })
    async let ofTask: Void = pool.withElement { _ in await Task.yield() }
    try await onThread { try pool.withElement { _ in } }
    try await ofTask
    #expect(lives.value.ever == 2)
  }

  @Test("an element that cannot be made is the error of its caller, and of no later one")
  func failsOnce() async throws {
    let attempts = Shared(0)
    let pool = made(count: 1, before: { if attempts.next() < 3 { throw Bad() } })
    await #expect(throws: Bad.self) { try await pool.withElement { _ in } }
    try await onThread { _ = #expect(throws: Bad.self) { try pool.withElement { _ in } } }
    try await pool.withElement { _ in }
    #expect(pool.statistics.inUse == 0 && lives.value.now == 1)
  }

  /// A closure may decide which errors an element survives.
  @Test("an element whose body threw or was cancelled is not used again")
  func renewed() async throws {
    let pool = made(count: 1)
    await #expect(throws: Bad.self) { try await pool.withElement { _ in throw Bad() } }
    #expect(lives.value.now == 0)
    let (lives, task) = (lives, Task { try await pool.withElement { _ in await untilCancelled() } })
    try #require(await eventually { pool.statistics.inUse == 1 && lives.value.ever == 2 })
    task.cancel()
    try await task.value  // a body that returns is not failed by its pool
    #expect(lives.value.now == 0)
    try await onThread {
      _ = #expect(throws: Bad.self) { try pool.withElement { _ in throw Bad() } }
    }
    #expect(lives.value.now == 0 && lives.value.ever == 3)
    let other = made(count: 1, discarding: { !($0 is Bad) })
    await #expect(throws: Bad.self) { try await other.withElement { _ in throw Bad() } }
    #expect(lives.value.now == 1)
    await #expect(throws: CancellationError.self) {
      try await other.withElement { _ in throw CancellationError() }
    }
    #expect(lives.value.now == 0)
  }

  @Test("a larger pool serves waiting callers; a smaller one ends elements")
  func resized() async throws {
    let (pool, lives, meeting) = (made(count: 1), lives, Meeting(of: 4))
    let tasks = (0..<3).map { _ in
      Task { try await pool.withElement { _ in await meeting.arrive() } }
    }
    try #require(await eventually { pool.statistics.waiting == 2 })
    pool.count = 3
    try #require(await eventually { lives.value.now == 3 })
    pool.count = 2
    #expect(lives.value.now == 3 && pool.count == 2)  // all are in use
    await meeting.arriveOnly()
    for task in tasks { try await task.value }
    #expect(lives.value.now == 2)
    pool.count = 1
    for _ in 0..<3 { try await pool.withElement { _ in } }
    #expect(lives.value.now == 1 && lives.value.ever == 3)
  }

  @Test("a closed pool refuses callers and ends its elements; a time-out has its label")
  func closed() async throws {
    let pool = made(count: 2)
    try await pool.withElement { _ in
      try await pool.withElement { _ in
        let error = await #expect(throws: TimeoutError.self) {
          try await pool.withElement(timeout: .milliseconds(1)) { _ in }
        }
        #expect(error?.label == "made" && error?.duration == .milliseconds(1))
      }
      let waiting = Task { try await pool.withElement { _ in try await pool.withElement { _ in } } }
      try #require(await eventually { pool.statistics.waiting == 1 })
      pool.close()
      await #expect(throws: GateError.closed) { try await waiting.value }
      #expect(lives.value.now == 1)
      await #expect(throws: GateError.closed) { try await pool.withElement { _ in } }
      try await onThread {
        _ = #expect(throws: GateError.closed) { try pool.withElement { _ in } }
      }
    }
    #expect(lives.value.now == 0)
    pool.close()
  }
}
