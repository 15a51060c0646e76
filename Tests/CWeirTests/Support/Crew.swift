// Several threads at one thing.
import TestSupport

/// Threads that were started together and are waited for together.
final class Crew: Sendable {
  private let left: Latch

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let left = Latch(count)
    self.left = left
    for number in 0..<count {
      startThread {
        body(number)
        left.arrive()
      }
    }
  }

  /// Whether all have ended before the deadline.
  func wait() -> Bool { left.wait() }
}
