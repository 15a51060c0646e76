// How many are at something at once, measured where they are.

import Synchronization

/// Counts who is inside, and the most that ever were.
final class Meter: Sendable {
  private struct State {
    var inside = 0
    var peak = 0
    var entered = 0
  }

  private let state = Mutex(State())

  /// A meter with nobody inside.
  init() {}

  /// One more is inside.
  func enter() {
    state.withLock { state in
      state.inside += 1
      state.entered += 1
      state.peak = max(state.peak, state.inside)
    }
  }

  /// One less is inside.
  func leave() {
    state.withLock { $0.inside -= 1 }
  }

  /// The number of activities now.
  var inside: Int { state.withLock { $0.inside } }
  /// The most that were inside at once.
  var peak: Int { state.withLock { $0.peak } }
  /// The number of activities so far.
  var entered: Int { state.withLock { $0.entered } }
}
