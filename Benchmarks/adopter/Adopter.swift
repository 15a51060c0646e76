// adopter: what a program gains or pays that takes Weir instead of swift-subprocess, AsyncAlgorithms,
// a task group or concurrentPerform.
//
//     adopter [ROUNDS]
//
// Both sides of a line run in this process, round by round, every second round backwards. The columns
// are the medians in milliseconds, and the median of the rounds' ratios.

import AsyncAlgorithms
import Dispatch
import Subprocess
import Synchronization
import Weir

@main struct Adopter {
  static func main() async throws {
    try await compareAll()
  }

  @concurrent static func compareAll() async throws {
    print(
      "Weir beside".padded(56) + ["peer ms", "Weir ms", "ratio"].map { $0.padded(10) }.joined())

    // MARK: Loops

    let numbers = Array(0..<10_000_000)

    /// The sum of all numbers by concurrentPerform, a partial sum for each of 64 parts.
    func sumByHand() -> Int {
      let parts = 64
      let length = numbers.count / parts
      let partials = [Int](unsafeUninitializedCapacity: parts) { partials, count in
        // nonisolated(unsafe): every part writes its own element.
        nonisolated(unsafe) let partials = partials
        DispatchQueue.concurrentPerform(iterations: parts) { part in
          var sum = 0
          for number in numbers[part * length..<(part + 1) * length] { sum &+= number }
          partials.initializeElement(at: part, to: sum)
        }
        count = parts
      }
      return partials.reduce(0, &+)
    }

    func sumByRanges() -> Int {
      blocking {
        concurrentReduce(0..<numbers.count, into: 0) { partial, range in
          for number in numbers[range] { partial &+= number }
        } combine: { result, partial in
          result &+= partial
        }
      }
    }

    await compare("sum of 10 million by ranges: concurrentPerform") {
      precondition(sumByHand() > 0)
    } _: {
      precondition(sumByRanges() > 0)
    }
    await compare("sum of 10 million by elements: serial reduce") {
      precondition(numbers.reduce(0, &+) > 0)
    } _: {
      precondition(blocking { numbers.concurrentReduce(0) { $0 &+ $1 } } > 0)
    }
    await compare("map of 10 million: concurrentPerform, 64 parts") {
      let squares = [Int](unsafeUninitializedCapacity: numbers.count) { squares, count in
        nonisolated(unsafe) let squares = squares
        let length = numbers.count / 64
        DispatchQueue.concurrentPerform(iterations: 64) { part in
          for index in part * length..<(part + 1) * length {
            squares.initializeElement(at: index, to: numbers[index] &* 3)
          }
        }
        count = numbers.count
      }
      precondition(squares[2] == 6)
    } _: {
      precondition(blocking { numbers.concurrentMap { $0 &* 3 } }[2] == 6)
    }

    // MARK: Tasks

    let pages = Array(0..<100_000)

    await compare("100,000 fetches, 8 at once: task group with a window") {
      let fetched = await withTaskGroup(of: (Int, Int).self) { group in
        var waiting = pages.enumerated().makeIterator()
        var fetched = pages
        for _ in 0..<8 {
          if let (index, page) = waiting.next() { group.addTask { (index, await fetch(page)) } }
        }
        while let (index, page) = await group.next() {
          fetched[index] = page
          if let (index, page) = waiting.next() { group.addTask { (index, await fetch(page)) } }
        }
        return fetched
      }
      precondition(fetched.count == pages.count)
    } _: {
      let fetched = try? await pages.mapConcurrently(limit: 8) { await fetch($0) }
      precondition(fetched?.count == pages.count)
    }
    await compare("100,000 results, in any order: AsyncChannel, 8 tasks") {
      let channel = AsyncChannel<Int>()
      async let sum = channel.reduce(0, +)
      let next = Counter()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask {
            while true {
              let index = next.next()
              if index >= pages.count { return }
              await channel.send(await fetch(pages[index]))
            }
          }
        }
      }
      channel.finish()
      let total = await sum
      precondition(total > 0)
    } _: {
      var sum = 0
      let results = pages.concurrentlyMapped(limit: 8, order: .completion) { await fetch($0) }
      for await page in results { sum += page }
      precondition(sum > 0)
    }

    // MARK: Permits and pools

    let gate = Gate(label: "connections", permits: 4)
    await compare("100,000 free permits in a task: acquire and release") {
      for _ in 0..<100_000 {
        guard let permit = try? await gate.acquire() else { fatalError("no permit") }
        permit.release()
      }
    } _: {
      for _ in 0..<100_000 { try? await gate.withPermit {} }
    }

    let actorPool = ActorPool([0, 1, 2, 3])
    let pool = Pool(label: "connections", [0, 1, 2, 3])
    await compare("16 tasks, 4 elements, 20,000 uses: pool in an actor") {
      await withDiscardingTaskGroup { group in
        for _ in 0..<16 {
          group.addTask {
            for _ in 0..<1250 {
              let element = await actorPool.take()
              await Task.yield()
              await actorPool.put(element)
            }
          }
        }
      }
    } _: {
      await withDiscardingTaskGroup { group in
        for _ in 0..<16 {
          group.addTask {
            for _ in 0..<1250 { try? await pool.withElement { _ in await Task.yield() } }
          }
        }
      }
    }

    // MARK: Children

    try await compare("500 children, 16 at once: swift-subprocess") {
      _ = try await (0..<500).mapConcurrently(limit: 16) { _ in
        try await Subprocess.run(.path("/bin/true"), output: .string(limit: 64)).standardOutput
      }
    } _: {
      _ = try await (0..<500).mapConcurrently(limit: 16) { _ in
        try await ChildProcess.run(["/bin/true"]).standardOutput
      }
    }

    // MARK: The cost of one call

    print("\n" + "One call, if nothing waits".padded(56) + "ns")
    try await cost("gate.acquire(), release(), a thread") { count in
      try blocking { for _ in 0..<count { try gate.acquire().release() } }
    }
    await cost("gate.withPermit, a thread") { count in
      blocking { for _ in 0..<count { gate.withPermit {} } }
    }
    try await cost("gate.acquire(), release(), a task") { count in
      for _ in 0..<count { try await gate.acquire().release() }
    }
    try await cost("gate.withPermit, a task") { count in
      for _ in 0..<count { try await gate.withPermit {} }
    }
    try await cost("pool.withElement, a task") { count in
      for _ in 0..<count { try await pool.withElement { _ in } }
    }
    let lanes = Lanes(label: "lanes", width: 2)
    await cost("lanes.async, an empty job") { count in
      for _ in 0..<count { lanes.async {} }
      await lanes.wait()
    }
    try await cost("lanes.run, an empty job, there and back") { count in
      for _ in 0..<count { try await lanes.run {} }
    }
    let queue = OwnedQueue(label: "queue", context: 0)
    await cost("ownedQueue.async, an empty job") { count in
      for _ in 0..<count { queue.async { $0 += 1 } }
      _ = await queue.sync { $0 }
    }
    let group = WorkGroup(label: "group")
    await cost("group.enter(), leave()") { count in
      for _ in 0..<count { group.enter().leave() }
    }
    try await cost("mapConcurrently(limit: 8), an element") { count in
      _ = try await (0..<count).mapConcurrently(limit: 8) { $0 }
    }
    try await cost("mapConcurrently(limit: 8, within: gate), an element") { count in
      _ = try await (0..<count).mapConcurrently(limit: 8, within: gate) { $0 }
    }
    await cost("concurrentMap, an element") { count in
      _ = blocking { (0..<count).concurrentMap { $0 } }
    }
    print("\(rounds) rounds")
  }
}

// MARK: Measuring

let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 11

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func milliseconds(_ body: () async throws -> Void) async rethrows -> Double {
  let begin = ContinuousClock.now
  try await body()
  return (ContinuousClock.now - begin) / .milliseconds(1)
}

func compare(
  _ name: String, _ peer: () async throws -> Void, _ weir: () async throws -> Void
) async rethrows {
  var (peers, weirs): ([Double], [Double]) = ([], [])
  try await peer()
  try await weir()
  for round in 0..<rounds {
    if round % 2 == 0 { peers.append(try await milliseconds(peer)) }
    weirs.append(try await milliseconds(weir))
    if round % 2 == 1 { peers.append(try await milliseconds(peer)) }
  }
  let columns = [median(peers), median(weirs), median(zip(weirs, peers).map { $0 / $1 })]
  let texts = columns.map { "\(($0 * 100).rounded() / 100)" }
  print(name.padded(56) + texts.map { $0.padded(10) }.joined())
}

extension String {
  func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}

/// Calls a function that must not be called in async code: this program has nothing else to do.
func blocking<R, E>(_ body: () throws(E) -> R) throws(E) -> R { try body() }

func fetch(_ page: Int) async -> Int {
  await Task.yield()
  return page
}

final class Counter: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}

/// A pool as one writes it without Weir.
actor ActorPool {
  private var free: [Int]
  private var waiting: [CheckedContinuation<Int, Never>] = []

  init(_ elements: [Int]) { free = elements }

  func take() async -> Int {
    if let element = free.popLast() { return element }
    return await withCheckedContinuation { waiting.append($0) }
  }

  func put(_ element: Int) {
    if waiting.isEmpty {
      free.append(element)
    } else {
      waiting.removeFirst().resume(returning: element)
    }
  }
}

func cost(_ name: String, _ body: (_ count: Int) async throws -> Void) async rethrows {
  let count = 20_000
  try await body(count)
  var times: [Double] = []
  for _ in 0..<rounds { times.append(try await milliseconds { try await body(count) }) }
  print(name.padded(56) + "\(Int(median(times) * 1_000_000 / Double(count)))")
}
