// Jobs whose result a task awaits.
//
// DESIGN. A job that is withdrawn leaves the queue. One that waits on its lane for a permit of the
// lanes' gate stays there, but releases its closure and resumes its task at once. `run` takes a
// synchronous `Sendable` closure, which cannot be isolated, so it runs on a lane from any
// isolation.

extension Lanes {
  /// Runs a blocking job on a lane, and returns its result.
  ///
  ///     import Weir
  ///
  ///     func lineCounts(of texts: [String]) async throws -> [Int] {
  ///       let lanes = Lanes(label: "blocking", width: 16)
  ///       return try await texts.mapConcurrently(limit: 16) { text in
  ///         try await lanes.run { text.split(separator: "\n").count }
  ///       }
  ///     }
  ///
  /// The job runs on a lane whatever the isolation of the caller: also in a method of an actor, in
  /// a `@MainActor` function and at the top level. (`withTaskExecutorPreference` on lanes does not
  /// move isolated code; see ``enqueue(_:)``.) The job cannot suspend, so it cannot use the state
  /// of an actor. It is no part of the task: `Task.isCancelled` is false in it.
  ///
  /// If the task is cancelled while the job is queued, the job is withdrawn: its closure is
  /// released, its place in the backlog is free and the task goes on at once. A job that has begun
  /// runs to its end, and the method returns its result or throws its error.
  ///
  /// - Parameter job: The job, called once at most, on a lane. It may block.
  /// - Throws: The error of `job`. If the job did not run: `CancellationError` if the task was
  ///   cancelled, ``LanesError/closed``, ``LanesError/cancelled`` if ``cancel()`` dropped the job,
  ///   or ``GateError/closed`` if the gate of the lanes is closed.
  ///
  /// Blocks: no, it suspends until there is room in the backlog, and until the job has ended. The
  /// corresponding C function is `weir_lanes_request_f`.
  nonisolated(nonsending) public func run<T: Sendable>(
    _ job: @escaping @Sendable () throws -> T
  ) async throws -> T {
    try Task.checkCancellation()
    let awaited = AwaitedJob(job)
    let withdraw = submit(awaited)
    return try await withTaskCancellationHandler {
      await awaited.result()
    } onCancel: {
      withdraw()
    }.get()
  }

  /// Submits a job, now or when there is room. Returns a closure that withdraws the job; in its
  /// last step it resumes the task, which may run on this thread at once, and end.
  private func submit(_ awaited: AwaitedJob<some Sendable>) -> @Sendable () -> Void {
    let job = retainJob(
      { awaited.run() }, dropped: { awaited.withdraw($0) }, isWanted: { awaited.isWanted })
    let request = request(job)
    return {
      awaited.cancel()
      if !request.withdraw() { awaited.withdraw(CancellationError()) }
    }
  }
}

/// A job and the task that awaits its result.
private final class AwaitedJob<T: Sendable>: Sendable {
  typealias Outcome = Result<T, any Error>

  private struct State {
    /// The job, until it begins or is withdrawn.
    var job: (@Sendable () throws -> T)?
    var isCancelled = false
    var outcome: Outcome?
    var task: CheckedContinuation<Outcome, Never>?
  }

  private let state: Locked<State>

  init(_ job: @escaping @Sendable () throws -> T) {
    state = Locked(State(job: job))
  }

  var isWanted: Bool { state.with { $0.job != nil } }

  func run() {
    guard let job = takeJob() else { return }
    end(Result { try job() })
  }

  /// Notes that the task is cancelled: from now on a withdrawal has this reason.
  func cancel() {
    state.with { $0.isCancelled = true }
  }

  /// Withdraws the job, unless it has begun.
  func withdraw(_ error: any Error) {
    guard takeJob() != nil else { return }
    end(.failure(state.with { $0.isCancelled } ? CancellationError() : error))
  }

  private func takeJob() -> (@Sendable () throws -> T)? {
    state.with { state in
      defer { state.job = nil }
      return state.job
    }
  }

  private func end(_ outcome: Outcome) {
    let task = state.with { state in
      state.outcome = outcome
      return state.task
    }
    task?.resume(returning: outcome)
  }

  nonisolated(nonsending) func result() async -> Outcome {
    await withCheckedContinuation { task in
      let outcome = state.with { state in
        state.task = task
        return state.outcome
      }
      if let outcome { task.resume(returning: outcome) }
    }
  }
}
