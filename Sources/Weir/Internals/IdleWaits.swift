// Tasks that wait with a time-out until lanes are idle.
//
// C tells of the next idle moment, and cannot take that back when a task gives
// up: so it is asked once for all of them, and no more than one answer is ever on
// its way, however many waits time out. Who comes while it is cannot rely on it,
// since it may be about a moment before: when it arrives they look whether the
// lanes are idle still, and C is asked again if not.

/// Waits of which each ends when it is told, or by its time-out.
final class IdleWaits: Sendable {
  private struct State {
    var isAsked = false
    /// Those for whom C was asked.
    var asked = TaskWaits()
    /// Those who came later.
    var later = TaskWaits()
  }

  private let state = Locked(State())

  /// - Returns: Whether C is to be asked now.
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

  /// Forgets a wait that has given up.
  func remove(_ wait: TaskWait) {
    state.with { state in
      state.asked.remove(wait)
      state.later.remove(wait)
    }
  }

  /// C has answered.
  ///
  /// - Parameter isIdle: Asked after nobody new is taken into account.
  /// - Returns: Whether C is to be asked again.
  func tell(isIdle: () -> Bool) -> Bool {
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
