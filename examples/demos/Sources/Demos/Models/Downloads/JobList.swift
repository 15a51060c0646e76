// The download tutorial's screen, without a screen: two lists, controls that are disabled while
// it runs, and the message at the end.

internal import Synchronization
internal import Weir

/// The downloads, in two lists.
///
/// A view observes the ``feed`` and reads the ``lists``.
public final class JobList: Sendable {
  /// The ways to run and limit the tasks.
  public enum Form: String, Sendable, CaseIterable {
    /// A concurrent queue, and a semaphore in each block.
    case article
    /// Weir's lanes: as many as may run at once.
    case lanes
    /// Swift tasks that wait at Weir's gate.
    case gate
  }

  /// A change of the screen.
  public enum Event: Sendable, Equatable {
    case controls(isEnabled: Bool)
    case task(Int, TaskState)
    case message(String)
  }

  /// The text of the alert at the end.
  public static let closingMessage = "All Download tasks has been completed 😋😋😋"

  /// The options of the list.
  public let options: DownloadOptions
  /// The changes of the screen, in order, on the main queue.
  public let feed = Feed<Event>()

  private struct State {
    var lists = Lists()
    var meter = Meter()
  }

  private let machine: any Machine
  private let main: TracedQueue
  private let state = Mutex(State())

  /// Creates a list that has not been started.
  ///
  /// - Parameter machine: The machine; by default the real one, at the speed of the options.
  public init(_ options: DownloadOptions, on machine: (any Machine)? = nil) {
    let machine = machine ?? RealMachine(speed: options.pace.speed)
    self.options = options
    self.machine = machine
    main = TracedQueue(mainOf: machine)
  }

  /// The current contents of the screen.
  public var lists: Lists { state.withLock { $0.lists } }
  /// The maximum number of tasks in progress at once, in this run or the last.
  public var peak: Int { state.withLock { $0.meter }.peak }

  /// Starts the tasks, as the Start button does. Has no effect during a run: the button is
  /// disabled.
  ///
  /// Blocks: no.
  ///
  /// - Parameter closed: Called on the main queue after the closing message.
  /// - Returns: True if the run has started.
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
    main.async {
      note("controls disabled")
      for id in ids { note("pending", id) }
      self.feed.send(.controls(isEnabled: false))
    }
    let tasks = zip(ids, options.seconds()).map { id, seconds in
      DownloadTask(
        identifier: id, seconds: seconds, machine: machine, main: main, meter: meter,
        forgotten: options.forgotten
      ) { task, state in self.show(state, of: task.identifier) }
    }
    let group = TracedGroup(machine, label: "group")
    start(tasks, form, group)
    if options.waitsSynchronously {
      // The tutorial names this way and does not take it: the thread that waits is blocked.
      TracedQueue(machine, label: "waiter", .serial).async {
        _ = group.wait()
        self.main.async { self.close(closed) }
      }
    } else {
      group.notify(on: main) { self.close(closed) }
    }
    return true
  }

  /// Runs the tasks and suspends until the closing message.
  public func run(_ form: Form) async {
    await withCheckedContinuation { continuation in
      if !start(form, closed: { continuation.resume() }) {
        continuation.resume()
      }
    }
  }

  private func start(_ tasks: [DownloadTask], _ form: Form, _ group: TracedGroup) {
    switch form {
    case .article:
      let queue = TracedQueue(
        machine, label: "downloads", .concurrent, quality: .userInitiated)
      let semaphore = TracedSemaphore(machine, label: "semaphore", permits: options.limit)
      tasks.forEach { $0.start(on: queue, group: group, semaphore: semaphore) }
    case .lanes:
      let lanes = TracedQueue(machine, label: "downloads", .lanes(options.limit))
      tasks.forEach { $0.start(on: lanes, group: group) }
    case .gate:
      let gate = Gate(label: "gate", permits: options.limit)
      note(permits: options.limit, of: "gate")
      let traced = TracedTasks(label: "downloads")
      tasks.forEach { $0.start(through: gate, among: traced, group: group) }
    }
  }

  /// Updates the rows of a task, on the main queue.
  private func show(_ new: TaskState, of id: Int) {
    let isOnMain = machine.isOnMainQueue
    if let percentage = new.percentage {
      Trace.note("progress", job: UInt64(id), value: percentage)
    } else if new == .completed {
      note("completed", id)
    }
    state.withLock { state in
      state.lists.show(new, of: id)
      state.lists.handlerCalls += 1
      state.lists.handlerCallsOnMain += isOnMain ? 1 : 0
    }
    feed.send(.task(id, new))
  }

  /// Shows the message, on the main queue, after the changes that the tasks have sent there.
  private func close(_ closed: () -> Void) {
    Trace.note("alert: \(Self.closingMessage)", value: machine.isOnMainQueue ? 1 : 0)
    feed.send(.message(Self.closingMessage))
    state.withLock { $0.lists.areControlsEnabled = true }
    note("controls enabled")
    feed.send(.controls(isEnabled: true))
    closed()
  }
}
