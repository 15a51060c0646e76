// OwnedQueue: one job at a time with the value; results and errors can leave the queue, the value
// cannot; and the finalizer gets the value once, after the last job. (Tests/CLibrary has queues.)

import TestSupport
import Testing
import Weir
import WeirLibC

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

  @Test("sync returns the job's result and throws its error, in both forms and three deep")
  func results() async throws {
    let queue = OwnedQueue(label: "results", context: [1, 2, 3])
    @Sendable func take(_ number: Int, from numbers: inout [Int]) throws(Bad) -> Int {
      guard let index = numbers.firstIndex(of: number) else { throw Bad(number: number) }
      return numbers.remove(at: index)
    }
    let outcomes = try await onThread {
      (0...3).map { number in
        Swift.Result<Int, Bad> { () throws(Bad) in
          try queue.sync { numbers throws(Bad) in try take(number, from: &numbers) }
        }
      }
    }
    #expect(outcomes == [.failure(Bad(number: 0)), .success(1), .success(2), .success(3)])
    do throws(Bad) {
      _ = try await queue.sync { numbers throws(Bad) in try take(3, from: &numbers) }
      Issue.record("it was there still")
    } catch {
      #expect(error.number == 3)
    }
    let sum = try await onThread {
      let queues = (0..<3).map { OwnedQueue(label: "nested-\($0)", context: $0 + 1) }
      return queues[0].sync { first in
        first + queues[1].sync { second in second * queues[2].sync { third in third } }
      }
    }
    #expect(sum == 7)
  }

  /// The last reference is released before the jobs run, or in the last one.
  @Test("the finalizer and the end of the value come once, after the last job", arguments: [0, 1])
  func finalizer(releasesInJob: Int) async throws {
    for _ in 0..<100 {
      let calls = Shared<[Int]>([])
      let (lives, hold, finalized) = (Shared(Crowd()), Latch(), Latch())
      do {
        let queue = OwnedQueue(label: "last", context: (0, Life(lives))) { value in
          calls.change { $0.append(value.0) }
          finalized.open()
        }
        queue.async { _ in hold.wait() }
        for _ in 0..<10 {
          let life = Life(lives)
          queue.async { value in withExtendedLifetime(life) { value.0 += 1 } }
        }
        if releasesInJob == 1 { queue.async { _ in withExtendedLifetime(queue) {} } }
      }
      #expect(calls.value.isEmpty && lives.value.now == 11)
      hold.open()
      #expect(try await onThread { finalized.wait() })
      #expect(calls.value == [10])
      do { _ = OwnedQueue(label: "without a finalizer", context: Life(lives)) }
      #expect(await eventually { lives.value.now == 0 })
    }
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
}
