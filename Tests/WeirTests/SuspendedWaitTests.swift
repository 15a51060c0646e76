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
  @Test("a wait leaves the cooperative pool to others", arguments: waits.indices)
  func poolIsFree(index: Int) async {
    await #expect(processExitsWith: .success) { [index] in
      let (wait, end) = waits[index]()
      try await withThrowingTaskGroup { tasks in
        for _ in 0..<(sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 4) {
          tasks.addTask { try await wait(nil) }
        }
        for _ in 0..<100 { await Task.yield() }
        tasks.addTask { try await end() }
        try await tasks.waitForAll()
      }
    }
  }

  /// The waits for lanes and for a group time out, or are cancelled.
  @Test("waits that are given up leave no memory behind", arguments: [0, 1], [false, true])
  func memory(index: Int, cancels: Bool) async {
    // A wait for lanes goes on in a cancelled task.
    if index == 0 && cancels { return }
    await #expect(processExitsWith: .success) { [index, cancels] in
      let (wait, end) = waits[index]()
      let count = cancels ? 20_000 : 4000
      @Sendable func giveUp() async throws {
        let task = Task { try await wait(cancels ? nil : .microseconds(30)) }
        if cancels { task.cancel() }
        _ = await task.result
      }
      for _ in 0..<count / 4 { try await giveUp() }
      let before = bytesInUse()
      for _ in 0..<count { try await giveUp() }
      // libdispatch frees some memory late.
      let isFreed = await eventually { bytesInUse() - before < 48 * count }
      guard isFreed else { fatalError("\(bytesInUse() - before) bytes for \(count) waits") }
      try await end()
    }
  }
}

/// A wait, with a time-out if it takes one, and what ends it.
private typealias Wait = (
  wait: @Sendable (Duration?) async throws -> Void, end: @Sendable () async throws -> Void
)

private let waits: [@Sendable () -> Wait] = [
  {
    // For lanes.
    let (lanes, hold) = (Lanes(label: "held", width: 1), Latch())
    lanes.async { hold.wait() }
    return ({ _ = await lanes.wait(timeout: $0) }, { hold.open() })
  },
  {
    // For a group.
    let group = WorkGroup(label: "entered")
    let membership = group.enter().owned()
    return ({ _ = try await group.wait(timeout: $0) }, { membership.leave() })
  },
  {
    // For room in a backlog.
    let lanes = Lanes(label: "suspended", width: 1, backlog: 1)
    lanes.suspend()
    return ({ _ in try await lanes.submit {} }, { lanes.resume() })
  },
  {
    // For a job on lanes, as an executor.
    let (lanes, hold) = (Lanes(label: "blocking", width: 2), Latch())
    return (
      { _ in await Task(executorPreference: lanes) { _ = hold.wait() }.value }, { hold.open() }
    )
  },
  {
    // For the job of a queue.
    let (queue, hold) = (OwnedQueue(label: "held", context: 0), Latch())
    queue.async { _ in hold.wait() }
    return ({ _ in await queue.sync { $0 += 1 } }, { hold.open() })
  },
  {
    // For a loop, which waits for no other loop.
    let hold = Latch()
    return (
      { _ in try await concurrentLoop(0..<1) { _ in hold.wait() } },
      { try await concurrentLoop(0..<1) { _ in hold.open() } }
    )
  },
]
