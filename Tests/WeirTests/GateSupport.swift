// Helpers for the tests of gates.

import TestSupport
import Weir
import WeirLibC

/// Waits for a condition that other threads or tasks bring about. Returns true if it holds;
/// the time allowed is far longer than needed.
func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
  let clock = ContinuousClock()
  let end = clock.now + .seconds(40)
  while !condition() {
    if clock.now > end { return false }
    try? await Task.sleep(for: .microseconds(200))
  }
  return true
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

/// Returns when the task is cancelled.
func untilCancelled() async {
  while !Task.isCancelled { try? await Task.sleep(for: .seconds(600)) }
}

/// An asynchronous sequence of numbers.
func stream(_ numbers: Range<Int>) -> AsyncStream<Int> {
  AsyncStream { continuation in
    for number in numbers { continuation.yield(number) }
    continuation.finish()
  }
}

/// A barrier: no task goes on before a number of tasks have arrived.
actor Meeting {
  private let expected: Int
  private var come = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(of expected: Int) {
    self.expected = expected
  }

  func arrive() async -> Bool {
    arriveOnly()
    if come < expected {
      await withCheckedContinuation { waiting.append($0) }
    }
    return true
  }

  /// Arrives without waiting.
  func arriveOnly() {
    come += 1
    guard come >= expected else { return }
    for one in waiting { one.resume() }
    waiting = []
  }
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
