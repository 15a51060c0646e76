// The image service once more, with a gate: who waits is a task and has no
// thread, and who timed out has no permit.

internal import Dispatch
internal import Synchronization
internal import Weir

/// Fetches images in tasks, and limits them with a gate. It is called as
/// ``ImageService`` is.
public final class GatedImageService: Sendable {
  /// What it was made with.
  public let options: ImageOptions
  /// The lines, in order.
  public let feed = Feed<ImageLine>()
  /// The requests that are under way.
  public let requests = Meter()

  private let source: PictureSource
  private let gate: Gate
  private let counter = Mutex(0)

  /// A service that nothing has been asked of.
  public init(_ options: ImageOptions, source: PictureSource) {
    self.options = options
    self.source = source
    gate = Gate(label: options.label, permits: options.limit)
  }

  /// How many requests there may be at once. It can be changed while they run,
  /// which a semaphore cannot.
  public var limit: Int {
    get { gate.permits }
    set { gate.permits = newValue }
  }

  /// How many wait for their turn now. A semaphore does not say.
  public var waiting: Int { gate.statistics.waiting }

  /// Fetches an image and hands it to `completion`, on the main queue; `nil`
  /// where there is none, or it timed out.
  ///
  /// Blocks: no.
  public func image(_ id: Int, completion: @escaping @Sendable (Picture?) -> Void) {
    Task(priority: .utility) {
      if options.wait == .none {
        let number = await fetch(id, timedOut: nil, completion)
        feed.send(.end(number, woken: nil))
      } else if let permit = try? await acquire() {
        let number = await fetch(id, timedOut: false, completion)
        feed.send(.end(number, woken: permit.release() > 0))
      } else {
        await MainQueue.run { completion(nil) }
        feed.send(.refused(id))
      }
    }
  }

  private func acquire() async throws -> Permit {
    switch options.wait {
    case .none, .forever:
      try await gate.acquire()
    case .timeout(let seconds):
      try await gate.acquire(timeout: .now() + options.pace.interval(seconds))
    case .wallTimeout(let seconds):
      try await gate.acquire(wallTimeout: .now() + options.pace.interval(seconds))
    }
  }

  /// Returns the number of its START line.
  private func fetch(
    _ id: Int, timedOut: Bool?, _ completion: @escaping @Sendable (Picture?) -> Void
  ) async -> Int {
    let number = counter.withLock { counter in
      counter += 1
      feed.send(.start(counter, timedOut: timedOut))
      return counter
    }
    requests.enter()
    let picture = try? await source.suspending(id)
    requests.leave()
    await MainQueue.run { completion(picture) }
    return number
  }
}
