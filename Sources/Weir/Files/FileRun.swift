// One run of a file processor: when it may be stopped, how it ended, and who
// waits for that.

internal import CWeir
internal import Glibc
internal import SystemPackage

/// A run that waits for its turn, is under way, or has ended.
final class FileRun: Sendable {
  typealias Deliver = @Sendable (borrowing FileBatch) throws -> Void
  typealias Outcome = Result<FileStatistics, any Error>

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

  /// Who takes what is delivered, where that is not the delivery itself.
  struct Receiver: Sendable {
    /// Waits until he wants more; whether he ever will.
    var admits: @Sendable () -> Bool = { true }
    /// Not much more comes: waiting for him is to end.
    var stopped: @Sendable () -> Void = {}
    /// Nothing more comes, and the next run may begin.
    var ended: @Sendable (Outcome) -> Void = { _ in }
  }

  private let receiver: Receiver

  init(
    _ sources: [FileSource], deliver: @escaping Deliver, receiver: Receiver = Receiver()
  ) {
    self.sources = sources
    self.receiver = receiver
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
    receiver.stopped()
  }

  /// It can be cancelled from here on.
  func begin(cancel: @escaping @Sendable () -> Void) {
    state.with { state in
      state.phase = .running(cancel)
      if state.isStopped { cancel() }
    }
  }

  /// Waits until more is wanted. Returns 0 or an errno value.
  func admit() -> Int32 {
    receiver.admits() ? 0 : ECANCELED
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
  func end(_ error: Int32, statistics: FileStatistics) -> Outcome {
    let (thrown, _) = state.with { state in
      state.phase = .over
      defer { state.deliver = nil }  // it may hold who holds this
      return (state.thrown, state.deliver)
    }
    if let thrown { return .failure(thrown) }
    return error == 0 ? .success(statistics) : .failure(Errno(rawValue: error))
  }

  /// Tells who waits for the end. By now the next run may begin.
  func announce(_ outcome: Outcome) {
    let waiters = state.with { state in
      state.phase = .announced(outcome)
      defer { state.waiters = [] }
      return state.waiters
    }
    receiver.ended(outcome)
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
