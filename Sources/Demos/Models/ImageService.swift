// The image tutorial's service: one object that makes all requests, and knows
// how many there may be. This is the tutorial's code, faults included.

internal import Dispatch
internal import Synchronization
internal import Weir

/// Fetches images in a queue's blocks, and limits them with a semaphore.
public final class ImageService: Sendable {
  /// Where its blocks run.
  public enum Queue: Sendable {
    /// A concurrent queue, as in the tutorial.
    case concurrent
    /// A thread for each of so many blocks at once, as Apple's pool gives.
    case lanes(Int)
  }

  /// What it was made with.
  public let options: ImageOptions
  /// The lines, in order, on the threads on which they are due.
  public let feed = Feed<ImageLine>()
  /// The requests that are under way.
  public let requests = Meter()
  /// The blocks that have a thread: those that wait, too.
  public let blocks = Meter()

  private let source: PictureSource
  private let semaphore: DispatchSemaphore
  private let submit: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let counter = Mutex(0)

  /// A service that nothing has been asked of.
  public init(_ options: ImageOptions, on queue: Queue = .concurrent, source: PictureSource) {
    self.options = options
    self.source = source
    semaphore = DispatchSemaphore(value: options.limit)
    switch queue {
    case .concurrent:
      let images = DispatchQueue(label: options.label, qos: .utility, attributes: .concurrent)
      submit = { images.async(execute: $0) }
    case .lanes(let width):
      let lanes = Lanes(label: options.label, width: width)
      submit = { lanes.async($0) }
    }
  }

  /// Fetches an image and hands it to `completion`, on the main queue; `nil`
  /// where there is none.
  ///
  /// Blocks: where the options say so.
  public func image(_ id: Int, completion: @escaping @Sendable (Picture?) -> Void) {
    switch options.place {
    case .queue:
      submit {
        self.blocks.enter()
        self.fetch(id, self.wait(), completion)
        self.blocks.leave()
      }
    case .caller:
      let result = wait()
      submit { self.fetch(id, result, completion) }
    }
  }

  private func wait() -> DispatchTimeoutResult? {
    switch options.wait {
    case .none:
      return nil
    case .forever:
      semaphore.wait()
      return .success
    case .timeout(let seconds):
      return semaphore.wait(timeout: .now() + options.pace.interval(seconds))
    case .wallTimeout(let seconds):
      return semaphore.wait(wallTimeout: .now() + options.pace.interval(seconds))
    }
  }

  private func fetch(
    _ id: Int, _ result: DispatchTimeoutResult?,
    _ completion: @escaping @Sendable (Picture?) -> Void
  ) {
    // The tutorial adds without a lock, on many threads at once.
    let number = counter.withLock { counter in
      counter += 1
      feed.send(.start(counter, timedOut: result.map { $0 == .timedOut }))
      return counter
    }
    requests.enter()
    let picture = try? source.blocking(id)
    requests.leave()
    MainQueue.async {
      completion(picture)
      // Also after a wait that timed out, and so took nothing: from then on
      // the semaphore lets more through than its limit.
      let woken = result.map { _ in self.semaphore.signal() > 0 }
      self.feed.send(.end(number, woken: woken))
    }
  }
}
