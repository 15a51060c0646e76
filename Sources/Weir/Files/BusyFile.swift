// What a lane is at.

/// A file that a lane is at, and for how long.
///
/// The corresponding C type is `weir_files_busy_t`.
public struct BusyFile: Sendable {
  /// Which lane.
  public let lane: Int
  /// The bytes of its path, without a NUL.
  public let path: [UInt8]
  /// How long the lane has been at it, to within some milliseconds.
  public let nanoseconds: UInt64
}
