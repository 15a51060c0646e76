// Lanes as a task executor.
//
// A step of a task is not a job like others: the task would hang if its step
// were refused, or dropped, and the thread that resumes it must not wait for a
// backlog. So steps go in by weir_lanes_async_must_f. They take no permit of the
// lanes' gate either: a task that holds one across a suspension would need a
// second one to go on.

extension Lanes: TaskExecutor {
  /// Runs the next step of a task on a lane: for Swift's runtime.
  ///
  /// Tasks come here by `withTaskExecutorPreference` and by
  /// `Task(executorPreference:)`. What they do on the way, up to the next
  /// suspension, counts as one job: it holds one of the lanes and may block.
  ///
  ///     func digests(of names: [String]) async -> [Int] {
  ///       let lanes = Lanes(label: "digests", width: 16)
  ///       return await withTaskExecutorPreference(lanes) {
  ///         await withTaskGroup(of: Int.self) { group in
  ///           for name in names {
  ///             group.addTask { name.hashValue }
  ///           }
  ///           return await group.reduce(into: []) { $0.append($1) }
  ///         }
  ///       }
  ///     }
  ///
  /// Steps neither wait for the backlog nor take a place in it; ``close()`` does
  /// not refuse them, ``cancel()`` does not drop them, and they take no permit of
  /// the gate that the lanes are within. ``suspend()`` holds them up. Methods of
  /// actors run where the actor says, and the task comes back to a lane after
  /// them. A task keeps its lanes.
  ///
  /// - Complexity: O(1), amortised.
  ///
  /// Blocks: no; on inline lanes it runs the step before it returns, on the
  /// thread that resumes the task.
  ///
  /// The corresponding C function is `weir_lanes_async_must_f`.
  public func enqueue(_ job: consuming ExecutorJob) {
    let step = UnownedJob(job)
    mustAsync { step.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
