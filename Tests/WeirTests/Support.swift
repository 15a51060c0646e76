// Helpers of the library's tests.

import TestSupport
import Weir

/// An error of the test itself.
struct Bad: Error, Equatable {
  var number = 0
}

/// Waits for a condition that other threads or tasks bring about. Returns true if it holds; it is
/// tried far more often than needed. Not for a time: beside a load the threads of tasks may be taken
/// by other tests for a minute, and then the tasks that bring it about have waited, too.
func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
  for _ in 0..<200_000 {
    if condition() { return true }
    try? await Task.sleep(for: .microseconds(200))
  }
  return false
}

/// Returns when the task is cancelled.
func untilCancelled() async {
  while !Task.isCancelled { try? await Task.sleep(for: .seconds(600)) }
}

/// The highest number of concurrent users.
struct Crowd: Sendable {
  private(set) var now = 0
  private(set) var most = 0
  private(set) var ever = 0

  mutating func enter(_ count: Int = 1) {
    now += count
    ever += count
    most = max(most, now)
  }

  mutating func leave(_ count: Int = 1) { now -= count }
}

/// An object that counts its living instances.
final class Life: Sendable {
  let crowd: Shared<Crowd>

  init(_ crowd: Shared<Crowd>) {
    self.crowd = crowd
    crowd.change { $0.enter() }
  }

  deinit { crowd.change { $0.leave() } }
}

/// A barrier: no task goes on before a number of tasks have arrived.
actor Meeting {
  private let expected: Int
  private var come = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(of expected: Int) { self.expected = expected }

  func arrive() async {
    arriveOnly()
    if come < expected { await withCheckedContinuation { waiting.append($0) } }
  }

  func arriveOnly() {
    come += 1
    guard come >= expected else { return }
    for one in waiting { one.resume() }
    waiting = []
  }
}

func stream(_ numbers: Range<Int>) -> AsyncStream<Int> {
  AsyncStream { continuation in
    for number in numbers { continuation.yield(number) }
    continuation.finish()
  }
}

enum MapForm: CaseIterable {
  case sequence, nils, results, loop, mapped
  case stream, streamNils, streamLoop, mappedStream, group

  /// Maps 0..<count. Returns the results: of a loop and a group sorted, since they come in any order.
  func map(
    _ count: Int, limit: Int, order: ResultOrder = .input, within gates: (any Gates)? = nil,
    options: MapOptions = MapOptions(), _ body: @escaping @Sendable (Int) async throws -> Int
  ) async throws -> [Int] {
    let (numbers, lazy) = (0..<count, WeirTests.stream(0..<count))
    let seen = Shared<[Int]>([])
    let note: @Sendable (Int) async throws -> Void = { number in
      let result = try await body(number)
      seen.change { $0.append(result) }
    }
    var results: [Int] = []
    switch self {
    case .sequence:
      return try await numbers.mapConcurrently(
        limit: limit, order: order, within: gates, options: options, body)
    case .nils:
      return try await numbers.mapConcurrently(
        limit: limit, order: order, within: gates, options: options, failures: .becomeNil, body
      ).compactMap { $0 }
    case .results:
      return try await numbers.mapConcurrently(
        limit: limit, order: order, within: gates, options: options, failures: .becomeResults, body
      ).map { try $0.get() }
    case .loop:
      try await numbers.forEachConcurrently(limit: limit, within: gates, options: options, note)
    case .mapped:
      for try await result in numbers.concurrentlyMapped(
        limit: limit, order: order, within: gates, options: options, body)
      {
        results.append(result)
      }
      return results
    case .stream:
      return try await lazy.mapConcurrently(
        limit: limit, order: order, within: gates, options: options, body)
    case .streamNils:
      return try await lazy.mapConcurrently(
        limit: limit, order: order, within: gates, options: options, failures: .becomeNil, body
      ).compactMap { $0 }
    case .streamLoop:
      try await lazy.forEachConcurrently(limit: limit, within: gates, options: options, note)
    case .mappedStream:
      for try await result in lazy.concurrentlyMapped(
        limit: limit, order: order, within: gates, options: options, body)
      {
        results.append(result)
      }
      return results
    case .group:
      return try await withWindowedTaskGroup(
        of: Int.self, limit: limit, within: gates, options: options
      ) { group in
        for number in numbers { try await group.addTask { try await body(number) } }
        while let result = try await group.next() { results.append(result) }
        return results.sorted()
      }
    }
    return seen.value.sorted()
  }
}
