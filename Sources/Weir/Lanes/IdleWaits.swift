// Tasks that wait, with a time-out, until lanes are idle.
//
// DESIGN. C reports the next idle moment, and that request cannot be cancelled when a task
// gives up. So one request serves all waits, and at most one is pending, however many waits
// time out. A wait that is added while a request is pending cannot rely on it, since the
// request may report an earlier moment: when it reports, the later waits end only if the
// lanes are still idle; otherwise C is asked again.

/// Waits that end when the lanes are idle, or at their time-out.
final class IdleWaits: Sendable {
  private struct State {
    var isAsked = false
    /// The waits that the pending request serves.
    var asked = TaskWaits()
    /// The waits added after that request.
    var later = TaskWaits()
  }

  private let state = Locked(State())

  /// - Returns: True if the caller must send a request to C.
  func add(_ wait: TaskWait) -> Bool {
    state.with { state in
      if state.isAsked {
        state.later.add(wait)
        return false
      }
      state.isAsked = true
      state.asked.add(wait)
      return true
    }
  }

  /// Removes a wait that has given up.
  func remove(_ wait: TaskWait) {
    state.with { state in
      state.asked.remove(wait)
      state.later.remove(wait)
    }
  }

  /// Ends the waits that C's report allows to end.
  ///
  /// - Parameter isIdle: Called after the set of waits is fixed.
  /// - Returns: True if the caller must send another request to C.
  func report(isIdle: () -> Bool) -> Bool {
    let ended = state.with { state in
      let ended = state.asked.take()
      state.asked = state.later.take()
      return ended
    }
    ended.end()
    let isIdleStill = isIdle()
    let endedNow = state.with { state in
      let ended = isIdleStill ? state.asked.take() : TaskWaits()
      state.asked.add(state.later.take())
      state.isAsked = !state.asked.isEmpty
      return (ended, state.isAsked)
    }
    endedNow.0.end()
    return endedNow.1
  }
}
