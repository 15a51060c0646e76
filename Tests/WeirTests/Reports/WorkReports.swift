// What people reported of the maps, groups and thread pools of other libraries, one sentence and
// one test each.

import Dispatch
import TestSupport
import Testing
import Weir

private struct Bad: Error, Equatable {
  var number = 0
}

@Suite(.timeLimit(.minutes(10)))
struct WorkReports {
  // MARK: Maps

  @Test("the first failure is thrown, no element begins after it, and none is left running")
  func failure() async throws {
    let crowd = Shared(Crowd())
    await #expect(throws: Bad(number: 0)) {
      try await (0..<1000).mapConcurrently(limit: 4) { number in
        crowd.change { $0.enter() }
        defer { crowd.change { $0.leave() } }
        if number == 0 { throw Bad(number: 0) }
        await untilCancelled()
      }
    }
    #expect(crowd.value.now == 0 && crowd.value.ever <= 5)
  }

  @Test("a map whose task is cancelled is an error, not a shorter array")
  func cancelledMap() async throws {
    let begun = Shared(0)
    let task = Task {
      try await (0..<8).mapConcurrently(limit: 8, failures: .becomeNil) { number in
        begun.change { $0 += 1 }
        if number > 3 { await untilCancelled() }
        return number
      }
    }
    try #require(await eventually { begun.value == 8 })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a failure ends a map whose sequence has nothing more to give")
  func silentSequence() async throws {
    let (numbers, source) = AsyncStream.makeStream(of: Int.self)
    source.yield(1)
    await #expect(throws: Bad.self) {
      try await numbers.mapConcurrently(limit: 4) { throw Bad(number: $0) }
    }
  }

  @Test("each failure stays with its element, in the order of the elements")
  func failuresInOrder() async throws {
    let results = try await (0..<100).mapConcurrently(limit: 10, failures: .becomeResults) {
      number in
      for _ in 0..<number % 7 { await Task.yield() }
      if number % 3 == 0 { throw Bad(number: number) }
      return number
    }
    for (number, result) in results.enumerated() {
      if number % 3 == 0 {
        #expect(throws: Bad(number: number)) { try result.get() }
      } else {
        #expect(try result.get() == number)
      }
    }
  }

  @Test("a slow consumer of a mapped sequence bounds what is read ahead")
  func slowConsumer() async throws {
    let read = Shared(0)
    var taken = 0
    for await number in (0..<10_000).concurrentlyMapped(
      limit: 4,
      { number in
        read.change { $0 += 1 }
        return number
      })
    {
      #expect(number == taken)
      taken += 1
      #expect(read.value <= taken + 4)
      if taken == 100 { break }
    }
  }

  @Test("a million elements are never a million tasks")
  func manyElements() async throws {
    let crowd = Shared(Crowd())
    try await (0..<1_000_000).forEachConcurrently(limit: 8) { number in
      if number % 1000 == 0 {
        crowd.change { $0.enter() }
        await Task.yield()
        crowd.change { $0.leave() }
      }
    }
    #expect(crowd.value.ever == 1000 && crowd.value.most <= 8)
  }

  // MARK: Groups

  @Test("every wait for a group has its first error, also a second one")
  func waitsAgain() async throws {
    let group = WorkGroup(label: "reused")
    let queue = DispatchQueue(label: "work")
    for number in 1...3 { group.async(on: queue) { throw Bad(number: number) } }
    for _ in 0..<2 { await #expect(throws: Bad(number: 1)) { try await group.wait() } }
  }

  @Test("work of a group may add work to the full lanes that it runs on")
  func addsWork() async throws {
    let lanes = Lanes(label: "full", width: 1, backlog: 1)
    let group = WorkGroup(label: "tree")
    let done = Shared(0)
    group.async(on: lanes) {
      for _ in 0..<100 { group.async(on: lanes) { done.change { $0 += 1 } } }
    }
    try await group.wait()
    #expect(done.value == 100)
  }

  // MARK: Pools of threads

  @Test("jobs that submit jobs to their own full pool and await them as tasks go on")
  func nestedJobs() async throws {
    let lanes = Lanes(label: "full", width: 2, backlog: 2)
    let sums = try await (0..<20).mapConcurrently(limit: 20) { outer in
      let parts = try await (0..<5).mapConcurrently(limit: 5) { inner in
        try await lanes.run { outer * inner }
      }
      return try await lanes.run { parts.reduce(0, +) }
    }
    #expect(sums == (0..<20).map { $0 * 10 })
  }

  @Test("a queued job whose task is cancelled never runs, and its place in the backlog is free")
  func withdrawn() async throws {
    let lanes = Lanes(label: "busy", width: 1, backlog: 1)
    let (hold, ran) = (Latch(), Shared(0))
    lanes.async { hold.wait() }
    try #require(await eventually { lanes.statistics.running == 1 })
    for _ in 0..<100 {
      let task = Waiter { try await lanes.run { ran.change { $0 += 1 } } }
      #expect(lanes.statistics.queued == 1)
      task.cancel()
      #expect(task.wasCancelled && lanes.statistics.queued == 0)
    }
    #expect(lanes.tryAsync {})
    hold.open()
    await lanes.wait()
    #expect(ran.value == 0)
  }

  @Test("as many blocking jobs run at once as there are lanes, however few cores there are")
  func blockingJobs() async throws {
    let lanes = Lanes(label: "blocking", width: 64)
    let hold = Latch()
    for _ in 0..<64 { lanes.async { hold.wait() } }
    #expect(await eventually { lanes.statistics.running == 64 })
    hold.open()
    await lanes.wait()
  }

  @Test("a producer that waits for room is refused by a close, and does not hang")
  func closedBacklog() async throws {
    let lanes = Lanes(label: "closed", width: 1, backlog: 1)
    let hold = Latch()
    lanes.async { hold.wait() }
    try #require(await eventually { lanes.statistics.running == 1 })
    lanes.async {}
    let producers = (0..<10).map { _ in Task { try await lanes.run {} } }
    let thread = Latch()
    startThread {
      lanes.async({}, dropped: { thread.open() })
    }
    lanes.close()
    for producer in producers {
      await #expect(throws: LanesError.closed) { try await producer.value }
    }
    _ = try await onThread { thread.wait() }
    hold.open()
    await lanes.wait()
  }

  @Test("the last reference to a pool may go away in a job of the pool")
  func lastReference() async throws {
    for _ in 0..<100 {
      let (ended, goesOn) = (Latch(), Latch())
      do {
        let lanes = Lanes(label: "own", width: 1)
        lanes.async { [lanes] in
          goesOn.wait()
          withExtendedLifetime(lanes) {}
        }
        lanes.async { ended.open() }
      }
      goesOn.open()
      _ = try await onThread { ended.wait() }
    }
  }
}
