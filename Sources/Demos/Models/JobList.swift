// The download tutorial's screen, without a screen: two lists, controls that
// are disabled while it runs, and the message at the end.

internal import Dispatch
internal import Synchronization
internal import Weir

/// The downloads, in two lists.
///
/// Whoever shows them observes the ``feed`` and reads the ``lists``.
public final class JobList: Sendable {
  /// How the tasks are run and limited.
  public enum Form: String, Sendable, CaseIterable {
    /// A concurrent queue, and a semaphore in each block.
    case article
    /// Weir's lanes: as many as may run at once.
    case lanes
    /// Swift tasks that wait at Weir's gate, and a group of them.
    case gate
  }

  /// What a screen would show.
  public enum Event: Sendable, Equatable {
    case controls(isEnabled: Bool)
    case task(Int, TaskState)
    case message(String)
  }

  /// What the alert says at the end.
  public static let closingMessage = "All Download tasks has been completed 😋😋😋"

  /// What it was made with.
  public let options: DownloadOptions
  /// What happens, in order, on the main queue.
  public let feed = Feed<Event>()

  private struct State {
    var lists = Lists()
    var meter = Meter()
  }

  private let state = Mutex(State())

  /// A list that has not been started.
  public init(_ options: DownloadOptions) {
    self.options = options
  }

  /// What the screen shows now.
  public var lists: Lists { state.withLock { $0.lists } }
  /// The most tasks that were in progress at once, in this run or the last.
  public var peak: Int { state.withLock { $0.meter }.peak }

  /// What the Start button does. Nothing while it runs: the button is disabled.
  ///
  /// Blocks: no.
  ///
  /// - Parameter closed: Is called on the main queue after the closing message.
  /// - Returns: Whether it has started.
  @discardableResult
  public func start(_ form: Form, closed: @escaping @Sendable () -> Void = {}) -> Bool {
    let ids = 1...options.tasks
    let meter = Meter()
    let isStarted = state.withLock { state in
      guard state.lists.areControlsEnabled else { return false }
      state.lists = Lists(downloads: ids.map { Lists.Row(id: $0, state: .pending) })
      state.meter = meter
      return true
    }
    guard isStarted else { return false }
    MainQueue.async { self.feed.send(.controls(isEnabled: false)) }
    let tasks = zip(ids, options.seconds()).map { id, seconds in
      DownloadTask(
        identifier: id, seconds: seconds, pace: options.pace, meter: meter
      ) { task, state in self.show(state, of: task.identifier) }
    }
    let close: @Sendable () -> Void = {
      self.close()
      closed()
    }
    switch form {
    case .article: startArticle(tasks, close)
    case .lanes: startLanes(tasks, close)
    case .gate: startTasks(tasks, close)
    }
    return true
  }

  /// Runs it and suspends until the closing message.
  public func run(_ form: Form) async {
    await withCheckedContinuation { continuation in
      if !start(form, closed: { continuation.resume() }) {
        continuation.resume()
      }
    }
  }

  private func startArticle(_ tasks: [DownloadTask], _ close: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "downloads", qos: .userInitiated, attributes: .concurrent)
    let group = DispatchGroup()
    let semaphore = DispatchSemaphore(value: options.limit)
    tasks.forEach { $0.start(on: queue, group: group, semaphore: semaphore) }
    group.notify(queue: .main, execute: close)
  }

  private func startLanes(_ tasks: [DownloadTask], _ close: @escaping @Sendable () -> Void) {
    let lanes = Lanes(label: "downloads", width: options.limit)
    tasks.forEach { $0.start(on: lanes) }
    lanes.notify(on: .main, close)
  }

  private func startTasks(_ tasks: [DownloadTask], _ close: @escaping @Sendable () -> Void) {
    let gate = Gate(label: "downloads", permits: options.limit)
    let group = WorkGroup(label: "downloads")
    tasks.forEach { $0.start(through: gate, in: group) }
    group.notify(on: .main) { _ in close() }
  }

  /// On the main queue: the rows follow the task.
  private func show(_ new: TaskState, of id: Int) {
    let isOnMain = MainQueue.isCurrent
    state.withLock { state in
      state.lists.show(new, of: id)
      state.lists.handlerCalls += 1
      state.lists.handlerCallsOnMain += isOnMain ? 1 : 0
    }
    feed.send(.task(id, new))
  }

  /// On the main queue, behind what the tasks have sent there.
  private func close() {
    feed.send(.message(Self.closingMessage))
    state.withLock { $0.lists.areControlsEnabled = true }
    feed.send(.controls(isEnabled: true))
  }
}
