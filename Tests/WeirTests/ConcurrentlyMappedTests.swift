// concurrentlyMapped of sequences, and with an error type of its own.

import TestSupport
import Testing
import Weir

private struct Bad: Error, Equatable {
  let number: Int
}

@Suite(.timeLimit(.minutes(10)))
struct ConcurrentlyMappedTests {
  @Test("a transform that cannot throw needs no try", arguments: [1, 4, 100])
  func withoutTry(limit: Int) async throws {
    var seen: [Int] = []
    for await square in (0..<50).concurrentlyMapped(limit: limit, { $0 * $0 }) {
      seen.append(square)
    }
    #expect(seen == (0..<50).map { $0 * $0 })
    var ofStream: Set<Int> = []
    for try await number in stream(0..<50).concurrentlyMapped(
      limit: limit, order: .completion, { $0 })
    {
      ofStream.insert(number)
    }
    #expect(ofStream == Set(0..<50))
  }

  @Test("the error of the transform keeps its type")
  func typedErrors() async {
    var seen: [Int] = []
    let mapped = (0..<9).concurrentlyMapped(limit: 2) { (number) async throws(Bad) -> Int in
      if number == 5 { throw Bad(number: number) }
      return number
    }
    do throws(Bad) {
      for try await number in mapped { seen.append(number) }
      Issue.record("it ended")
    } catch {
      #expect(error.number == 5)
    }
    #expect(seen.count <= 5 && seen == Array(0..<seen.count))
  }

  /// A shorter sequence would look complete, and there is no error to throw.
  @Test("without an error to throw, a cancelled task gets every result")
  func cancelledWithoutErrors() async throws {
    let told = Shared(0)
    let began = Shared(0)
    let task = Task {
      var seen: [Int] = []
      let mapped = (0..<20).concurrentlyMapped(limit: 2) { number in
        began.change { $0 += 1 }
        await untilCancelled()
        told.change { $0 += 1 }
        return number
      }
      for await number in mapped { seen.append(number) }
      return seen
    }
    #expect(await eventually { began.value == 2 })
    task.cancel()
    #expect(await task.value == Array(0..<20))
    #expect(told.value == 20)
  }
}
