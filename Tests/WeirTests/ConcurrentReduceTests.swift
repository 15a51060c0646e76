// concurrentReduce: strides are combined in order, so that the result does not depend on time or
// cores; and the first error is thrown.

import TestSupport
import Testing
import Weir

@Suite(.timeLimit(.minutes(10)))
struct ConcurrentReduceTests {
  /// The length of a stride, as documented.
  private static func length(_ count: Int) -> Int {
    var length = 1
    while (count + length - 1) / length > 1024 { length += 1 }
    return length
  }

  private static let counts = [0, 1, 2, 3, 1023, 1024, 1025, 2047, 2048, 2049, 10_000]

  @Test("the body is called once for each stride, with the documented ranges", arguments: counts)
  func ranges(count: Int) async throws {
    let length = ConcurrentReduceTests.length(count)
    let expected = stride(from: 5, to: count + 5, by: length).map {
      $0..<min(count + 5, $0 + length)
    }
    let calls = Shared(0)
    let body: @Sendable (inout [Range<Int>], Range<Int>) -> Void = {
      calls.change { $0 += 1 }
      $0.append($1)
    }
    let found = try await onThread {
      concurrentReduce(5..<count + 5, into: [], body, combine: { $0 += $1 })
    }
    #expect(found == expected && calls.value == expected.count)
    #expect(
      try await concurrentReduce(5..<count + 5, into: [], body, combine: { $0 += $1 }) == expected)
  }

  @Test("the longest range there is")
  func longest() async throws {
    let sum = try await concurrentReduce(Int.min..<Int.max, into: UInt(0)) {
      $0 += UInt(bitPattern: $1.upperBound &- $1.lowerBound)
    } combine: {
      $0 += $1
    }
    #expect(sum == .max)
  }

  @Test("without elements the result is the identity, and no closure is called")
  func empty() async throws {
    let nothing: [Int] = []
    #expect(try await onThread { nothing.concurrentReduce(42) { _, _ in fatalError() } } == 42)
    #expect(
      try await concurrentReduce(7..<7, into: "none") { _, _ in
        fatalError()
      } combine: { _, _ in
        fatalError()
      } == "none")
  }

  @Test("the first error of the elements comes before one of combining")
  func errors() async throws {
    let first = try await onThread {
      do throws(Fault) {
        return try concurrentReduce(0..<9000, into: 0) { (sum, range) throws(Fault) in
          for number in range {
            if number % 2000 == 1234 { throw Fault(index: number) }
            sum += number
          }
        } combine: { (_, _) throws(Fault) in
          throw Fault(index: -1)
        }
      } catch {
        return error.index
      }
    }
    #expect(first == 1234)
    await #expect(throws: Fault(index: 20)) {
      try await concurrentReduce(0..<100, into: [Counted](), stride: 10) {
        $0 += $1.map(Counted.init)
      } combine: {
        if $0.count == 20 { throw Fault(index: 20) }
        $0 += $1
      }
    }
  }

  @Test("a cancelled reduction is an error")
  func cancellation() async throws {
    let (begun, cancelled) = (Latch(), Latch())
    let task = Task {
      try await concurrentReduce(0..<1_000_000, into: 0) { sum, range in
        if range.contains(0) { begun.open() }
        cancelled.wait()
        sum += range.count
      } combine: { _, _ in
        Issue.record("combined though strides are missing")
      }
    }
    try await onThread {
      begun.wait()
      task.cancel()
      cancelled.open()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
