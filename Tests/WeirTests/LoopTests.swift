// The concurrent loops: each index is visited once, the result or the first error is that of a plain
// loop, a cancellation is an error, and nothing that a failed loop made stays alive.

import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct LoopTests {
  typealias Made = (number: Int, life: Life)
  enum Form: CaseIterable { case loop, forEach, map, mapOfStorage, reduce }

  private static func run(
    _ form: Form, _ count: Int, _ stride: LoopStride,
    _ make: @escaping @Sendable (Int) throws(Bad) -> Made
  ) throws(Bad) -> [Int] {
    let seen = Shared<[Int]>([])
    switch form {
    case .loop:
      try concurrentLoop(-7..<count - 7, stride: stride) { (range) throws(Bad) in
        for number in range { _ = try make(number + 7) }
        seen.change { $0 += range.map { $0 + 7 } }
      }
      return seen.value.sorted()
    case .forEach:
      try (0..<count).concurrentForEach(stride: stride) { (number) throws(Bad) in
        _ = try make(number)
        seen.change { $0.append(number) }
      }
      return seen.value.sorted()
    case .map: return try (0..<count).concurrentMap(stride: stride, make).map(\.number)
    case .mapOfStorage:
      return try Array(0..<count).concurrentMap(stride: stride, make).map(\.number)
    case .reduce:
      return try concurrentReduce(0..<count, into: [Made](), stride: stride) {
        (all, range) throws(Bad) in
        for number in range { all.append(try make(number)) }
      } combine: { (all, more) throws(Bad) in
        all += more
      }.map(\.number)
    }
  }

  private static func run(
    _ form: Form, _ count: Int, _ stride: LoopStride,
    _ make: @escaping @Sendable (Int) throws(Bad) -> Made
  ) async throws -> [Int] {
    let seen = Shared<[Int]>([])
    switch form {
    case .loop:
      try await concurrentLoop(-7..<count - 7, stride: stride) { range in
        for number in range { _ = try make(number + 7) }
        seen.change { $0 += range.map { $0 + 7 } }
      }
      return seen.value.sorted()
    case .forEach:
      try await (0..<count).concurrentForEach(stride: stride) { number in
        _ = try make(number)
        seen.change { $0.append(number) }
      }
      return seen.value.sorted()
    case .map: return try await (0..<count).concurrentMap(stride: stride, make).map(\.number)
    case .mapOfStorage:
      return try await Array(0..<count).concurrentMap(stride: stride, make).map(\.number)
    case .reduce:
      return try await concurrentReduce(0..<count, into: [Made](), stride: stride) { all, range in
        for number in range { all.append(try make(number)) }
      } combine: {
        $0 += $1
      }.map(\.number)
    }
  }

  /// The length of a stride, or 0 for the automatic one.
  private static func randomLength(_ most: Int, _ random: inout SeededGenerator) -> Int {
    [0, 0, .max, Int.random(in: 1...max(1, most), using: &random)].randomElement(using: &random)
      ?? 0
  }

  private static func ofLength(_ length: Int) -> LoopStride {
    length == 0 ? .automatic : .fixed(length)
  }

  /// Of a loop that fails, the indices up to that of the first error are visited.
  @Test("the visits, and the result or the error, are those of a plain loop")
  func plainLoop() async throws {
    let wrong = try await onThread {
      var random = SeededGenerator(for: "loops")
      var wrong: [String] = []
      for round in 0..<1000 {
        let form = Form.allCases[round % 5]
        let count = Int.random(in: 0...(round % 40 == 0 ? 5000 : 300), using: &random)
        let length = Self.randomLength(count, &random)
        let failing = Set(
          (0..<round / 5 % 4).map { _ in Int.random(in: 0...count, using: &random) })
        let first = failing.filter { $0 < count }.min()
        let (visits, lives) = (Shared<[Int]>([]), Shared(Crowd()))
        var (found, error): ([Int]?, Bad?)
        do throws(Bad) {
          found = try Self.run(form, count, Self.ofLength(length)) { (number) throws(Bad) in
            visits.change { $0.append(number) }
            if number % 20 == 0 { sched_yield() }
            if failing.contains(number) { throw Bad(number: number) }
            return (number, Life(lives))
          }
        } catch let failure {
          error = failure
        }
        let inOrder = Dictionary(grouping: visits.value) { $0 / max(1, length) }
          .values.allSatisfy { $0 == $0.sorted() }
        let before = visits.value.filter { $0 <= first ?? count }.sorted()
        if before != Array(0..<min(count, (first ?? count) + 1)) || !inOrder
          || error?.number != first || (first == nil && found != Array(0..<count))
          || lives.value.now != 0
        {
          wrong.append("\(form) of \(count) by \(length), failing at \(failing.sorted())")
        }
      }
      return wrong
    }
    #expect(wrong == [])
  }

  @Test("the async forms give the same results, errors, and nothing for nothing")
  func asyncForms() async throws {
    let lives = Shared(Crowd())
    for form in Form.allCases {
      #expect(
        try await Self.run(form, 5000, .automatic) { ($0, Life(lives)) } == Array(0..<5000))
      #expect(
        try await Self.run(form, 0, .automatic) { _ in fatalError("called for nothing") } == [])
      await #expect(throws: Bad(number: 4321)) {
        try await Self.run(form, 5000, .automatic) { (number) throws(Bad) in
          if number >= 4321 { throw Bad(number: number) }
          return (number, Life(lives))
        }
      }
    }
    #expect(lives.value.now == 0)
  }

  @Test(
    "the longest range there is",
    arguments: [LoopStride.automatic, .fixed(.max), .fixed(.max / 2 + 1)])
  func longest(stride: LoopStride) async throws {
    let add: @Sendable (inout UInt, Range<Int>) -> Void = {
      $0 += UInt(bitPattern: $1.upperBound &- $1.lowerBound)
    }
    let sum = Shared(UInt(0))
    try await concurrentLoop(Int.min..<Int.max, stride: stride) { range in
      sum.change { add(&$0, range) }
    }
    #expect(sum.value == .max)
    let reduced = try await concurrentReduce(
      Int.min..<Int.max, into: UInt(0), stride: stride, add, combine: { $0 += $1 })
    #expect(reduced == .max)
  }

  @Test("a reduction combines in order", arguments: [0, 1, 2, 10_000])
  func reduction(count: Int) async throws {
    let words = (0..<count).map { "\($0) " }
    #expect(try await onThread { words.concurrentReduce("", +) } == words.joined())
    #expect(try await words.concurrentReduce("", +) == words.joined())
    guard count > 1 else { return }
    // Of two errors, that of an element is thrown.
    await #expect(throws: Bad(number: 5)) {
      try await concurrentReduce(5..<count + 5, into: 0) { _, range in
        if range.upperBound == count + 5 { throw Bad(number: 5) }
      } combine: { _, _ in
        throw Bad(number: 6)
      }
    }
    await #expect(throws: Bad(number: 6)) {
      try await words.concurrentReduce("", stride: 1) {
        if $1 == words[count - 1] { throw Bad(number: 6) }
        return $0 + $1
      }
    }
  }

  @Test("after a cancellation no stride starts", arguments: [1, 10])
  func cancellation(stride: Int) async throws {
    let started = Shared(0)
    let (begun, cancelled) = (Latch(), Latch())
    let task = Task {
      try await concurrentLoop(0..<10_000, stride: .fixed(stride)) { _ in
        if started.next() == 1 { begun.open() }
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

  /// Before its beginning, the body is not called.
  @Test("a loop that is cancelled at any moment has all results or an error, and leaves nothing")
  func cancelledAnywhere() async throws {
    var random = SeededGenerator(for: "cancelled loops")
    for round in 0..<150 {
      let form = Form.allCases[round % 5]
      let moment = round < 20 ? -1 : Int.random(in: 0..<2000, using: &random)
      let stride = Self.ofLength(Self.randomLength(64, &random))
      let (reached, lives) = (Latch(), Shared(Crowd()))
      let task = Task {
        if moment < 0 { withUnsafeCurrentTask { $0?.cancel() } }
        return try await Self.run(form, round < 5 ? 0 : 2000, stride) { number in
          if number == moment { reached.open() }
          if number % 16 == 0 { sched_yield() }
          return (number, Life(lives))
        }
      }
      if moment >= 0 { try await onThread { _ = reached.wait() } }
      task.cancel()
      do {
        #expect(try await task.value == Array(0..<2000))
        #expect(moment >= 0)
      } catch {
        #expect(error is CancellationError)
      }
      // The thread that ended the loop may still hold the results.
      #expect(await eventually { lives.value.now == 0 })
      #expect(moment >= 0 || lives.value.ever == 0)
    }
  }
}
