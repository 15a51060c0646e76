// OwnedQueue: one job at a time with the value, in order; results and errors can leave the queue,
// the value cannot; and the finalizer gets the value once.

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

/// Deliberately not Sendable: the queue makes its use safe.
private final class Ledger {
  var entries: [Int] = []
}

private struct Refused: Error, Equatable {
  let number: Int
}

@Suite(.timeLimit(.minutes(10)))
struct OwnedQueueTests {
  @Test("threads and tasks that add at once lose nothing")
  func exclusion() async throws {
    let queue = OwnedQueue(label: "sum", context: 0)
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { try await onThread { for _ in 0..<500 { queue.sync { $0 += 1 } } } }
        group.addTask { for _ in 0..<500 { await queue.sync { $0 += 1 } } }
        group.addTask { for _ in 0..<500 { queue.async { $0 += 1 } } }
      }
      try await group.waitForAll()
    }
    #expect(await queue.sync { $0 } == 6000)
  }

  @Test("sync returns the job's result and throws its error, in both forms")
  func results() async throws {
    let queue = OwnedQueue(label: "results", context: [1, 2, 3])
    @Sendable func take(_ number: Int, from numbers: inout [Int]) throws(Refused) -> Int {
      guard let index = numbers.firstIndex(of: number) else { throw Refused(number: number) }
      return numbers.remove(at: index)
    }
    let outcomes = try await onThread {
      (0...3).map { number in
        Swift.Result<Int, Refused> { () throws(Refused) in
          try queue.sync { numbers throws(Refused) in try take(number, from: &numbers) }
        }
      }
    }
    #expect(outcomes == [.failure(Refused(number: 0)), .success(1), .success(2), .success(3)])
    do throws(Refused) {
      _ = try await queue.sync { numbers throws(Refused) in try take(3, from: &numbers) }
      Issue.record("it was there still")
    } catch {
      #expect(error.number == 3)
    }
    #expect(await queue.sync { _ in 42 } == 42)
  }

  @Test("the finalizer runs once, after the last job, even long after the last reference")
  func finalizer() async throws {
    for _ in 0..<200 {
      let calls = Shared<[Int]>([])
      let hold = Latch()
      let finalized = Latch()
      do {
        let queue = OwnedQueue(label: "last", context: 0) { value in
          calls.change { $0.append(value) }
          finalized.open()
        }
        queue.async { _ in hold.wait() }
        for _ in 0..<10 { queue.async { $0 += 1 } }
      }
      #expect(calls.value.isEmpty)
      hold.open()
      #expect(try await onThread { finalized.wait() })
      #expect(calls.value == [10])
    }
  }

  @Test("the value is freed without a finalizer too, and so are the jobs")
  func freed() async throws {
    let freed = Latch()
    let jobs = Shared(0)
    do {
      let queue = OwnedQueue(label: "freed", context: Token { freed.open() })
      for _ in 0..<10 {
        let token = Token { jobs.change { $0 += 1 } }
        queue.async { _ in withExtendedLifetime(token) {} }
      }
    }
    #expect(try await onThread { freed.wait() })
    #expect(jobs.value == 10)
  }

  @Test("the last reference may be released in a job of the queue")
  func lastReferenceInJob() async throws {
    let finalized = Latch()
    do {
      let queue = OwnedQueue(label: "self", context: 1) { _ in finalized.open() }
      queue.async { _ in withExtendedLifetime(queue) {} }
    }
    #expect(try await onThread { finalized.wait() })
  }

  @Test("a suspended queue starts no job until it is resumed as often")
  func suspension() async throws {
    let queue = OwnedQueue(label: "suspended", context: 0)
    queue.suspend()
    queue.suspend()
    let begun = Shared(false)
    queue.async { value in
      begun.change { $0 = true }
      value += 1
    }
    queue.resume()
    for _ in 0..<100 { sched_yield() }
    #expect(!begun.value)
    queue.resume()
    #expect(await queue.sync { $0 } == 1)
  }

  @Test("sync of one queue in a job of another is no misuse, three deep")
  func nested() async throws {
    let sum = try await onThread {
      let queues = (0..<3).map { OwnedQueue(label: "nested-\($0)", context: $0 + 1) }
      return queues[0].sync { first in
        let others = queues[1].sync { second in second * queues[2].sync { third in third } }
        return first + others
      }
    }
    #expect(sum == 7)
  }
}
