// One run of a file processor: when it may be stopped, how it ended, and who
// waits for that.

internal import CWeir
internal import Glibc
internal import SystemPackage

/// A run that waits for its turn, is under way, or has ended.
final class FileRun: Sendable {
  typealias Deliver = @Sendable (borrowing FileBatch) throws -> Void
  typealias Outcome = Result<FileFigures, any Error>

  private enum Phase {
    case waiting
    /// C knows of it: what would cancel it.
    case running(@Sendable () -> Void)
    /// Nothing can be cancelled any more.
    case over
    case announced(Outcome)
  }

  private struct State {
    var phase = Phase.waiting
    var isStopped = false
    var thrown: (any Error)?
    var deliver: Deliver?
    var waiters: [CheckedContinuation<Outcome, Never>] = []
  }

  private let state: Locked<State>
  let sources: [FileSource]

  private let ended: @Sendable (Outcome) -> Void

  init(
    _ sources: [FileSource], deliver: @escaping Deliver,
    ended: @escaping @Sendable (Outcome) -> Void = { _ in }
  ) {
    self.sources = sources
    self.ended = ended
    state = Locked(State(deliver: deliver))
  }

  var isStopped: Bool { state.with { $0.isStopped } }

  /// Ends it soon, whatever it is at; one that has not begun opens nothing.
  func stop() {
    state.with { state in
      state.isStopped = true
      // Under the lock, so that it is this run that is cancelled and not the
      // next one.
      if case .running(let cancel) = state.phase { cancel() }
    }
  }

  /// It can be cancelled from here on.
  func begin(cancel: @escaping @Sendable () -> Void) {
    state.with { state in
      state.phase = .running(cancel)
      if state.isStopped { cancel() }
    }
  }

  /// Hands a batch over. Returns 0 or an errno value.
  func deliver(_ batch: borrowing FileBatch) -> Int32 {
    guard let deliver = state.with({ $0.deliver }) else { return 0 }
    do {
      try deliver(batch)
      return 0
    } catch {
      state.with { $0.thrown = error }
      return ECANCELED
    }
  }

  /// It is over: there is nothing to cancel any more. `error` is what C said.
  func end(_ error: Int32, figures: FileFigures) -> Outcome {
    let (thrown, _) = state.with { state in
      state.phase = .over
      defer { state.deliver = nil }  // it may hold who holds this
      return (state.thrown, state.deliver)
    }
    if let thrown { return .failure(thrown) }
    return error == 0 ? .success(figures) : .failure(Errno(rawValue: error))
  }

  /// Tells who waits for the end. By now the next run may begin.
  func announce(_ outcome: Outcome) {
    let waiters = state.with { state in
      state.phase = .announced(outcome)
      defer { state.waiters = [] }
      return state.waiters
    }
    ended(outcome)
    for waiter in waiters { waiter.resume(returning: outcome) }
  }

  /// Suspends until it is over.
  func outcome(isolation: isolated (any Actor)? = #isolation) async -> Outcome {
    await withCheckedContinuation { continuation in
      let known = state.with { state -> Outcome? in
        if case .announced(let outcome) = state.phase { return outcome }
        state.waiters.append(continuation)
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}
