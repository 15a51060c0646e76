// WorkGroup: it ends when all its work has left, with the first error, and resumes every waiter
// once. (Tests/CLibrary has the errors, cancels and notifications of groups.)

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct WorkGroupTests {
  private let queue = DispatchQueue(label: "work")

  /// Expects that every kind of wait throws an error, or none.
  private func expectEnd(
    _ group: WorkGroup, _ error: Bad?, location: SourceLocation = #_sourceLocation
  ) async throws {
    func outcome(_ wait: () async throws -> WaitResult) async -> String {
      do { return "\(try await wait())" } catch { return "\(error)" }
    }
    let expected = error.map { "\($0)" } ?? "\(WaitResult.success)"
    let told = Shared("")
    let over = Latch()
    group.notify(on: queue) { error in
      told.change { $0 = error.map { "\($0)" } ?? "\(WaitResult.success)" }
      over.open()
    }
    #expect(
      await [
        outcome { try await group.wait() }, outcome { try await group.wait(timeout: .seconds(60)) },
        outcome { try await onThread { try group.wait() } },
        outcome { try await onThread { try group.wait(timeout: .seconds(60)) } },
      ] == Array(repeating: expected, count: 4), sourceLocation: location)
    #expect(try await onThread { over.wait() } && told.value == expected, sourceLocation: location)
  }

  @Test("a group ends with the last of its work, on any queue, or at once")
  func ends() async throws {
    let group = WorkGroup(label: "everywhere")
    try await expectEnd(group, nil)
    #expect(try await group.wait(timeout: .zero) == .success)
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

  @Test("the first error is kept for every wait, and a wait may time out before it")
  func firstError() async throws {
    let group = WorkGroup(label: "failing")
    let membership = group.enter()
    for number in 0..<20 {
      group.async(on: queue) { if number >= 3 { throw Bad(number: number) } }
    }
    #expect(try await group.wait(timeout: .milliseconds(1)) == .timedOut)
    #expect(try await group.wait(timeout: .zero) == .timedOut)
    membership.leave()
    try await expectEnd(group, Bad(number: 3))
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
    owned.leave(throwing: Bad(number: 9))
    #expect(group.outstanding == 0)
    try await group.wait()
    do { _ = group.enter().owned() }
    #expect(group.outstanding == 0)
    group.enter().leave(throwing: Bad(number: 1))
    try await expectEnd(group, Bad(number: 1))
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

  /// `submit` is a form of async; the work waits in the queue until the first has ended the group.
  @Test(
    "a failure or a cancel drops the work that has not begun, on every kind of queue",
    arguments: 0..<3, [true, false])
  func drops(kind: Int, fails: Bool) async throws {
    let group = WorkGroup(label: "ended")
    let lanes = Lanes(label: "ended", width: 1)
    let owned = OwnedQueue(label: "ended", context: 0)
    func submit(_ work: @escaping @Sendable () throws -> Void) {
      switch kind {
      case 0: group.async(on: lanes, work)
      case 1: group.async(on: queue, work)
      default: group.async(on: owned) { _ in try work() }
      }
    }
    let (mayEnd, ran) = (Latch(), Shared(0))
    submit {
      #expect(mayEnd.wait() && !group.isCancelled)
      if fails { group.cancel(throwing: Bad(number: 1)) } else { group.cancel() }
      #expect(group.isCancelled)
      throw Bad(number: 2)
    }
    for _ in 0..<5 { submit { ran.next() } }
    mayEnd.open()
    if fails {
      try await expectEnd(group, Bad(number: 1))
    } else {
      await #expect(throws: CancellationError.self) { try await group.wait() }
    }
    submit { ran.next() }
    #expect(await eventually { group.outstanding == 0 })
    #expect(ran.value == 0)
  }

  @Test("an error that came before a cancel is thrown, also by a group that cancels on errors")
  func errorsFirst() async throws {
    let failed = WorkGroup(label: "failed")
    let membership = failed.enter()
    failed.enter().leave(throwing: Bad(number: 5))
    failed.cancel()
    membership.leave()
    try await expectEnd(failed, Bad(number: 5))
    let strict = WorkGroup(label: "strict", cancelsOnError: true)
    strict.enter().leave()
    #expect(!strict.isCancelled)
    let ran = Shared(0)
    for number in 0..<10 {
      strict.async(on: queue) { if ran.next() == 4 { throw Bad(number: number) } }
    }
    try await expectEnd(strict, Bad(number: 3))
    #expect(ran.value == 4 && strict.isCancelled)
    let other = WorkGroup(label: "strict", cancelsOnError: true)
    other.enter().leave(throwing: Bad(number: 1))
    #expect(other.isCancelled)
  }

  /// Every order of six steps. A waiting task is resumed by what ends its wait, before that
  /// returns, so there is nothing to wait for.
  @Test("every wait ends with the first end of the group after it, and with none before")
  func model() async throws {
    let fault = try await onThread {
      var orders: [[Step]] = [[]]
      for _ in 0..<6 { orders = orders.flatMap { order in Step.allCases.map { order + [$0] } } }
      return orders.lazy.compactMap { steps in Scene().play(steps).map { "\(steps): \($0)" } }.first
    }
    #expect(fault == nil)
  }
}

private enum Step: CaseIterable {
  case enter, leave, wait, cancelFirst
}

private final class Scene {
  private let group = WorkGroup(label: "model")
  private var members: [WorkGroup.OwnedMembership] = []
  private var waiting: [Waiter<WaitResult>] = []

  func play(_ steps: [Step]) -> String? {
    defer {
      for member in members { member.leave() }
    }
    for (number, step) in steps.enumerated() {
      if let fault = take(step, number) { return "\(step): \(fault)" }
      if group.outstanding != members.count { return "outstanding: \(group.outstanding)" }
      if waiting.contains(where: \.hasEnded) { return "\(step): a task was told too early" }
    }
    return nil
  }

  private func take(_ step: Step, _ number: Int) -> String? {
    switch step {
    case .enter: members.append(group.enter().owned())
    case .leave:
      guard let member = members.popLast() else { return nil }
      member.leave()
      guard members.isEmpty else { return nil }
      defer { waiting = [] }
      return waiting.allSatisfy(\.hasEnded) ? nil : "a task was not told"
    case .wait:
      let (group, timeout) = (group, number % 2 == 0 ? Duration.seconds(Int64.max) : nil)
      let waiter = Waiter { try await group.wait(timeout: timeout) }
      if !members.isEmpty { waiting.append(waiter) }
      return members.isEmpty && !waiter.hasEnded ? "it waits for nothing" : nil
    case .cancelFirst:
      guard !waiting.isEmpty else { return nil }
      let first = waiting.removeFirst()
      first.cancel()
      return first.wasCancelled ? nil : "it was not cancelled"
    }
    return nil
  }
}
