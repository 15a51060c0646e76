// One run of a file processor: its phases, its cancellation and its outcome.

internal import CWeir
internal import SystemPackage
internal import WeirLibC

/// A run that waits for its turn, is in progress, or has ended.
final class FileRun: Sendable {
  typealias Deliver = @Sendable (borrowing FileBatch) throws -> Void
  /// Not a `Result`, whose type takes longer to look up than a small file to read.
  enum Outcome: Sendable {
    case success(FileStatistics)
    case failure(any Error)

    func get() throws -> FileStatistics {
      switch self {
      case .success(let statistics): return statistics
      case .failure(let error): throw error
      }
    }
  }

  private enum Phase {
    case waiting
    /// C executes the run, and can cancel it.
    case running
    /// The run can no longer be cancelled.
    case over
    case announced(Outcome)
  }

  private struct State {
    var phase = Phase.waiting
    var isStopped = false
    var thrown: (any Error)?
    var deliver: Deliver?
    // Closures: the type of a continuation takes longer to look up than a small file to read.
    var waiters: [@Sendable (Outcome) -> Void] = []
  }

  private let state: Locked<State>
  let sources: [FileSource]

  /// The receiver of the deliveries, if the delivery closure passes them on.
  struct Receiver: Sendable {
    /// Waits until the receiver wants more; false if it never will.
    var admits: @Sendable () -> Bool = { true }
    /// Ends the receiver's back-pressure: not much more follows.
    var stopped: @Sendable () -> Void = {}
    /// Reports the outcome. No delivery follows, and the next run may begin.
    var ended: @Sendable (Outcome) -> Void = { _ in }
    /// True if it receives the values of the jobs, not their output alone.
    var keepsValues = false
    /// Receives the value of a file on its lane; `nil` if the receiver needs no such call.
    var done: (@Sendable (_ lane: UnsafeRawPointer, UnsafeRawPointer?) throws -> Void)?
  }

  private let receiver: Receiver
  // nonisolated(unsafe): never changed, and the C type may be used by any thread. It exists while it
  // executes the run.
  private nonisolated(unsafe) let processor: OpaquePointer

  init(
    _ sources: [FileSource], on processor: OpaquePointer, deliver: @escaping Deliver,
    receiver: Receiver
  ) {
    self.sources = sources
    self.processor = processor
    self.receiver = receiver
    state = Locked(State(deliver: deliver))
  }

  var isStopped: Bool { state.with { $0.isStopped } }

  var keepsValues: Bool { receiver.keepsValues }
  var reduces: Bool { receiver.done != nil }

  /// Ends the run soon in any phase. A run that has not begun opens no file.
  func stop() {
    state.with { state in
      state.isStopped = true
      // Under the lock, so that this run is cancelled and not the next one.
      if case .running = state.phase { weir_files_cancel(processor) }
    }
    receiver.stopped()
  }

  /// Begins the run, which can be cancelled from now on.
  func begin() {
    state.with { state in
      state.phase = .running
      if state.isStopped { weir_files_cancel(processor) }
    }
  }

  /// Waits until more is wanted. Returns 0 or an errno value.
  func admit() -> Int32 {
    receiver.admits() ? 0 : ECANCELED
  }

  /// Passes the value of a file on. An error ends the run.
  func done(_ lane: UnsafeRawPointer, _ value: UnsafeRawPointer?) {
    do {
      try receiver.done?(lane, value)
    } catch {
      state.with { $0.thrown = $0.thrown ?? error }
      stop()
    }
  }

  /// Delivers a batch. Returns 0 or an errno value.
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

  /// Ends the run, which can no longer be cancelled. `error` is the result of C.
  func end(_ error: Int32, statistics: FileStatistics) -> Outcome {
    let (thrown, _) = state.with { state in
      state.phase = .over
      defer { state.deliver = nil }  // it may hold an owner of this object
      return (state.thrown, state.deliver)
    }
    if let thrown { return .failure(thrown) }
    return error == 0 ? .success(statistics) : .failure(Errno(rawValue: error))
  }

  /// Reports the outcome to all waiters. The next run may begin by now.
  func announce(_ outcome: Outcome) {
    let waiters = state.with { state in
      state.phase = .announced(outcome)
      defer { state.waiters = [] }
      return state.waiters
    }
    receiver.ended(outcome)
    for waiter in waiters { waiter(outcome) }
  }

  /// Suspends until the run is over.
  func outcome(isolation: isolated (any Actor)? = #isolation) async -> Outcome {
    await withCheckedContinuation { continuation in
      let known = state.with { state -> Outcome? in
        if case .announced(let outcome) = state.phase { return outcome }
        state.waiters.append { continuation.resume(returning: $0) }
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}
