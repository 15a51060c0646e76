// The submission of jobs to lanes.

extension Lanes {
  /// Submits a job; suspends the task while the backlog is full.
  ///
  ///     func thumbnails(_ count: Int) async throws {
  ///       let lanes = Lanes(label: "thumbnails", width: 2, backlog: 100)
  ///       for number in 1...count {
  ///         try await lanes.submit { print("thumbnail \(number)") }
  ///       }
  ///       await lanes.wait()
  ///     }
  ///
  /// To await the result of the job use ``run(_:)``. The method is the form of ``async(_:)`` for tasks. Waiting tasks are served in order, each
  /// as soon as a job has started. Threads that wait in ``async(_:)`` at the same time are in
  /// another queue, and may wait until no task waits.
  ///
  /// - Parameter job: The job. Even after its submission ``cancel()`` may drop it.
  ///
  /// - Throws: `CancellationError` if the job was not submitted: because the task was cancelled
  ///   before there was room, or because the lanes are closed.
  ///
  /// - Complexity: O(1), amortised.
  ///
  /// Blocks: no, it suspends until there is room.
  ///
  /// The corresponding C function is `weir_lanes_try_async_f`.
  public func submit(
    _ job: @escaping @Sendable () -> Void
  ) async throws(CancellationError) {
    guard !Task.isCancelled else { throw CancellationError() }
    guard let rooms else {
      // Without a backlog there is room as long as the lanes are open.
      guard tryAsync(job) else { throw CancellationError() }
      return
    }
    let made = RoomWaits.SendableJob(pointer: retainJob(job, dropped: nil))
    guard await submit(made, by: rooms) == .over else { throw CancellationError() }
  }

  private func submit(_ job: RoomWaits.SendableJob, by rooms: RoomWaits) async -> TaskWait.End {
    let wait = TaskWait()
    let number = rooms.add(RoomWaits.Request(job: job, wait: wait))
    rooms.serve()
    return await withTaskCancellationHandler {
      await wait.end()
    } onCancel: {
      rooms.withdraw(number)
    }
  }
}

/// A job on its way through C. Exactly one of its closures is called, once: ``run(_:)`` and
/// ``drop(_:)`` take a pointer of ``retain(_:dropped:rooms:)``.
final class LaneJob {
  private let work: Work
  private let dropped: Work?
  private let rooms: RoomWaits?

  private init(_ work: @escaping Work, _ dropped: Work?, _ rooms: RoomWaits?) {
    self.work = work
    self.dropped = dropped
    self.rooms = rooms
  }

  /// Returns a pointer that owns the job until it is run or dropped.
  ///
  /// - Parameter rooms: The tasks that wait for the job's place.
  static func retain(
    _ work: @escaping Work, dropped: Work?, rooms: RoomWaits?
  ) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(LaneJob(work, dropped, rooms)).toOpaque()
  }

  static func run(_ pointer: UnsafeMutableRawPointer?) {
    let job = take(pointer)
    job.rooms?.serve()
    job.work()
  }

  static func drop(_ pointer: UnsafeMutableRawPointer?) {
    take(pointer).dropped?()
  }

  private static func take(_ pointer: UnsafeMutableRawPointer?) -> LaneJob {
    guard let pointer else { fatalError("the C library returned no job") }
    return Unmanaged<LaneJob>.fromOpaque(pointer).takeRetainedValue()
  }
}
