// A job on its way through lanes.

/// What lanes are handed for a job. Exactly one of its closures is called, once:
/// ``run(_:)`` and ``drop(_:)`` take what ``give(_:dropped:)`` gave.
final class LaneJob {
  private let work: Work
  private let dropped: Work?

  private init(_ work: @escaping Work, _ dropped: Work?) {
    self.work = work
    self.dropped = dropped
  }

  /// A pointer that owns the job until it is run or dropped.
  static func give(_ work: @escaping Work, dropped: Work?) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(LaneJob(work, dropped)).toOpaque()
  }

  static func run(_ pointer: UnsafeMutableRawPointer?) {
    take(pointer).work()
  }

  static func drop(_ pointer: UnsafeMutableRawPointer?) {
    take(pointer).dropped?()
  }

  private static func take(_ pointer: UnsafeMutableRawPointer?) -> LaneJob {
    guard let pointer else { fatalError("lanes handed back no job") }
    return Unmanaged<LaneJob>.fromOpaque(pointer).takeRetainedValue()
  }
}
