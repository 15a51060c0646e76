// Lanes as a task executor.
//
// DESIGN. A step of a task differs from a job: a refused or dropped step would hang the
// task, and the thread that resumes the task must not wait for a backlog. So steps are
// submitted with weir_lanes_async_must_f. A step takes no permit of the lanes' gate either:
// a task that holds a permit across a suspension would need a second one to go on.

extension Lanes: TaskExecutor {
  /// Runs the next step of a task on a lane; called by the Swift runtime.
  ///
  /// Tasks use this executor through `withTaskExecutorPreference` and `Task(executorPreference:)`.
  /// The code of a task up to its next suspension counts as one job: it occupies a lane and may
  /// block.
  ///
  /// A closure that is written in a `@MainActor` function or at the top level is isolated to the
  /// main actor, and `withTaskExecutorPreference` runs it on the **main thread**, which blocking
  /// calls in it block. A closure that uses another actor, in a method of it, runs on a lane, but
  /// blocks the actor. (An actor with an executor of its own runs it there.) Child tasks that the
  /// closure starts have no isolation, and run on the lanes at once. For a blocking call use
  /// ``run(_:)``, which moves from anywhere.
  ///
  /// Steps take no place in the backlog and no permit of the lanes' gate. ``close()`` does not
  /// refuse them, ``cancel()`` does not drop them; ``suspend()`` delays them. A task keeps its
  /// lanes alive.
  ///
  /// Blocks: no. Inline lanes run the step before the method returns, on the thread that resumes
  /// the task. The corresponding C function is `weir_lanes_async_must_f`.
  public func enqueue(_ job: consuming ExecutorJob) {
    let step = UnownedJob(job)
    mustAsync { step.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
