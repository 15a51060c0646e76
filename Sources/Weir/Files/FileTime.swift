// A time as a file has it.

// Whose fields those of timespec are depends on which module is met first.
internal import CDispatch
internal import Glibc

/// A time of a file: seconds since 1970 and what is left, in nanoseconds.
///
///     let time = FileTime(seconds: 0, nanoseconds: 5)
///     print(time < FileTime(seconds: 1, nanoseconds: 0))
///
/// The corresponding C type is `timespec`.
public struct FileTime: Sendable, Hashable, Comparable {
  /// Whole seconds since the beginning of 1970, or before it.
  public var seconds: Int64
  /// What is left of a second, 0 to 999,999,999.
  public var nanoseconds: Int32

  /// Makes a time.
  ///
  /// - Parameters:
  ///   - seconds: Whole seconds since the beginning of 1970; negative for before.
  ///   - nanoseconds: What is left, from there on.
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// There is no corresponding C function.
  public init(seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  /// Whether one time is before another.
  ///
  /// There is no corresponding C function.
  public static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
