// Submitting to lanes from async code.

internal import CWeir

extension Lanes {
  /// Submits a job, suspending the task while the backlog is full.
  ///
  ///     func thumbnails(_ count: Int) async throws {
  ///       let lanes = Lanes(label: "thumbnails", width: 2, backlog: 100)
  ///       for number in 1...count {
  ///         try await lanes.submit { print("thumbnail \(number)") }
  ///       }
  ///       await lanes.wait()
  ///     }
  ///
  /// It is what ``async(_:)`` is for threads. Tasks that wait are served in the
  /// order in which they came, each as soon as a job has started. Threads that wait
  /// in ``async(_:)`` at the same time are not in that line, and may have to stand
  /// back while it lasts.
  ///
  /// - Parameter job: What to do. Once it has been submitted ``cancel()`` may still
  ///   drop it.
  ///
  /// - Throws: `CancellationError` where it was not submitted: since the task was
  ///   cancelled before there was room, or the lanes are closed.
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
      // Without a backlog there is room as long as they are open.
      guard tryAsync(job) else { throw CancellationError() }
      return
    }
    let made = RoomWaits.SendableJob(pointer: give(job, dropped: nil))
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
