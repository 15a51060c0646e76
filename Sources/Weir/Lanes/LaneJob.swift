// A job on its way through lanes.

/// What lanes are handed for a job. Exactly one of its closures is called, once:
/// ``run(_:)`` and ``drop(_:)`` take what ``give(_:dropped:rooms:)`` gave.
final class LaneJob {
  private let work: Work
  private let dropped: Work?
  private let rooms: RoomWaits?

  private init(_ work: @escaping Work, _ dropped: Work?, _ rooms: RoomWaits?) {
    self.work = work
    self.dropped = dropped
    self.rooms = rooms
  }

  /// A pointer that owns the job until it is run or dropped.
  ///
  /// - Parameter rooms: Who waits for the place that it takes.
  static func give(
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
    guard let pointer else { fatalError("lanes handed back no job") }
    return Unmanaged<LaneJob>.fromOpaque(pointer).takeRetainedValue()
  }
}
