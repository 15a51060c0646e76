// Tasks that wait: they leave the cooperative pool to others, and waits that are given up leave no
// memory behind. Each test has a process of its own: if it blocked, everything would.

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct SuspendedWaitTests {
  /// More tasks wait than the pool has threads, and then another task ends their wait.
  @Test("a wait leaves the cooperative pool to others", arguments: waits.map(\.name))
  func poolIsFree(name: String) async {
    await #expect(processExitsWith: .success) { [name] in
      alarm(40)
      let chosen = waits.first { $0.name == name }
      guard let (wait, end) = chosen?.make() else { fatalError("no wait has this name") }
      try await withThrowingTaskGroup { tasks in
        for _ in 0..<(sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 4) {
          tasks.addTask { try await wait() }
        }
        for _ in 0..<100 { await Task.yield() }
        tasks.addTask { try await end() }
        try await tasks.waitForAll()
      }
    }
  }

  @Test("waits that are given up leave no memory behind", arguments: abandonedWaits.map(\.name))
  func memory(name: String) async {
    await #expect(processExitsWith: .success) { [name] in
      guard let (_, count, make) = abandonedWaits.first(where: { $0.name == name }) else {
        fatalError("no wait has this name")
      }
      let (wait, end) = make()
      for _ in 0..<count / 4 { try await wait() }
      let before = bytesInUse()
      for _ in 0..<count { try await wait() }
      // libdispatch frees some memory late.
      let isFreed = await eventually { bytesInUse() - before < 48 * count }
      guard isFreed else { fatalError("\(bytesInUse() - before) bytes for \(count) waits") }
      try await end()
    }
  }
}

/// A wait, and what ends it.
private typealias Wait = (
  wait: @Sendable () async throws -> Void, end: @Sendable () async throws -> Void
)

private let waits: [(name: String, make: @Sendable () -> Wait)] = [
  (
    "for lanes",
    {
      let (lanes, hold) = (Lanes(label: "held", width: 1), Latch())
      lanes.async { hold.wait() }
      return ({ _ = await lanes.wait() }, { hold.open() })
    }
  ),
  (
    "for room in a backlog",
    {
      let lanes = Lanes(label: "suspended", width: 1, backlog: 1)
      lanes.suspend()
      return ({ try await lanes.submit {} }, { lanes.resume() })
    }
  ),
  (
    "for a job on lanes, as an executor",
    {
      let (lanes, hold) = (Lanes(label: "blocking", width: 2), Latch())
      return (
        { await Task(executorPreference: lanes) { _ = hold.wait() }.value }, { hold.open() }
      )
    }
  ),
  (
    "for a group",
    {
      let group = WorkGroup(label: "entered")
      let membership = group.enter().owned()
      return ({ _ = try await group.wait() }, { membership.leave() })
    }
  ),
  (
    "for the job of a queue",
    {
      let (queue, hold) = (OwnedQueue(label: "held", context: 0), Latch())
      queue.async { _ in hold.wait() }
      return ({ await queue.sync { $0 += 1 } }, { hold.open() })
    }
  ),
  (
    "for a loop, which waits for no other loop",
    {
      let hold = Latch()
      return (
        { try await concurrentLoop(0..<1) { _ in hold.wait() } },
        { try await concurrentLoop(0..<1) { _ in hold.open() } }
      )
    }
  ),
]

private let abandonedWaits: [(name: String, count: Int, make: @Sendable () -> Wait)] = [
  (
    "for lanes, timed out", 4000,
    {
      let (lanes, hold) = (Lanes(label: "held", width: 1), Latch())
      lanes.async { hold.wait() }
      return ({ await lanes.wait(timeout: .microseconds(30)) }, { hold.open() })
    }
  ),
  (
    "for a group, timed out", 4000,
    {
      let group = WorkGroup(label: "entered")
      let membership = group.enter().owned()
      return ({ try await group.wait(timeout: .microseconds(30)) }, { membership.leave() })
    }
  ),
  (
    "for a group, cancelled", 20_000,
    {
      let group = WorkGroup(label: "entered")
      let membership = group.enter().owned()
      return (
        {
          let task = Task { try await group.wait() }
          task.cancel()
          _ = await task.result
        }, { membership.leave() }
      )
    }
  ),
]
