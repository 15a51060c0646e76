// A number of things to come.

internal import Synchronization

/// Calls a closure when a number of things have come.
final class Countdown: Sendable {
  private let left: Mutex<Int>
  private let done: @Sendable () -> Void

  init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
    left = Mutex(count)
    self.done = done
  }

  func count() {
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { done() }
  }
}
