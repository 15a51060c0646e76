// The signatures that outside programs are compiled against. This file must continue to
// compile, with every argument of the type given here. It prints each failed expectation.

import Dispatch
import Weir

@main
struct Contracts {
  static func main() async throws {
    try loopContracts()
    try queueContracts()
    try gateContracts()
    lanesContracts()
    try await asyncContracts()
    print("Weir \(WeirVersion.description)")
    print("done")
  }
}

func expect(_ holds: Bool, _ what: String, line: Int = #line) {
  if !holds { print("line \(line) does not hold: \(what)") }
}

struct Odd: Error {
  let number: Int
}

func loopContracts() throws(Odd) {
  let whole: @Sendable (Range<Int>) -> Void = { _ in }
  let part: @Sendable (Range<Int>) throws(Odd) -> Void = { _ in }
  let square: @Sendable (Int) -> Int = { $0 * $0 }
  let even: @Sendable (Int) throws(Odd) -> Int = { number throws(Odd) in
    if number % 2 == 0 { return number }
    throw Odd(number: number)
  }

  // A call with a body that does not throw needs no `try`; otherwise the error type is that of
  // the body.
  concurrentLoop(0..<100, whole)
  concurrentLoop(0..<100, stride: .automatic, whole)
  concurrentLoop(0..<100, stride: .fixed(8)) { range in _ = range.count }
  try concurrentLoop(0..<100, stride: 8, part)
  let squares: [Int] = (0..<4).concurrentMap { $0 * $0 }
  expect(squares == [0, 1, 4, 9], "squares in order")
  let more: [Int] = [1, 2].concurrentMap(stride: .automatic, square)
  expect(more == [1, 4], "squares of an array")
  do throws(Odd) {
    _ = try (2..<100).concurrentMap(stride: .fixed(1), even)
    expect(false, "an odd number is refused")
  } catch {
    expect(error.number == 3, "the first error by index")
  }
}

final class Chart {
  var points: [Int] = []
}

func queueContracts() throws(Odd) {
  let counter: OwnedQueue<Int> = OwnedQueue(label: "counter", context: 40)
  let told: OwnedQueue<[Int]> = OwnedQueue(
    label: "told", context: [], finalizer: { (last: [Int]) in expect(last == [1], "the last") })
  let add: @Sendable (inout Int) -> Void = { $0 += 2 }
  counter.async(add)
  counter.async { number in number += 0 }
  told.async { $0.append(1) }
  let number: Int = counter.sync { number in number }
  expect(number == 42, "jobs run in order")
  let same: Int = try counter.sync { number throws(Odd) in
    if number % 2 != 0 { throw Odd(number: number) }
    return number
  }
  expect(same == 42, "a job may throw")
  // A class instance with no other reference.
  let charts = OwnedQueue(label: "charts", context: Chart())
  charts.async { $0.points.append(7) }
  expect(charts.sync { $0.points.count } == 1, "a class as a context")
}

func gateContracts() throws {
  let gate: Gate = Gate(label: "downloads", permits: 2)
  let answer: Int = gate.withPermit { 42 }
  expect(answer == 42, "withPermit returns what its body does")
  let permit: Permit = try gate.acquire()
  let woken: Int = permit.release()
  expect(woken == 0, "nobody waited")
  try gate.acquire(2).release()
  let third: String = try gate.withPermits(1, timeout: .seconds(1)) { "third" }
  expect(third == "third", "withPermits returns what its body does")

  let errors: [GateError] = [.closed, .tooMany]
  expect(Set(errors).count == 2, "two errors")
  let kept = try gate.acquire(2)
  do {
    let permit = try gate.acquire(1, timeout: .zero)
    permit.release()
    expect(false, "there is no third permit")
  } catch GateError.closed {
    expect(false, "the gate is open")
  } catch let error as TimeoutError {
    expect(error.label == "downloads" && error.duration == .zero, "timed out, at this gate")
  }
  do {
    if let permit = try gate.tryAcquire() { permit.release() }
  } catch GateError.closed {
    expect(false, "the gate is open")
  }
  kept.release()
}

func lanesContracts() {
  let lanes: Lanes = Lanes(label: "lanes", width: 2)
  let job: @Sendable () -> Void = {}
  lanes.async(job)
  lanes.async { _ = 1 + 1 }
  let result: WaitResult = lanes.wait(timeout: .seconds(60))
  expect(result == .success, "the jobs are done")
}

/// Each async form, with a body that does not suspend: it is not the blocking one.
func asyncContracts() async throws {
  let gate = Gate(label: "async", permits: 2)
  let answer: Int = try await gate.withPermit { 42 }
  expect(answer == 42, "withPermit")
  let permit: Permit = try await gate.acquire()
  permit.release()
  let square: @Sendable (Int) async throws -> Int = { $0 * $0 }
  let inOrder: [Int] = try await [1, 2, 3].mapConcurrently(limit: 2, square)
  expect(inOrder == [1, 4, 9], "in order")
  let asDone: [Int] = try await (1...3).mapConcurrently(limit: 2, order: .completion) { $0 * $0 }
  expect(asDone.sorted() == [1, 4, 9], "as they are done")
  let numbers = AsyncStream { stream in
    for number in 1...3 { stream.yield(number) }
    stream.finish()
  }
  let streamed: [Int] = try await numbers.mapConcurrently(limit: 2, order: .input, square)
  expect(streamed == [1, 4, 9], "of an asynchronous sequence")
  let lanes = Lanes(label: "executor", width: 2)
  let preferred: Int = await withTaskExecutorPreference(lanes) { 42 }
  expect(preferred == 42, "on lanes")
}
