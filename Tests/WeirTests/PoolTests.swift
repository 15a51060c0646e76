// Pool: each element has one user at a time, callers are served in order, and elements are made
// when they are needed.

import TestSupport
import Testing
import WeirLibC

@testable import Weir

/// An element, which is not Sendable.
private final class Item {
  var users = 0
  var uses = 0
}

private struct Bad: Error {}

@Suite(.timeLimit(.minutes(10)))
struct PoolTests {
  /// Tasks and threads use the pool, throw, give up and are cancelled, by chance.
  @Test("no two callers have one element, whatever they do", arguments: [1, 3, 8])
  func random(count: Int) async throws {
    let made = Shared(0)
    let discarded = Shared(0)
    let pool = Pool(
      label: "random", count: count,
      discarding: { _ in
        discarded.change { $0 += 1 }; return true
      }
    ) {
      made.change { $0 += 1 }
      return Item()
    }
    let crowd = Shared(Crowd())
    var random = SeededGenerator(for: "pool \(count)")
    let threads = (0..<4).map { _ in Latch() }
    for latch in threads {
      let throwing = (0..<200).map { _ in Int.random(in: 0..<10, using: &random) == 0 }
      startThread {
        for throwing in throwing {
          try? pool.withElement { item in
            Self.use(item, crowd)
            if throwing { throw Bad() }
          }
          _ = try? pool.withElement(timeout: .microseconds(20)) { Self.use($0, crowd) }
        }
        latch.open()
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<400 {
        let chance = Int.random(in: 0..<10, using: &random)
        group.addTask {
          let task = Task {
            try await pool.withElement(timeout: chance == 1 ? .microseconds(20) : nil) { item in
              Self.begin(item, crowd)
              await Task.yield()
              Self.end(item, crowd)
              if chance == 2 { throw Bad() }
            }
          }
          if chance == 3 { task.cancel() }
          _ = await task.result
        }
      }
    }
    try await onThread { for latch in threads { latch.wait() } }
    #expect(crowd.value.most <= count && crowd.value.now == 0 && crowd.value.ever >= 800)
    #expect(pool.statistics.inUse == 0 && pool.statistics.waiting == 0)
    #expect((1...count + discarded.value).contains(made.value))
  }

  private static func use(_ item: Item, _ crowd: Shared<Crowd>) {
    begin(item, crowd)
    sched_yield()
    end(item, crowd)
  }

  private static func begin(_ item: Item, _ crowd: Shared<Crowd>) {
    crowd.change { $0.enter() }
    item.users += 1
    #expect(item.users == 1)
  }

  private static func end(_ item: Item, _ crowd: Shared<Crowd>) {
    #expect(item.users == 1)
    item.users -= 1
    crowd.change { $0.leave() }
  }

  @Test("threads and tasks are served in one order, without those that were cancelled or gave up")
  func order() async throws {
    let pool = Pool(label: "order", [Item()])
    let served = try await onThread {
      let served = Shared<[Int]>([])
      var tasks: [Waiter<Void>] = []
      let threads = (0..<50).map { _ in Latch() }
      try pool.withElement { _ in
        for number in 0..<100 {
          if number % 2 == 0 {
            startThread {
              try? pool.withElement { _ in served.change { $0.append(number) } }
              threads[number / 2].open()
            }
          } else {
            tasks.append(
              Waiter { try await pool.withElement { _ in served.change { $0.append(number) } } })
          }
          while pool.statistics.waiting <= number { sched_yield() }
        }
        #expect(throws: TimeoutError.self) {
          try pool.withElement(timeout: .milliseconds(1)) { _ in }
        }
        for index in [0, 7, 49] {
          tasks[index].cancel()
          #expect(tasks[index].wasCancelled)
        }
      }
      for latch in threads { latch.wait() }
      for task in tasks { _ = task.value() }
      return served.value
    }
    #expect(served == (0..<100).filter { ![1, 15, 99].contains($0) })
    #expect(pool.statistics.inUse == 0)
    #expect(try await pool.withElement { _ in true })
  }

  @Test("elements are made when needed, no more than are used at once, and kept")
  func making() async throws {
    let made = Shared(0)
    let pool = Pool(label: "made", count: 3, discarding: { $0 is Bad }) {
      made.change { $0 += 1 }
      if made.value == 1 { throw CancellationError() }
      return Item()
    }
    await #expect(throws: CancellationError.self) { try await pool.withElement { _ in } }
    for _ in 0..<5 { try await pool.withElement { $0.uses += 1 } }
    #expect(made.value == 2)
    // A second element is made while the first is in use.
    try await pool.withElement { item in
      #expect(item.uses == 5)
      let uses = try await pool.withElement { $0.uses }
      #expect(uses == 0)
    }
    #expect(made.value == 3)
    await #expect(throws: CancellationError.self) {
      try await pool.withElement { item in
        item.uses = 10
        throw CancellationError()
      }
    }
    #expect(try await pool.withElement { $0.uses } == 10)
    await #expect(throws: Bad.self) { try await pool.withElement { _ in throw Bad() } }
    #expect(try await pool.withElement { $0.uses } == 0)
    #expect(made.value == 3)
  }

  @Test("a body may put another element in the place of its own")
  func replacing() async throws {
    let pool = Pool<Int?>(label: "places", [nil])
    try await pool.withElement { $0 = 7 }
    #expect(try await onThread { try pool.withElement { $0 } } == 7)
  }

  @Test("elements are freed with their pool")
  func freed() async throws {
    let freed = Shared(0)
    do {
      let pool = Pool(label: "freed", count: 3) { Token { freed.change { $0 += 1 } } }
      try await pool.withElement { _ in }
    }
    #expect(freed.value == 1)
  }
}
