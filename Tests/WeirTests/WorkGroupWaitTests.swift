// Tasks that wait for a group: each wait ends with the first end of the group after it.

import Dispatch
import TestSupport
import Testing
import Weir

private struct Failure: Error {}

@Suite(.timeLimit(.minutes(10)))
struct WorkGroupWaitTests {
  @Test("a timed wait suspends until the group ends or until its time-out")
  func timed() async throws {
    let group = WorkGroup(label: "timed")
    #expect(try await group.wait(timeout: .zero) == .success)
    let membership = group.enter()
    #expect(try await group.wait(timeout: .zero) == .timedOut)
    #expect(try await group.wait(timeout: .milliseconds(5)) == .timedOut)
    let waiters = try await onThread {
      [
        Waiter { try await group.wait(timeout: .seconds(40)) },
        Waiter { try await group.wait(timeout: .seconds(Int64.max)) },
        Waiter { try await group.wait() },
      ]
    }
    #expect(waiters.map(\.hasEnded) == [false, false, false])
    membership.leave()
    let ends = try await onThread { waiters.map { $0.value() } }
    #expect(ends == Array(repeating: .success, count: 3))
  }

  @Test("a timed wait throws the group's error, and no error if it times out")
  func timedError() async throws {
    let group = WorkGroup(label: "failing")
    let membership = group.enter()
    group.enter().leave(throwing: Failure())
    #expect(try await group.wait(timeout: .milliseconds(1)) == .timedOut)
    membership.leave()
    await #expect(throws: Failure.self) { try await group.wait(timeout: .seconds(40)) }
  }

  @Test("cancelling the task ends a timed wait at once")
  func timedCancelled() async throws {
    let group = WorkGroup(label: "cancelled")
    let membership = group.enter()
    let waiter = Waiter { try await group.wait(timeout: .seconds(1000)) }
    #expect(!waiter.hasEnded)
    waiter.cancel()
    #expect(waiter.wasCancelled && group.outstanding == 1)
    membership.leave()
  }

  // Every order of six steps. A waiting task is resumed by who leaves or cancels,
  // before that returns, so there is nothing to wait for.
  @Test("every wait ends with the first end of the group after it, and with none before")
  func model() async throws {
    let fault = try await onThread {
      orders(of: Step.allCases, length: 6).lazy.compactMap { steps in
        Scene().play(steps).map { "\(steps): \($0)" }
      }.first
    }
    #expect(fault == nil)
  }
}

private enum Step: CaseIterable {
  case enter, leave, wait, cancelFirst
}

/// A group and the expected reports.
private final class Scene {
  private let group = WorkGroup(label: "model")
  private var members: [WorkGroup.OwnedMembership] = []
  private var waiting: [Waiter<WaitResult>] = []

  /// The failure, if any.
  func play(_ steps: [Step]) -> String? {
    defer {
      for member in members { member.leave() }
    }
    for step in steps {
      if let fault = take(step) { return "\(step): \(fault)" }
      if group.outstanding != members.count { return "outstanding: \(group.outstanding)" }
      if waiting.contains(where: \.hasEnded) { return "\(step): a task was told too early" }
    }
    return nil
  }

  private func take(_ step: Step) -> String? {
    switch step {
    case .enter:
      members.append(group.enter().owned())
    case .leave:
      guard let member = members.popLast() else { return nil }
      member.leave()
      guard members.isEmpty else { return nil }
      defer { waiting = [] }
      return waiting.allSatisfy(\.hasEnded) ? nil : "a task was not told"
    case .wait:
      let group = group
      let waiter = Waiter { try await group.wait() }
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

private func orders<T>(of steps: [T], length: Int) -> [[T]] {
  (0..<length).reduce([[]]) { orders, _ in
    orders.flatMap { order in steps.map { order + [$0] } }
  }
}
