// Lanes.run: the result of a blocking job, on a lane from anywhere; withdrawn with its task.

import CWeir
import TestSupport
import Testing
import WeirLibC

@testable import Weir

@Suite(.timeLimit(.minutes(10)))
struct LanesRunTests {
  struct Bad: Error, Equatable {
    let number: Int
  }

  @Test("the job's result is returned, and its error is thrown", arguments: [nil, 0, 1, 100])
  func results(backlog: Int?) async throws {
    let lanes = Lanes(label: "results", width: 4, backlog: backlog)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          if number % 3 == 0 {
            await #expect(throws: Bad(number: number)) {
              try await lanes.run { throw Bad(number: number) }
            }
          } else {
            let square = try await lanes.run { number * number }
            #expect(square == number * number)
          }
        }
      }
      try await group.waitForAll()
    }
    await lanes.wait()
    #expect(lanes.statistics.peak <= 4 && lanes.statistics.queued == 0)
  }

  actor Keeper {
    func isJobOnLane(_ lanes: Lanes) async throws -> Bool {
      try await lanes.run { isOnLane(of: "anywhere") }
    }
    private var closures = 0

    func enterInClosure(_ lanes: Lanes, _ crowd: Shared<Crowd>) async {
      await withTaskExecutorPreference(lanes) {
        closures += 1  // a closure that uses the actor is isolated to it
        crowd.change { $0.enter() }
        for _ in 0..<100 { sched_yield() }
        crowd.change { $0.leave() }
      }
    }
    nonisolated func isFreeClosureOnLane(_ lanes: Lanes) async -> Bool {
      await withTaskExecutorPreference(lanes) { isOnLane(of: "anywhere") }
    }
  }

  @MainActor private static func isMainJobOnLane(_ lanes: Lanes) async throws -> Bool {
    try await lanes.run { isOnLane(of: "anywhere") }
  }

  @MainActor private static func isMainClosureOnLane(_ lanes: Lanes) async -> Bool {
    await withTaskExecutorPreference(lanes) { isOnLane(of: "anywhere") }
  }

  @Test("a job runs on a lane whatever its caller's isolation; an isolated closure does not")
  func isolation() async throws {
    let lanes = Lanes(label: "anywhere", width: 2)
    #expect(try await lanes.run { isOnLane(of: "anywhere") })
    #expect(try await Keeper().isJobOnLane(lanes))
    #expect(try await Self.isMainJobOnLane(lanes))
    // The documentation of Lanes.enqueue and of the guides says so.
    let crowd = Shared(Crowd())
    let keeper = Keeper()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { await keeper.enterInClosure(lanes, crowd) } }
    }
    #expect(crowd.value.ever == 20 && crowd.value.most == 1)
    #expect(await !Self.isMainClosureOnLane(lanes))
    #expect(await Keeper().isFreeClosureOnLane(lanes))
  }

  @Test("closed lanes refuse a job, and release it")
  func closed() async {
    let lanes = Lanes(label: "closed", width: 1)
    lanes.close()
    var canary: Canary? = Canary()
    let freed = canary?.freed
    await #expect(throws: LanesError.closed) {
      try await lanes.run { [canary] in withExtendedLifetime(canary) { Issue.record("it ran") } }
    }
    canary = nil
    #expect(freed?.value == true)
  }

  @Test("a queued job is withdrawn with its task, at once, and released", arguments: [nil, 0, 1])
  func withdrawn(backlog: Int?) async throws {
    try await onThread {
      let lanes = Lanes(label: "queued", width: 1, backlog: backlog)
      lanes.suspend()
      let ran = Shared<[Int]>([])
      var canaries = (0..<4).map { _ in Canary() }
      let freed = canaries.map(\.freed)
      let waiters = canaries.enumerated().map { number, canary in
        Waiter {
          try await lanes.run {
            withExtendedLifetime(canary) {}
            ran.change { $0.append(number) }
            return number
          }
        }
      }
      canaries = []
      #expect(waiters.map(\.hasEnded) == [false, false, false, false])
      waiters[0].cancel()
      waiters[2].cancel()
      #expect(waiters.map(\.wasCancelled) == [true, false, true, false])
      lanes.resume()
      #expect(waiters[1].value() == 1 && waiters[3].value() == 3)
      lanes.wait()
      #expect(ran.value == [1, 3])
      #expect(eventuallyBlocking { freed.allSatisfy { $0.value } })
    }
  }

  @Test("a job that has begun runs to its end, and its result is returned")
  func begun() async throws {
    let lanes = Lanes(label: "begun", width: 1)
    let began = Latch()
    let mayEnd = Latch()
    let task = Task {
      try await lanes.run {
        began.open()
        return mayEnd.wait()
      }
    }
    try await onThread { _ = began.wait() }
    task.cancel()
    mayEnd.open()
    #expect(try await task.value)
  }

  @Test("busy lanes without a backlog refuse, and free ones accept")
  func refuses() async throws {
    try await onThread {
      let lanes = Lanes(label: "busy", width: 2, backlog: 0)
      let hold = Latch()
      let accepted = (0..<4).map { _ in lanes.tryAsync { _ = hold.wait() } }
      #expect(accepted == [true, true, false, false])
      hold.open()
      lanes.wait()
      #expect(lanes.tryAsync {})
      lanes.wait()
      #expect(lanes.statistics.c.queued_peak <= 2 && lanes.statistics.c.submitted == 3)
    }
  }

  @Test("cancelling the lanes, or closing their gate, ends the wait")
  func dropped() async throws {
    try await onThread {
      let lanes = Lanes(label: "cancelled", width: 1)
      lanes.suspend()
      let waiter = Waiter { try await lanes.run { _ = Issue.record("it ran") } }
      #expect(!waiter.hasEnded)
      #expect(lanes.cancel() == 1)
      #expect(waiter.error as? LanesError == .cancelled)
      lanes.resume()
    }
    let gate = Gate(label: "closed", permits: 1)
    gate.close()
    let lanes = Lanes(label: "within", width: 1, within: gate)
    await #expect(throws: GateError.closed) {
      try await lanes.run { _ = Issue.record("it ran") }
    }
  }

  @Test("an error names its lanes; a cancelled task gets a CancellationError, also of closed lanes")
  func errors() async {
    let lanes = Lanes(label: "docks", width: 1)
    lanes.close()
    do {
      try await lanes.run {}
      Issue.record("it ran")
    } catch LanesError.cancelled {
      Issue.record("another reason")
    } catch {
      #expect((error as? LanesError)?.label == "docks")
      #expect("\(error)" == "the lanes \"docks\" are closed")
    }
    await withTaskGroup(of: Void.self) { group in
      group.cancelAll()
      group.addTask {
        await #expect(throws: CancellationError.self) { try await lanes.run {} }
        await #expect(throws: CancellationError.self) { try await lanes.submit {} }
      }
    }
    #expect("\(LanesError.cancelled)" == "the lanes were cancelled before the job began")
    #expect(LanesError.closed != .cancelled)
  }
}
