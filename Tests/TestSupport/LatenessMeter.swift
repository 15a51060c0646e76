// How busy the machine is, for the tests of the demos, which compare times.

internal import Glibc

/// Measures how late the sleeps of a thread end, until ``stop()``.
public final class LatenessMeter: Sendable {
  private let state = Shared((slept: 0.0, late: 0.0, isOver: false))

  public init() {
    let state = state
    startThread {
      while !state.value.isOver {
        let begin = monotonicSeconds()
        usleep(10_000)
        let slept = monotonicSeconds() - begin
        state.change {
          $0.slept += slept
          $0.late += slept - 0.01
        }
      }
    }
  }

  /// Ends the measurement.
  ///
  /// - Returns: True if the sleeps were too long by less than a fifth, so that times can be
  ///   compared.
  public func stop() -> Bool {
    state.change {
      $0.isOver = true
      return $0.late <= $0.slept / 5
    }
  }
}
