// Ends of a group: an error that ends it, and errors beside a cancellation.

import Dispatch
import TestSupport
import Testing
import Weir

private struct Bad: Error, Equatable {
  let number: Int
}

@Suite(.timeLimit(.minutes(10)))
struct WorkGroupFailTests {
  /// `submit` is a form of async; the work waits in the queue until the first has failed.
  @Test("a failure drops the work that has not begun, on every kind of queue", arguments: 0..<3)
  func drops(kind: Int) async throws {
    let group = WorkGroup(label: "failed")
    let lanes = Lanes(label: "failed", width: 1)
    let queue = DispatchQueue(label: "failed")
    let owned = OwnedQueue(label: "failed", context: 0)
    func submit(_ work: @escaping @Sendable () throws -> Void) {
      switch kind {
      case 0: group.async(on: lanes, work)
      case 1: group.async(on: queue, work)
      default: group.async(on: owned) { _ in try work() }
      }
    }
    let mayFail = Latch()
    submit {
      _ = mayFail.wait()
      group.cancel(throwing: Bad(number: 1))
      throw Bad(number: 2)
    }
    for _ in 0..<5 { submit { Issue.record("it ran") } }
    mayFail.open()
    await #expect(throws: Bad(number: 1)) { try await group.wait() }
    #expect(group.isCancelled && group.outstanding == 0)
    submit { Issue.record("it ran") }
    await #expect(throws: Bad(number: 1)) { try await group.wait(timeout: .seconds(60)) }
    await #expect(throws: Bad(number: 1)) {
      try await onThread { _ = try group.wait() }
    }
  }

  @Test("the first of an error and a cancel is thrown", arguments: [true, false])
  func errorAndCancel(cancelsFirst: Bool) async throws {
    let group = WorkGroup(label: "both")
    let queue = DispatchQueue(label: "both")
    group.async(on: queue) {
      if cancelsFirst { group.cancel() }
      throw Bad(number: 1)
    }
    group.async(on: queue) { if !cancelsFirst { group.cancel() } }
    if cancelsFirst {
      await #expect(throws: CancellationError.self) { try await group.wait() }
    } else {
      await #expect(throws: Bad(number: 1)) { try await group.wait() }
    }
  }
}
