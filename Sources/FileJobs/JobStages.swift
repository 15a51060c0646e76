internal import SystemPackage
internal import Weir

/// The walks and reads of a run so far, and its cancellation.
final class JobStages: Sendable {
  private struct State {
    var isCanceled = false
    var stages: [JobControl] = []
    var names: UInt64 = 0
    var expectsMore = false
  }

  private let state = Locked(State())

  /// Changes the state. Throws `canceled` after a cancel.
  private func change(_ body: (inout State) -> Void) throws(Errno) {
    let isCanceled = state.with { state in
      body(&state)
      return state.isCanceled
    }
    if isCanceled { throw .canceled }
  }

  func run<Result>(_ stage: JobControl, _ body: () throws -> Result) throws -> Result {
    state.with { $0.stages.append(stage) }
    defer {
      // Statistics do not retain the stage; also if it does not begin.
      state.with { state in
        guard let last = state.stages.popLast() else { return }
        state.stages.append(JobControl(ended: last.statistics()))
      }
    }
    try check()
    return try body()
  }

  /// Forgets an earlier run.
  func begin() { state.with { $0 = State() } }

  /// Forgets the stages so far, of which a run begins again. Throws `canceled` after a cancel.
  func beginAgain() throws(Errno) { try change { $0.stages = [] } }

  func check() throws(Errno) { try change { _ in } }

  /// Says that another stage follows, or that none does.
  func expectMore(_ expectsMore: Bool) throws(Errno) { try change { $0.expectsMore = expectsMore } }

  /// Shows the number of names that were compared. Throws `canceled` after a cancel.
  func show(names: UInt64) throws(Errno) { try change { $0.names = names } }

  var names: UInt64 { state.with { $0.names } }

  var isCanceled: Bool { state.with { $0.isCanceled } }

  var control: JobControl { control { $0.reduce(.none, +) } }

  /// Returns the handle on the run. `sum` adds up the statistics of the stages.
  func control(
    _ sum: @escaping @Sendable (_ stages: [FileStatistics]) -> FileStatistics
  ) -> JobControl {
    JobControl(
      cancel: { [state] in
        let stages = state.with { state in
          state.isCanceled = true
          return state.stages
        }
        for stage in stages { stage.cancel() }
      },
      statistics: { [state] in
        let (stages, expectsMore) = state.with { ($0.stages, $0.expectsMore) }
        var all = sum(stages.map { $0.statistics() })
        if expectsMore { all.isFeeding = true }
        return all
      },
      busyFiles: { [state] nanoseconds in
        state.with { $0.stages.last }?.busyFiles(nanoseconds) ?? []
      })
  }
}
