// WorkGroup: it ends when all its work has left, with the first error, and resumes every waiter
// once.

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

private struct Failure: Error, Equatable {
  let number: Int
}

@Suite(.timeLimit(.minutes(10)))
struct WorkGroupTests {
  private let queue = DispatchQueue(label: "work")

  @Test("waiting for a group without work returns at once, in every form")
  func empty() async throws {
    let group = WorkGroup(label: "empty")
    #expect(try await onThread { try group.wait(timeout: .zero) } == .success)
    try await group.wait()
    let told = Latch()
    group.notify(on: queue) { error in if error == nil { told.open() } }
    #expect(try await onThread { told.wait() })
  }

  @Test("a group ends with the last of its work, on any queue")
  func ends() async throws {
    let group = WorkGroup(label: "everywhere")
    let lanes = Lanes(label: "lanes", width: 3)
    let sum = OwnedQueue(label: "sum", context: 0)
    let ran = Shared(0)
    for _ in 0..<100 {
      group.async(on: queue) { ran.change { $0 += 1 } }
      group.async(on: lanes) { ran.change { $0 += 1 } }
      group.async(on: sum) { $0 += 1 }
    }
    try await group.wait()
    #expect(ran.value == 200 && group.outstanding == 0)
    #expect(await sum.sync { $0 } == 100)
  }

  @Test("the first error is kept for every wait")
  func firstError() async throws {
    let group = WorkGroup(label: "failing")
    for number in 0..<20 {
      group.async(on: queue) { if number >= 3 { throw Failure(number: number) } }
    }
    await #expect(throws: Failure(number: 3)) { try await group.wait() }
    await #expect(throws: Failure(number: 3)) { try await onThread { try group.wait() } }
    let told = Shared<Failure?>(nil)
    let over = Latch()
    group.notify(on: queue) { error in
      told.change { $0 = error as? Failure }
      over.open()
    }
    #expect(try await onThread { over.wait() })
    #expect(told.value == Failure(number: 3))
  }

  @Test("a membership leaves once: by a call, at the end of its scope, with an error, as an object")
  func memberships() async throws {
    let group = WorkGroup(label: "members")
    let first = group.enter()
    do {
      let second = group.enter()
      #expect(group.outstanding == 2)
      _ = consume second
    }
    #expect(group.outstanding == 1)
    first.leave()
    #expect(group.outstanding == 0)

    let owned = group.enter().owned()
    #expect(group.outstanding == 1)
    owned.leave()
    owned.leave()
    owned.leave(throwing: Failure(number: 9))
    #expect(group.outstanding == 0)
    try await group.wait()
    do { _ = group.enter().owned() }
    #expect(group.outstanding == 0)

    group.enter().leave(throwing: Failure(number: 1))
    await #expect(throws: Failure(number: 1)) { try await group.wait() }
  }

  @Test("work that lanes refuse or drop leaves with the lanes' error", arguments: [true, false])
  func droppedWork(closed: Bool) async throws {
    let group = WorkGroup(label: "dropped")
    let lanes = Lanes(label: "dropping", width: 1)
    lanes.suspend()
    if closed { lanes.close() }
    group.async(on: lanes) { Issue.record("it ran") }
    #expect(lanes.cancel() == (closed ? 0 : 1))
    lanes.resume()
    let error: LanesError = closed ? .closed : .cancelled
    await #expect(throws: error) { try await group.wait() }
  }

  @Test("a cancellation is visible to the work and to waits, unless an error came first")
  func cancelling() async throws {
    let group = WorkGroup(label: "cancelled")
    let hold = Latch()
    let saw = Shared<Bool?>(nil)
    let begun = Latch()
    group.async(on: queue) {
      begun.open()
      hold.wait()
      saw.change { $0 = group.isCancelled }
    }
    #expect(try await onThread { begun.wait() } && !group.isCancelled)
    group.cancel()
    hold.open()
    await #expect(throws: CancellationError.self) { try await group.wait() }
    #expect(saw.value == true)

    let failed = WorkGroup(label: "failed")
    let membership = failed.enter()
    failed.enter().leave(throwing: Failure(number: 5))
    failed.cancel()
    membership.leave()
    await #expect(throws: Failure(number: 5)) { try await failed.wait() }

    let idle = WorkGroup(label: "idle")
    idle.cancel()
    await #expect(throws: CancellationError.self) { try await idle.wait() }
    #expect(idle.isCancelled)
  }

  /// The work before the failure runs; the rest does not.
  @Test("a group may cancel on the first error of any work, of a closure or a membership")
  func cancelsOnError() async throws {
    let group = WorkGroup(label: "strict", cancelsOnError: true)
    let ran = Shared(0)
    for number in 0..<10 {
      group.async(on: queue) {
        ran.change { $0 += 1 }
        if number == 3 { throw Failure(number: 3) }
      }
    }
    await #expect(throws: Failure(number: 3)) { try await group.wait() }
    #expect(ran.value == 4 && group.isCancelled)
    let other = WorkGroup(label: "strict", cancelsOnError: true)
    other.enter().leave()
    #expect(!other.isCancelled)
    other.enter().leave(throwing: Failure(number: 1))
    #expect(other.isCancelled)
  }

  @Test("a cancelled task stops waiting, and the group goes on")
  func cancelledTask() async throws {
    let group = WorkGroup(label: "patient")
    let membership = group.enter()
    let begun = Latch()
    let task = Task {
      begun.open()
      try await group.wait()
    }
    _ = try await onThread { begun.wait() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!group.isCancelled && group.outstanding == 1)
    membership.leave()
    try await group.wait()
  }
}
