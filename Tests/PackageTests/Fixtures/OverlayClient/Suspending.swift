// Every async form, with bodies that do not suspend.

import Dispatch
import SystemPackage
import Weir

func suspendingLoops() async throws {
  let numbers = Array(1...100)
  let total = Total()
  try await concurrentLoop(0..<100) { range in total.add(range.count) }
  try await numbers.concurrentForEach { total.add($0) }
  expect(total.value == 5150, "each iteration once")
  let squares = try await numbers.concurrentMap { $0 * $0 }
  expect(squares.count == 100 && squares[9] == 100, "in order")
  let sum = try await numbers.concurrentReduce(0) { $0 + $1 }
  let same = try await numbers.concurrentReduce(
    into: 0, { (part: inout Int, number: Int) in part += number },
    combine: { (whole: inout Int, part: Int) in whole += part })
  expect(sum == 5050 && same == 5050, "a sum")
}

func suspendingGates() async throws {
  let gate = Gate(label: "suspending", permits: 3)
  let answer = try await gate.withPermits(3) { 42 }
  let same = try await gate.withPermits(1, timeout: .now() + 5) { 42 }
  let again = try await gate.withPermits(2, wallTimeout: .now() + 5) { 42 }
  expect(answer == 42 && same == 42 && again == 42, "withPermits")
  let permit = try await gate.acquire(3, timeout: .distantFuture)
  do {
    _ = try await gate.acquire(wallTimeout: .now())
    expect(false, "none is free")
  } catch let error as GateError {
    expect(error == .timedOut, "\(error)")
  }
  permit.release()
}

func suspendingLanesAndGroups() async throws {
  let lanes = Lanes(label: "suspending", width: 2, within: Gate(label: "bound", permits: 1))
  let total = Total()
  lanes.async { total.add(1) }
  await lanes.wait()
  try await lanes.submit { total.add(1) }
  expect(await lanes.wait(timeout: .now() + 60) == .success, "idle soon")
  expect(await lanes.wait(wallTimeout: .distantFuture) == .success, "idle in the end")
  let result: WaitResult = await lanes.wait(timeout: .seconds(60))
  expect(result == .success, "idle still")
  let answer = try await lanes.run { 42 }
  expect(answer == 42, "run")
  let group = WorkGroup(label: "suspending")
  group.async(on: lanes) { total.add(1) }
  try await group.finished()
  try await group.wait()
  expect(try await group.wait(timeout: .now()) == .success, "nothing is left in it")
  expect(try await group.wait(wallTimeout: .now()) == .success, "nothing is left in it")
  expect(total.value == 3, "all have run")
  let queue = OwnedQueue(label: "suspending", context: 41)
  let number = await queue.sync { number in
    number += 1
    return number
  }
  expect(number == 42, "sync")
}

func suspendingTraces() async throws {
  let recorder = TraceRecorder()
  let number = try await recorder.record { 42 }
  expect(number == 42, "record")
  try await recorder.write(to: sink(), format: .traceEvents)
}

func suspendingTasks() async throws {
  let gate = Gate(label: "tasks", permits: 2)
  let sum = try await withWindowedTaskGroup(of: Int.self, limit: 2, within: gate) { group in
    for number in 1...10 { try await group.addTask { number } }
    var sum = 0
    while let number = try await group.next() { sum += number }
    return sum
  }
  expect(sum == 55, "a window over ten tasks")
  let same = try await withWindowedTaskGroup(of: Int.self, limit: 2) {
    (group: inout WindowedTaskGroup<Int>) in
    try await group.addTask { 42 }
    try await group.waitForAll()
    var iterator: WindowedTaskGroup<Int>.Iterator = group.makeAsyncIterator()
    let number = try await iterator.next()
    expect(group.isEmpty && !group.isCancelled, "it was taken")
    group.cancelAll()
    return number
  }
  expect(same == 42, "results are kept")

  let numbers = AsyncStream { stream in
    for number in 1...3 { stream.yield(number) }
    stream.finish()
  }
  let skipping: FailureHandling<Int, Int?> = .becomeNil
  let order: ResultOrder = .input
  try await [1, 2].forEachConcurrently(limit: 2) { _ in }
  let odd = try await [1, 2].mapConcurrently(limit: 2, order: order, failures: skipping) {
    if $0 % 2 == 0 { throw Odd(number: $0) }
    return $0
  }
  expect(odd == [1, nil], "failures become nil")
  let policy: RetryPolicy = .attempts(2, delay: .milliseconds(1))
  let results = try await [1, 2].mapConcurrently(
    limit: 2, timeout: .seconds(60), retry: policy, failures: .becomeResults
  ) { number in
    if number % 2 == 0 { throw Odd(number: number) }
    return number
  }
  let hasOdd = results.contains { if case .failure(let error) = $0 { error is Odd } else { false } }
  expect(hasOdd, "the error is kept")
  do {
    try await [1].forEachConcurrently(limit: 1, timeout: .zero) { _ in
      while !Task.isCancelled { await Task.yield() }
    }
  } catch let error as MapTimeoutError {
    expect(error.timeout == .zero, "\(error)")
  }
  var lengths: [Int] = []
  for await length in ["weir", "lock"].concurrentlyMapped(limit: 2, { $0.count }) {
    lengths.append(length)
  }
  expect(lengths == [4, 4], "without try")
  let mapped: ConcurrentMapSequence<Int, any Error> = numbers.concurrentlyMapped(
    limit: 2, within: gate
  ) { $0 * $0 }
  var iterator: ConcurrentMapSequence<Int, any Error>.Iterator = mapped.makeAsyncIterator()
  do throws(ConcurrentMapSequence<Int, any Error>.Failure) {
    expect(try await iterator.next() == 1, "the first comes first")
  } catch {
    expect(false, "nothing fails: \(error)")
  }
}
