// A wait that a cancelled task gives up.

/// Something that ends once, and one task that waits for it.
final class CancellableWait: Sendable {
  private struct State {
    var hasEnded: Bool?
    var waiter: CheckedContinuation<Bool, Never>?
  }

  private let state = Locked(State())

  /// What was waited for is over.
  func end() {
    decide(true)
  }

  /// Suspends until ``end()``, or until the task is cancelled. To be called once.
  func isEndedBeforeCancellation() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0) }
    } onCancel: {
      decide(false)
    }
  }

  private func wait(_ waiter: CheckedContinuation<Bool, Never>) {
    let hasEnded = state.with { state in
      state.waiter = waiter
      return state.hasEnded
    }
    if let hasEnded { waiter.resume(returning: hasEnded) }
  }

  private func decide(_ hasEnded: Bool) {
    let waiter = state.with { state -> CheckedContinuation<Bool, Never>? in
      guard state.hasEnded == nil else { return nil }
      state.hasEnded = hasEnded
      return state.waiter
    }
    waiter?.resume(returning: hasEnded)
  }
}
