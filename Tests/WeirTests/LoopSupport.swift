// Helpers for the tests of the concurrent loops.

import TestSupport
import Weir

/// An error with the index of its origin.
struct Fault: Error, Equatable {
  let index: Int
}

/// The strides of a loop, as its body receives them.
final class Strides: Sendable {
  private let seen = Shared<[Range<Int>]>([])

  func note(_ range: Range<Int>) {
    seen.change { $0.append(range) }
  }

  /// True if the strides cover a range, with every index once and no empty stride.
  func tile(_ range: Range<Int>) -> Bool {
    var next = range.lowerBound
    for stride in seen.value.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard stride.lowerBound == next, !stride.isEmpty else { return false }
      next = stride.upperBound
    }
    return next == range.upperBound
  }

  var all: [Range<Int>] { seen.value }
}

/// An object that counts its living instances.
final class Counted: Sendable {
  static let alive = Shared(0)
  let number: Int

  init(_ number: Int) {
    self.number = number
    Counted.alive.change { $0 += 1 }
  }

  deinit {
    Counted.alive.change { $0 -= 1 }
  }
}

/// Automatic twice as often as a random fixed stride.
func randomStride(_ count: Int, _ random: inout SeededGenerator) -> LoopStride {
  Int.random(in: 0..<3, using: &random) > 0
    ? .automatic : .fixed(Int.random(in: 1...max(1, count), using: &random))
}
