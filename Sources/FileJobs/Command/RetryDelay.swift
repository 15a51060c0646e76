// How long it is tried to start a command where the system refuses.

/// The pauses between tries, which grow.
///
/// The system has no process to give, since a limit is reached (`ulimit -u`, a
/// container's), or no memory. Where other commands of the run are running, one that
/// ends makes room, and there is no reason to give up. Where none is, the room is
/// taken by others, and it may be for good.
struct RetryDelay {
  private var pause = 0.02
  private var left = 3.0

  private static let longest = 1.0

  /// How long to wait in seconds, at most, before it is tried again; `nil` where that
  /// was done long enough.
  mutating func next(whileOthersRun: Bool) -> Double? {
    if !whileOthersRun {
      if left <= 0 { return nil }
      left -= pause
    }
    defer { pause = min(pause * 2, RetryDelay.longest) }
    return pause
  }
}
