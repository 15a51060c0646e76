// The image tutorial's service: one object that makes all requests and limits them. This is the
// tutorial's code, with its mistakes.

internal import Dispatch
internal import Synchronization

/// Fetches images in a queue's blocks, and limits them with a semaphore.
final class ImageService: Sendable {
  enum Queue: Sendable {
    /// A concurrent queue, as in the tutorial.
    case concurrent
    /// A thread for each of this number of blocks, as Apple's pool gives.
    case lanes(Int)
  }

  private let options: ImageOptions
  private let source: PictureSource
  /// The limit; `nil` for none.
  private let semaphore: TracedSemaphore?
  private let queue: TracedQueue
  private let main: TracedQueue
  private let requests: ImageRequests
  private let items = Mutex<[Int: WorkItem]>([:])

  /// - Parameter over: Called after the last line of each request.
  init(
    _ options: ImageOptions, on queue: Queue, machine: any Machine, source: PictureSource,
    over: @escaping @Sendable () -> Void
  ) {
    self.options = options
    self.source = source
    requests = ImageRequests(options, over: over)
    semaphore =
      options.wait == .none
      ? nil : TracedSemaphore(machine, label: "semaphore", permits: options.limit)
    main = TracedQueue(mainOf: machine)
    switch queue {
    case .concurrent:
      self.queue = TracedQueue(
        machine, label: options.label, .concurrent, quality: .utility)
    case .lanes(let width):
      self.queue = TracedQueue(machine, label: options.label, .lanes(width))
    }
  }

  /// Fetches an image and passes it to `completion` on the main queue; `nil` if there is none.
  /// Blocks: if the options say so.
  func image(_ id: Int, completion: @escaping @Sendable (Picture?) -> Void) {
    switch options.place {
    case .queue:
      let hasBegun = Atomic<Bool>(false)
      let item = WorkItem(
        DispatchWorkItem {
          hasBegun.store(true, ordering: .relaxed)
          self.fetch(id, self.wait(), completion)
        })
      items.withLock { $0[id] = item }
      queue.async {
        item.item.perform()  // nothing, if the item was cancelled
        if hasBegun.load(ordering: .relaxed) { return }
        self.requests.cancel(id)
      }
    case .caller:
      let isTimedOut = wait()
      queue.async { self.fetch(id, isTimedOut, completion) }
    }
  }

  /// Raises the limit while requests run, by signals that belong to no wait; returns the number of
  /// threads that were woken. A semaphore's limit cannot be lowered but by waits.
  func raiseLimit(to limit: Int) -> Int {
    (options.limit..<limit).count { _ in semaphore?.signal() == true }
  }

  /// Cancels the work item of an image: one that has begun goes on, and one that has not never
  /// does.
  func cancel(_ id: Int) {
    note("cancel", id)
    items.withLock { $0[id] }?.item.cancel()
  }

  /// - Returns: True if the wait timed out; `nil` without a limit.
  private func wait() -> Bool? {
    switch options.wait {
    case .none: nil
    case .forever: semaphore.map { !$0.wait() }
    case .wallTimeout(let seconds): semaphore.map { !$0.wait(seconds: seconds) }
    }
  }

  private func fetch(
    _ id: Int, _ isTimedOut: Bool?, _ completion: @escaping @Sendable (Picture?) -> Void
  ) {
    let number = requests.begin(timedOut: isTimedOut)
    let picture = try? source.blocking(id)
    note("response", number)
    main.async {
      completion(picture)
      // Also after a wait that timed out and took nothing: from then on the semaphore lets more
      // through than its limit.
      let woken = isTimedOut.flatMap { _ in self.semaphore?.signal() }
      self.requests.end(number, woken: woken)
    }
  }
}

/// A work item. Any thread may perform or cancel it, which its type does not say.
private struct WorkItem: @unchecked Sendable {
  let item: DispatchWorkItem
  init(_ item: DispatchWorkItem) { self.item = item }
}
