// Lanes: jobs of threads and tasks, their results, waits and ends; and closures that are freed.
// (Tests/CLibrary has every order of what lanes do.)

import CWeir
import Dispatch
import TestSupport
import Testing
import WeirLibC

@testable import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct LanesTests {
  @Test("a job that is dropped or refused is reported, and the closures of all jobs are freed")
  func freed() async throws {
    let lives = Shared(Crowd())
    let dropped = Shared(0)
    func job() -> @Sendable () -> Void {
      let life = Life(lives)
      return { withExtendedLifetime(life) {} }
    }
    func drop() -> @Sendable () -> Void {
      let job = job()
      return {
        dropped.next()
        job()
      }
    }
    let lanes = Lanes(label: "freed", width: 2, backlog: 100)
    lanes.suspend()
    for _ in 0..<10 {
      lanes.async(job())
      lanes.async(job(), dropped: drop())
      #expect(lanes.tryAsync(job()))
    }
    #expect(lives.value.now == 40 && lanes.cancel() == 30 && lives.value.now == 0)
    lanes.close()
    lanes.async(job())
    lanes.async(job(), dropped: drop())
    #expect(!lanes.tryAsync(job()))
    await #expect(throws: LanesError.closed) { try await lanes.run(job()) }
    #expect(lives.value.now == 0 && dropped.value == 11)
    lanes.resume()
    let inline = Lanes.inline(label: "inline")
    inline.async(job())
    inline.notify(on: DispatchQueue(label: "notified"), job())
    #expect(await eventually { lives.value.now == 0 })
  }

  // MARK: Waits

  @Test("a wait suspends until the lanes are idle or until its time-out, also on one of them")
  func waits() async throws {
    let lanes = Lanes(label: "timed", width: 1)
    #expect(await lanes.wait(timeout: .zero) == .success)
    let hold = Latch()
    lanes.async { hold.wait() }
    #expect(await lanes.wait(timeout: .zero) == .timedOut)
    #expect(await lanes.wait(timeout: .milliseconds(5)) == .timedOut)
    let results = try await onThread {
      let timeouts: [Duration?] = [.seconds(40), .seconds(Int64.max), nil]
      let waiters = timeouts.map { timeout in
        Waiter { await lanes.wait(timeout: timeout) }
      }
      let early = waiters.filter(\.hasEnded).count
      hold.open()
      return (early, waiters.map { $0.value() })
    }
    #expect(results == (0, Array(repeating: .success, count: 3)))
    // A task on the lane is a job until it suspends.
    await withTaskExecutorPreference(lanes) {
      #expect(await lanes.wait(timeout: .zero) == .timedOut)
      #expect(await lanes.wait(timeout: .seconds(40)) == .success)
    }
  }

  @Test("tasks that wait for room are served in order, without those that gave up")
  func line() async throws {
    try await onThread {
      let lanes = Lanes(label: "line", width: 1, backlog: 1)
      let ran = Shared<[Int]>([])
      lanes.suspend()
      let waiters = (0..<10).map { number in
        Waiter { try await lanes.submit { ran.change { $0.append(number) } } }
      }
      #expect(waiters.map(\.hasEnded) == [true] + Array(repeating: false, count: 9))
      for number in [3, 9] { waiters[number].cancel() }
      #expect(waiters.indices.filter { waiters[$0].wasCancelled } == [3, 9])
      lanes.resume()
      for waiter in waiters { _ = waiter.value() }
      lanes.wait()
      #expect(ran.value == [0, 1, 2, 4, 5, 6, 7, 8])
    }
  }

  @Test("a close refuses waiting tasks, and releases their jobs")
  func closed() async throws {
    let lanes = Lanes(label: "closed", width: 1, backlog: 1)
    let lives = Shared(Crowd())
    lanes.suspend()
    let waiters = (0..<2).map { _ in
      let life = Life(lives)
      return Waiter { try await lanes.submit { withExtendedLifetime(life) {} } }
    }
    lanes.close()
    #expect(waiters.map(\.hasEnded) == [true, true])
    #expect(waiters.map { $0.error as? LanesError } == [nil, .closed])
    #expect(lives.value.now == 1)
    await #expect(throws: LanesError.closed) { try await lanes.submit {} }
    lanes.resume()
    await lanes.wait()
    #expect(lanes.statistics.finished == 1)
    let open = Lanes(label: "without a backlog", width: 1)
    try await open.submit {}
    open.close()
    await #expect(throws: LanesError.closed) { try await open.submit {} }
  }

  // MARK: Results

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
    private var closures = 0

    func isJobOnLane(_ lanes: Lanes) async throws -> Bool {
      try await lanes.run { isOnLane(of: "anywhere") }
    }

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

  @MainActor private static func onMain(_ lanes: Lanes) async throws -> (job: Bool, closure: Bool) {
    (
      try await lanes.run { isOnLane(of: "anywhere") },
      await withTaskExecutorPreference(lanes) { isOnLane(of: "anywhere") }
    )
  }

  /// The documentation of Lanes.enqueue and of the guides says so.
  @Test("a job runs on a lane whatever its caller's isolation; an isolated closure does not")
  func isolation() async throws {
    let lanes = Lanes(label: "anywhere", width: 2)
    #expect(try await lanes.run { isOnLane(of: "anywhere") })
    #expect(try await Keeper().isJobOnLane(lanes))
    #expect(try await Self.onMain(lanes) == (true, false))
    let crowd = Shared(Crowd())
    let keeper = Keeper()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { await keeper.enterInClosure(lanes, crowd) } }
    }
    #expect(crowd.value.ever == 20 && crowd.value.most == 1)
    #expect(await Keeper().isFreeClosureOnLane(lanes))
  }

  @Test("a queued job is withdrawn with its task, at once, and released", arguments: [nil, 0, 1])
  func withdrawn(backlog: Int?) async throws {
    try await onThread {
      let lanes = Lanes(label: "queued", width: 1, backlog: backlog)
      let lives = Shared(Crowd())
      lanes.suspend()
      let ran = Shared<[Int]>([])
      let waiters = (0..<4).map { number in
        let life = Life(lives)
        return Waiter {
          try await lanes.run {
            withExtendedLifetime(life) {}
            ran.change { $0.append(number) }
            return number
          }
        }
      }
      #expect(waiters.map(\.hasEnded) == [false, false, false, false])
      waiters[0].cancel()
      waiters[2].cancel()
      #expect(waiters.map(\.wasCancelled) == [true, false, true, false])
      lanes.resume()
      #expect(waiters[1].value() == 1 && waiters[3].value() == 3)
      lanes.wait()
      #expect(ran.value == [1, 3])
      #expect(eventuallyBlocking { lives.value.now == 0 })
    }
  }

  @Test("a job that has begun runs to its end, and its result is returned")
  func begun() async throws {
    let lanes = Lanes(label: "begun", width: 1)
    let (began, mayEnd) = (Latch(), Latch())
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

  @Test(
    "a cancel of the lanes, a close of their gate, and a cancelled task end a run with an error")
  func errors() async throws {
    let lanes = Lanes(label: "docks", width: 1)
    try await onThread {
      lanes.suspend()
      let waiter = Waiter { try await lanes.run { _ = Issue.record("it ran") } }
      #expect(!waiter.hasEnded && lanes.cancel() == 1)
      #expect(waiter.error as? LanesError == .cancelled)
      lanes.resume()
    }
    lanes.close()
    let error = await #expect(throws: LanesError.self) { try await lanes.run {} }
    #expect(error.map { "\($0)" } == "the lanes \"docks\" are closed" && error?.label == "docks")
    #expect("\(LanesError.cancelled)" == "the lanes were cancelled before the job began")
    #expect(LanesError.closed != .cancelled)
    await withTaskGroup(of: Void.self) { group in
      group.cancelAll()
      group.addTask {
        await #expect(throws: CancellationError.self) { try await lanes.run {} }
        await #expect(throws: CancellationError.self) { try await lanes.submit {} }
      }
    }
    let gate = Gate(label: "closed", permits: 1)
    gate.close()
    let within = Lanes(label: "within", width: 1, within: gate)
    await #expect(throws: GateError.closed) { try await within.run { _ = Issue.record("it ran") } }
  }
}
