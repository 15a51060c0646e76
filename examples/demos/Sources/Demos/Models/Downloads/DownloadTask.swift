// A download that is none: it sleeps, as the tutorial's does, and reports its progress.

internal import Synchronization
public import Weir

/// One task of a job list.
///
/// The tutorial's class calls its handler in the block, and the handler hops to the main queue and
/// reads the state there, which may have moved on. Here the task hops and passes the state along:
/// no state is missed or seen twice.
public final class DownloadTask: Sendable {
  /// Receives a task and its new state.
  public typealias Handler = @Sendable (DownloadTask, TaskState) -> Void

  /// The number in the list.
  public let identifier: Int
  private let seconds: [Double]
  private let machine: any Machine
  private let main: TracedQueue
  private let meter: Meter
  private let forgotten: DownloadOptions.Forgotten
  private let handler: Handler
  private let current = Mutex(TaskState.pending)

  /// Creates a task.
  ///
  /// - Parameters:
  ///   - seconds: The time of each of the five steps.
  ///   - main: The main queue of the machine.
  ///   - meter: Counts the task while it is in progress.
  ///   - forgotten: The call that the task leaves out.
  ///   - handler: Called with every change of state, on the main queue.
  public init(
    identifier: Int, seconds: [Double], machine: any Machine, main: TracedQueue, meter: Meter,
    forgotten: DownloadOptions.Forgotten = .none, handler: @escaping Handler
  ) {
    self.identifier = identifier
    self.seconds = seconds
    self.machine = machine
    self.main = main
    self.meter = meter
    self.forgotten = forgotten
    self.handler = handler
  }

  /// The current state, which may be later than the one that the handler got last.
  public var state: TaskState { current.withLock { $0 } }

  /// Starts the task as the tutorial does: it waits for the semaphore in the block, on a thread of
  /// the pool.
  public func start(on queue: TracedQueue, group: TracedGroup, semaphore: TracedSemaphore) {
    group.enter()
    queue.async {
      semaphore.wait()
      self.download()
      if self.forgotten != .signal { semaphore.signal() }
    } afterwards: {
      if self.forgotten != .leave { group.leave() }
    }
  }

  /// Starts the task on lanes. They are the limit, and no block waits for a turn.
  public func start(on lanes: TracedQueue, group: TracedGroup) {
    group.enter()
    lanes.async {
      self.download()
    } afterwards: {
      if self.forgotten != .leave { group.leave() }
    }
  }

  /// Starts the task as a Swift task that waits at a gate. It occupies no thread while it waits.
  public func start(through gate: Gate, among tasks: TracedTasks, group: TracedGroup) {
    group.enter()
    tasks.submit(identifier)
    machine.task {
      await tasks.run(self.identifier) {
        guard let permit = try? await gate.acquire().owned() else { return }
        TracedTasks.resume()
        try? await self.downloadSuspending()
        if self.forgotten == .signal {
          _ = Unmanaged.passRetained(permit)  // nobody returns it
        } else {
          permit.release()
        }
      }
      if self.forgotten != .leave { group.leave() }
    }
  }

  private func download() {
    begin()
    for (percentage, seconds) in zip(TaskState.percentages, seconds) {
      change(to: .inProgress(percentage))
      machine.sleep(seconds)
    }
    end()
  }

  private func downloadSuspending() async throws {
    begin()
    for (percentage, seconds) in zip(TaskState.percentages, seconds) {
      change(to: .inProgress(percentage))
      try await machine.pause(seconds)
    }
    end()
  }

  private func begin() {
    meter.enter()
    note("START", identifier)
  }

  private func end() {
    note("END", identifier)
    meter.leave()
    change(to: .completed)
  }

  private func change(to state: TaskState) {
    current.withLock { $0 = state }
    main.async { self.handler(self, state) }
  }
}
