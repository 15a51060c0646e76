// The image service with a gate: a waiting request is a task without a thread, and a request that
// timed out has no permit.

internal import Dispatch
internal import Weir

/// Fetches images in tasks, and limits them with a gate. It is called as ``ImageService`` is.
final class GatedImageService: Sendable {
  private let options: ImageOptions
  private let machine: any Machine
  private let source: PictureSource
  private let gate: Gate
  private let tasks: TracedTasks
  private let main: TracedQueue
  private let requests: ImageRequests

  /// - Parameter over: Called after the last line of each request.
  init(
    _ options: ImageOptions, machine: any Machine, source: PictureSource,
    over: @escaping @Sendable () -> Void
  ) {
    self.options = options
    self.machine = machine
    self.source = source
    requests = ImageRequests(options, over: over)
    gate = Gate(label: "gate", permits: options.limit)
    if options.wait != .none { note(permits: options.limit, of: "gate") }
    tasks = TracedTasks(label: options.label)
    main = TracedQueue(mainOf: machine)
  }

  /// Changes the maximum number of requests at once, which that of a semaphore cannot.
  func setLimit(_ limit: Int) { gate.permits = limit }

  /// Fetches an image and passes it to `completion` on the main queue; `nil` if there is none or
  /// the wait timed out.
  func image(_ id: Int, completion: @escaping @Sendable (Picture?) -> Void) {
    tasks.submit(id)
    machine.task { await self.tasks.run(id) { await self.run(id, completion) } }
  }

  private func run(_ id: Int, _ completion: @escaping @Sendable (Picture?) -> Void) async {
    if options.wait == .none {
      let number = await fetch(id, timedOut: nil, completion)
      return requests.end(number, woken: nil)
    }
    let permit = try? await acquire()
    TracedTasks.resume()
    if let permit {
      let number = await fetch(id, timedOut: false, completion)
      requests.end(number, woken: permit.release() > 0)
    } else {
      await onMain { completion(nil) }
      requests.refuse(id)
    }
  }

  private func acquire() async throws -> OwnedPermit {
    switch options.wait {
    case .none, .forever:
      return try await gate.acquire().owned()
    case .wallTimeout(let seconds):
      // The gate's timers follow the real clock.
      if machine.isSimulated { return try await acquireSimulated(seconds) }
      return try await gate.acquire(timeout: .seconds(seconds / machine.speed)).owned()
    }
  }

  /// Waits for a permit, and cancels the wait after a simulated time.
  private func acquireSimulated(_ seconds: Double) async throws -> OwnedPermit {
    try await withThrowingTaskGroup(of: OwnedPermit?.self) { group in
      group.addTask {
        TracedTasks.resume()  // the child waits for the task
        return try await self.gate.acquire().owned()
      }
      group.addTask {
        try await TracedTasks.unreported { try await self.machine.pause(seconds) }
        return nil
      }
      let permit = try await TracedTasks.suspended { try await group.next() ?? nil }
      group.cancelAll()
      guard let permit else { throw CancellationError() }
      return permit
    }
  }

  /// Returns the number of its START line.
  private func fetch(
    _ id: Int, timedOut: Bool?, _ completion: @escaping @Sendable (Picture?) -> Void
  ) async -> Int {
    let number = requests.begin(timedOut: timedOut)
    let picture = try? await source.suspending(id)
    note("response", number)
    await onMain { completion(picture) }
    return number
  }

  private func onMain(_ work: @escaping @Sendable () -> Void) async {
    await TracedTasks.suspended {
      await withCheckedContinuation { continuation in
        main.async {
          work()
          continuation.resume()
        }
      }
    }
  }
}
