// What people reported of the semaphores and pools of other libraries, one sentence and one test
// each.

import TestSupport
import Testing
import Weir

private struct Bad: Error {}

@Suite(.timeLimit(.minutes(10)))
struct PermitReports {
  @Test("a wait that is cancelled at the moment of its grant lets no further caller in")
  func cancelledGrant() async throws {
    let gate = Gate(label: "narrow", permits: 1)
    let crowd = Shared(Crowd())
    for _ in 0..<2000 {
      let held = try await gate.acquire()
      let waiter = Task {
        try await gate.withPermit {
          crowd.change { $0.enter() }
          crowd.change { $0.leave() }
        }
      }
      let canceller = Task { waiter.cancel() }
      held.release()
      _ = await waiter.result
      await canceller.value
    }
    #expect(crowd.value.most <= 1)
    #expect(gate.statistics.inUse == 0 && gate.statistics.waiting == 0)
  }

  @Test("a handler of a cancellation that uses the gate does not lock it")
  func cancellationHandler() async throws {
    let gate = Gate(label: "one", permits: 1)
    let held = try await gate.acquire()
    let tasks = (0..<50).map { _ in
      Task {
        try await withTaskCancellationHandler {
          try await gate.withPermit {}
        } onCancel: {
          #expect((try? gate.tryAcquire()?.release()) == .some(.none))
        }
      }
    }
    try #require(await eventually { gate.statistics.waiting == 50 })
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    held.release()
    try await gate.withPermit {}
  }

  @Test("a request that can never be served is an error at once")
  func impossible() async throws {
    let gate = Gate(label: "small", permits: 2)
    await #expect(throws: GateError.tooMany) { try await gate.withPermits(3) {} }
  }

  @Test("a task that was cancelled before gets no permit, even if one is free")
  func cancelledBefore() async throws {
    let gate = Gate(label: "free", permits: 1)
    let task = Task {
      await untilCancelled()
      try await gate.withPermit {}
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(gate.statistics.acquired == 0)
  }

  @Test("small requests do not starve a large one")
  func largeFirst() async throws {
    let gate = Gate(label: "fair", permits: 2)
    let held = try await gate.acquire()
    let order = Shared<[Int]>([])
    let tasks = [2, 1, 1].enumerated().map { number, count in
      let task = Waiter { try await gate.withPermits(count) { order.change { $0.append(count) } } }
      #expect(gate.statistics.waiting == number + 1)
      return task
    }
    held.release()
    try await onThread { for task in tasks { _ = task.value() } }
    #expect(order.value.first == 2)
  }

  @Test("a large request that gives up lets those after it through at once")
  func largeGivesUp() async throws {
    let gate = Gate(label: "fair", permits: 2)
    let held = try await gate.acquire()
    let large = Waiter { try await gate.withPermits(2) {} }
    let small = Waiter { try await gate.withPermit { true } }
    large.cancel()
    #expect(try await onThread { small.value() } == true)
    held.release()
  }

  @Test("a body that throws, returns early or is cancelled gives its permits back")
  func givenBack() async throws {
    let gate = Gate(label: "errors", permits: 2)
    await #expect(throws: Bad.self) { try await gate.withPermits(2) { throw Bad() } }
    try await onThread {
      _ = #expect(throws: Bad.self) { try gate.withPermits(2) { throw Bad() } }
    }
    let task = Task { try await gate.withPermit { await untilCancelled() } }
    try #require(await eventually { gate.statistics.inUse == 1 })
    task.cancel()
    _ = await task.result
    #expect(gate.statistics.inUse == 0)
  }

  @Test("a hundred thousand cancelled waits leave nothing behind, and the gate serves on")
  func manyCancelled() async throws {
    let gate = Gate(label: "busy", permits: 1)
    let held = try await gate.acquire()
    for round in 1...10 {
      let tasks = (0..<10_000).map { _ in Task { try await gate.withPermit {} } }
      try #require(await eventually { gate.statistics.waiting == 10_000 }, "round \(round)")
      for task in tasks { task.cancel() }
      for task in tasks { _ = await task.result }
      #expect(gate.statistics.waiting == 0)
    }
    held.release()
    try await gate.withPermit {}
  }

  @Test("a pool serves again after all its callers have given up")
  func recovers() async throws {
    let pool = Pool(label: "connections", count: 2) { 1 }
    for _ in 0..<3 {
      let meeting = Meeting(of: 3)
      let users = (0..<2).map { _ in
        Task { try await pool.withElement { _ in _ = await meeting.arrive() } }
      }
      try #require(await eventually { pool.statistics.inUse == 2 })
      _ = try await (0..<100).mapConcurrently(limit: 100, failures: .becomeResults) { _ in
        try await pool.withElement(timeout: .milliseconds(1)) { _ in }
      }
      await meeting.arriveOnly()
      for user in users { try await user.value }
    }
    #expect(try await pool.withElement { $0 } == 1)
    #expect(pool.statistics.inUse == 0 && pool.statistics.waiting == 0)
  }

  @Test("a caller that is cancelled while it waits or while it has an element loses none")
  func losesNone() async throws {
    let made = Shared(Crowd())
    let pool = Pool(label: "connections", count: 3) { Life(made) }
    for _ in 0..<10 {
      let tasks = (0..<20).map { _ in
        Task { try await pool.withElement { _ in try await Task.sleep(for: .seconds(600)) } }
      }
      try #require(await eventually { pool.statistics.inUse == 3 && pool.statistics.waiting == 17 })
      for task in tasks { task.cancel() }
      for task in tasks { _ = await task.result }
    }
    #expect(pool.statistics.inUse == 0 && made.value.now == 0 && made.value.most <= 3)
    try await pool.withElement { _ in }
  }
}
