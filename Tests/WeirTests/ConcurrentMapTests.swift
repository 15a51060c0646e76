// concurrentMap: the same result or error as map, and no leaks after an error.

import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct ConcurrentMapTests {
  @Test("the results are those of map, in its order")
  func order() async throws {
    let wrong = try await onThread {
      var random = SeededGenerator(for: "map")
      var wrong: [String] = []
      for count in Array(0...20) + (0..<100).map({ _ in Int.random(in: 0...5000, using: &random) })
      {
        let stride = randomStride(count, &random)
        let numbers = (0..<count).map { _ in Int.random(in: 0...999, using: &random) }
        if numbers.concurrentMap(stride: stride, { "\($0)" }) != numbers.map({ "\($0)" }) {
          wrong.append("\(count) by \(stride)")
        }
      }
      return wrong
    }
    #expect(wrong == [])
  }

  @Test("the error is that of map, and the results so far are released")
  func errors() async throws {
    let wrong = try await onThread {
      var random = SeededGenerator(for: "map errors")
      var wrong: [String] = []
      for _ in 0..<1500 {
        let count = Int.random(in: 1...400, using: &random)
        let failing = Set((0..<2).map { _ in Int.random(in: 0..<count, using: &random) })
        let stride = randomStride(count, &random)
        let numbers = Array(0..<count)
        let fromStorage = Bool.random(using: &random)
        let transform: @Sendable (Int) throws(Fault) -> Counted = { (number) throws(Fault) in
          if number % 7 == 0 { sched_yield() }
          if failing.contains(number) { throw Fault(index: number) }
          return Counted(number)
        }
        do throws(Fault) {
          _ =
            fromStorage
            ? try numbers.concurrentMap(stride: stride, transform)
            : try (0..<count).concurrentMap(stride: stride, transform)
          wrong.append("no error")
        } catch {
          if error.index != failing.min() || Counted.alive.value != 0 {
            wrong.append("\(error), \(Counted.alive.value) alive, \(count) by \(stride)")
          }
        }
      }
      return wrong
    }
    #expect(wrong == [])
    #expect(Counted.alive.value == 0)
  }

  @Test("the async form gives the same results, with bodies that do and do not throw")
  func asyncForm() async throws {
    let numbers = Array(0..<10_000)
    #expect(try await numbers.concurrentMap { $0 * 2 } == numbers.map { $0 * 2 })
    await #expect(throws: Fault(index: 4321)) {
      try await numbers.concurrentMap { (number) throws(Fault) -> Counted in
        if number >= 4321 { throw Fault(index: number) }
        return Counted(number)
      }
    }
    #expect(Counted.alive.value == 0)
    let empty: [Int] = []
    #expect(try await empty.concurrentMap { $0 * 2 } == [])
  }

  @Test("a cancelled map is an error, never a short array, and leaves nothing behind")
  func cancellation() async throws {
    var random = SeededGenerator(for: "map cancelled")
    for _ in 0..<300 {
      let moment = Int.random(in: 0..<2000, using: &random)
      let stride = randomStride(64, &random)
      let reached = Latch()
      let task = Task {
        try await (0..<2000).concurrentMap(stride: stride) { number in
          if number == moment { reached.open() }
          if number % 16 == 0 { sched_yield() }
          return Counted(number)
        }
      }
      try await onThread {
        reached.wait()
        task.cancel()
      }
      do {
        let results = try await task.value
        #expect(results.count == 2000)
      } catch {
        #expect(error is CancellationError)
      }
    }
    #expect(Counted.alive.value == 0)
  }
}
