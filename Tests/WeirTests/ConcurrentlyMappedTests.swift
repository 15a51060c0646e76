// concurrentlyMapped of sequences, and with an error type of its own.

import TestSupport
import Testing
import Weir

private struct Bad: Error, Equatable {
  let number: Int
}

@Suite(.timeLimit(.minutes(2)))
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

  @Test("a sequence is read as its results are taken", arguments: [1, 3])
  func backPressure(limit: Int) async throws {
    let read = Shared(0)
    let numbers = Counted(read: read)
    let mapped = numbers.concurrentlyMapped(limit: limit) { $0 }
    var iterator = mapped.makeAsyncIterator()
    #expect(read.value == 0)
    for taken in 0..<20 {
      #expect(await iterator.next() == taken)
      #expect(read.value <= taken + 1 + limit)
    }
  }

  /// An endless sequence that counts its elements.
  private struct Counted: Sequence, Sendable {
    let read: Shared<Int>

    func makeIterator() -> AnyIterator<Int> {
      var next = 0
      return AnyIterator {
        read.change { $0 += 1 }
        defer { next += 1 }
        return next
      }
    }
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

  @Test("with any error, a cancelled task gets a CancellationError")
  func cancelledWithErrors() async throws {
    let began = Shared(0)
    let task = Task {
      for try await _ in (0..<20).concurrentlyMapped(
        limit: 2,
        { _ in
          began.change { $0 += 1 }
          await untilCancelled()
          try Task.checkCancellation()
        })
      {}
    }
    #expect(await eventually { began.value == 2 })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("leaving the loop cancels the transforms and releases the sequence")
  func leaving() async throws {
    let crowd = Shared(Crowd())
    let lives = (0..<10).map { _ in Life(crowd) }
    let ended = Shared(0)
    func first() async -> Bool {
      for await _ in lives.concurrentlyMapped(
        limit: 3, order: .completion,
        { life in
          if life === lives[0] { return }
          await untilCancelled()
          ended.change { $0 += 1 }
        })
      {
        return true
      }
      return false
    }
    #expect(await first())
    #expect(await eventually { ended.value >= 2 })
  }
}
