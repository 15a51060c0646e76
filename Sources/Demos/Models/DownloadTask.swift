// A download that is none: it sleeps, as the tutorial's does, and tells how far
// it has come.

public import Dispatch
internal import Synchronization
public import Weir

/// One task of a job list.
///
/// The tutorial's class calls its handler where it works, and the handler hops
/// to the main queue and looks at the state there, which may have moved on. Here
/// the task hops, and hands the state along: no state is missed or seen twice.
public final class DownloadTask: Sendable {
  /// Is told of a task and its new state.
  public typealias Handler = @Sendable (DownloadTask, TaskState) -> Void

  /// Its number in the list.
  public let identifier: Int
  private let seconds: [Double]
  private let pace: Pace
  private let meter: Meter
  private let handler: Handler
  private let current = Mutex(TaskState.pending)

  /// - Parameters:
  ///   - seconds: How long each step takes, of which there are five.
  ///   - meter: Where the task is while it is in progress.
  ///   - handler: Is called with every change of state, on the main queue.
  public init(
    identifier: Int, seconds: [Double], pace: Pace, meter: Meter, handler: @escaping Handler
  ) {
    self.identifier = identifier
    self.seconds = seconds
    self.pace = pace
    self.meter = meter
    self.handler = handler
  }

  /// How far it has come, which may be further than its handler was told.
  public var state: TaskState { current.withLock { $0 } }

  /// Starts it as the tutorial does: the semaphore is waited for in the block,
  /// on the pool's thread.
  ///
  /// The tutorial also calls enter and leave, which `async(group:)` does by
  /// itself: a task is counted twice, and one forgotten leave hangs it forever.
  public func start(on queue: DispatchQueue, group: DispatchGroup, semaphore: DispatchSemaphore) {
    queue.async(group: group) {
      semaphore.wait()
      self.download()
      semaphore.signal()
    }
  }

  /// Starts it on lanes. They are the limit, and nobody waits in a block.
  public func start(on lanes: Lanes) {
    lanes.async { self.download() }
  }

  /// Starts it as a Swift task that waits at a gate. Whether it waits or
  /// downloads, it has no thread to itself.
  public func start(through gate: Gate, in group: WorkGroup) {
    let membership = group.enter().owned()
    Task {
      do {
        try await gate.withPermit { try await self.downloadSuspending() }
        membership.leave()
      } catch {
        membership.leave(throwing: error)
      }
    }
  }

  private func download() {
    meter.enter()
    for (percentage, seconds) in zip(TaskState.percentages, seconds) {
      change(to: .inProgress(percentage))
      pace.sleep(seconds)
    }
    meter.leave()
    change(to: .completed)
  }

  private func downloadSuspending() async throws {
    meter.enter()
    defer { meter.leave() }
    for (percentage, seconds) in zip(TaskState.percentages, seconds) {
      change(to: .inProgress(percentage))
      try await pace.pause(seconds)
    }
    change(to: .completed)
  }

  private func change(to state: TaskState) {
    current.withLock { $0 = state }
    MainQueue.async { self.handler(self, state) }
  }
}
