// concurrentLoop and concurrentForEach: every index runs once, the first error by index is
// thrown, no stride starts after it or after a cancellation, and the cooperative pool stays free.

import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct ConcurrentLoopTests {
  @Test("every index of every small loop runs once", arguments: [-7, 0, 5])
  func smallLoops(start: Int) async throws {
    let wrong = try await onThread {
      var wrong: [String] = []
      for count in 0...24 {
        for stride in [LoopStride.automatic, .fixed(.max)] + (1...25).map(LoopStride.fixed) {
          let strides = Strides()
          concurrentLoop(start..<start + count, stride: stride) { strides.note($0) }
          if !strides.tile(start..<start + count) { wrong.append("\(count) by \(stride)") }
        }
      }
      return wrong
    }
    #expect(wrong == [])
  }

  @Test(
    "the longest range there is",
    arguments: [LoopStride.automatic, .fixed(.max), .fixed(.max / 2 + 1)])
  func longest(stride: LoopStride) async throws {
    let range = Int.min..<Int.max
    let strides = try await onThread {
      let strides = Strides()
      concurrentLoop(range, stride: stride) { strides.note($0) }
      return strides
    }
    #expect(strides.tile(range))
  }

  @Test("the error is the one that a plain loop would throw")
  func firstError() async throws {
    let wrong = try await onThread {
      var random = SeededGenerator(for: "first error")
      var wrong: [String] = []
      for _ in 0..<2000 {
        let count = Int.random(in: 1...300, using: &random)
        let failing = Set((0..<3).map { _ in Int.random(in: 0..<count, using: &random) })
        let stride = randomStride(count, &random)
        let visited = Shared<Set<Int>>([])
        do throws(Fault) {
          try concurrentLoop(0..<count, stride: stride) { (range) throws(Fault) in
            for index in range {
              visited.change { _ = $0.insert(index) }
              if index % 5 == 0 { sched_yield() }
              if failing.contains(index) { throw Fault(index: index) }
            }
          }
          wrong.append("no error")
        } catch {
          let first = failing.min() ?? count
          let before = visited.value.filter { $0 <= first }.count
          if error.index != first || before != first + 1 {
            wrong.append("\(error.index) for \(failing.sorted()) of \(count) by \(stride)")
          }
        }
      }
      return wrong
    }
    #expect(wrong == [])
  }

  @Test("concurrentForEach visits every element once, and the elements of a stride in order")
  func forEach() async throws {
    let visited = try await onThread {
      let visited = Shared<[Int]>([])
      (100..<1100).reversed().concurrentForEach(stride: 10) { number in
        visited.change { $0.append(number) }
      }
      return visited.value
    }
    #expect(visited.sorted() == Array(100..<1100))
    let place = Dictionary(uniqueKeysWithValues: visited.enumerated().map { ($1, $0) })
    let inOrder = (100..<1099).allSatisfy { low in
      low % 10 == 9 || (place[low] ?? 0) > (place[low + 1] ?? 0)
    }
    #expect(inOrder)
  }

  // MARK: - the async forms

  @Test("the async forms give the same results")
  func asyncForms() async throws {
    let strides = Strides()
    try await concurrentLoop(3..<5000) { strides.note($0) }
    #expect(strides.tile(3..<5000))
    let visited = Shared(0)
    try await (0..<1000).concurrentForEach { number in visited.change { $0 += number } }
    #expect(visited.value == 499_500)
    await #expect(throws: Fault(index: 40)) {
      try await concurrentLoop(0..<100, stride: 8) { range in
        if range.lowerBound >= 40 { throw Fault(index: range.lowerBound) }
      }
    }
    try await concurrentLoop(5..<5) { _ in Issue.record("called for nothing") }
  }

  @Test("after a cancellation no stride starts", arguments: [1, 10])
  func cancellation(stride: Int) async throws {
    let started = Shared(0)
    let begun = Latch()
    let cancelled = Latch()
    let task = Task {
      try await concurrentLoop(0..<10_000, stride: .fixed(stride)) { _ in
        let isFirst = started.next() == 1
        if isFirst { begun.open() }
        cancelled.wait()
      }
    }
    try await onThread {
      begun.wait()
      task.cancel()
      cancelled.open()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    // One on each thread of the loop, and these had started before.
    #expect(started.value <= sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  @Test("in a cancelled task the body is not called")
  func cancelledBefore() async throws {
    for count in [0, 1, 100] {
      let hold = Latch()
      let task = Task {
        try await onThread { _ = hold.wait() }
        try await concurrentLoop(0..<count) { _ in Issue.record("called") }
      }
      task.cancel()
      hold.open()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}
