// What the tests of gates share.

import Glibc
import Weir

/// Waits for something that other threads or tasks bring about. Whether it came;
/// far more time is given than it can take.
func eventually(_ condition: @Sendable () -> Bool) async -> Bool {
  let clock = ContinuousClock()
  let end = clock.now + .seconds(40)
  while !condition() {
    if clock.now > end { return false }
    try? await Task.sleep(for: .microseconds(200))
  }
  return true
}

/// The same, on a thread that may block.
func eventuallyBlocking(_ condition: () -> Bool) -> Bool {
  for _ in 0..<200_000 {
    if condition() { return true }
    usleep(200)
  }
  return false
}

/// The most that were at it at once.
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
