// Tasks that submit to lanes with a backlog: they wait for room in order, and each job runs, or
// its task gets an error, once.

import CWeir
import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct LanesSubmitTests {
  @Test("waiting for room leaves the cooperative pool to others")
  func suspends() async {
    await #expect(processExitsWith: .success) {
      alarm(40)
      let lanes = Lanes(label: "suspended", width: 1, backlog: 1)
      lanes.suspend()
      try await withThrowingTaskGroup { tasks in
        for _ in 0..<(sysconf(Int32(_SC_NPROCESSORS_ONLN)) * 4) {
          tasks.addTask { try await lanes.submit {} }
        }
        for _ in 0..<100 { await Task.yield() }
        tasks.addTask { lanes.resume() }
        try await tasks.waitForAll()
      }
    }
  }

  @Test("waiting tasks are served in order, without those that gave up")
  func line() async throws {
    let ran = try await onThread {
      let lanes = Lanes(label: "line", width: 1, backlog: 1)
      let ran = Shared<[Int]>([])
      lanes.suspend()
      let waiters = (0..<10).map { number in
        Waiter { try await lanes.submit { ran.change { $0.append(number) } } }
      }
      let ended = waiters.map(\.hasEnded)
      waiters[3].cancel()
      waiters[9].cancel()
      let cancelled = waiters.map(\.wasCancelled)
      lanes.resume()
      for waiter in waiters { _ = waiter.value() }
      lanes.wait()
      return (ended, cancelled, ran.value)
    }
    #expect(ran.0 == [true] + Array(repeating: false, count: 9))
    #expect(ran.1.indices.filter { ran.1[$0] } == [3, 9])
    #expect(ran.2 == [0, 1, 2, 4, 5, 6, 7, 8])
  }

  @Test("threads and tasks that wait are served in order", arguments: [1, 8, 64])
  func oneQueue(backlog: Int) async throws {
    let ran = try await onThread {
      let lanes = Lanes(label: "one queue", width: 1, backlog: backlog)
      let ran = Shared<[Int]>([])
      lanes.suspend()
      for _ in 0..<backlog { lanes.async {} }
      let threads = (0..<100).map { _ in Latch() }
      var tasks: [Waiter<Void>] = []
      for number in 0..<200 {
        if number % 2 == 0 {
          startThread {
            lanes.async { ran.change { $0.append(number) } }
            threads[number / 2].open()
          }
        } else {
          tasks.append(Waiter { try await lanes.submit { ran.change { $0.append(number) } } })
        }
        while lanes.statistics.c.blocked <= number { sched_yield() }
      }
      lanes.resume()
      for latch in threads { latch.wait() }
      for task in tasks { _ = task.value() }
      lanes.wait()
      return ran.value
    }
    #expect(difference(ran, 0..<200) == nil)
  }

  @Test("a close refuses waiting tasks, and releases their jobs")
  func closed() async throws {
    let lanes = Lanes(label: "closed", width: 1, backlog: 1)
    lanes.suspend()
    let held = [Canary(), Canary()]
    let freed = held.map(\.freed)
    let waiters = held.map { canary in
      Waiter { try await lanes.submit { withExtendedLifetime(canary) {} } }
    }
    lanes.close()
    #expect(waiters.map(\.hasEnded) == [true, true])
    #expect(waiters.map { $0.error as? LanesError } == [nil, .closed])
    #expect(freed.map(\.value) == [false, false])
    await #expect(throws: LanesError.closed) { try await lanes.submit {} }
    lanes.resume()
    await lanes.wait()
    #expect(lanes.statistics.finished == 1)

    let open = Lanes(label: "without a backlog", width: 1)
    try await open.submit {}
    open.close()
    await #expect(throws: LanesError.closed) { try await open.submit {} }
  }

  @Test("each job runs, or its task gets an error, once, whenever it is cancelled")
  func storm() async throws {
    for round in 0..<20 {
      let lanes = Lanes(label: "storm", width: 3, backlog: 4)
      let ran = Shared([Int](repeating: 0, count: 200))
      let tasks = (0..<200).map { number in
        Task { try await lanes.submit { ran.change { $0[number] += 1 } } }
      }
      startThread { for _ in 0..<200 { lanes.async {} } }
      for number in stride(from: round % 3, to: 200, by: 3) { tasks[number].cancel() }
      if round % 2 == 0 { lanes.close() }
      var submitted: [Int] = []
      for task in tasks {
        if case .success = await task.result { submitted.append(1) } else { submitted.append(0) }
      }
      await lanes.wait()
      #expect(difference(ran.value, submitted) == nil)
    }
  }
}

/// An object that reports its destruction.
final class Canary: Sendable {
  let freed = Shared(false)

  deinit {
    freed.change { $0 = true }
  }
}
