// When something was.

#if Tool
  /// A point in time, as file systems keep it: to the nanosecond.
  public struct FileTime: Sendable, Hashable {
    /// Seconds since the beginning of 1970, rounded down.
    public var seconds: Int64
    /// Nanoseconds behind these: 0 to 999,999,999.
    public var nanoseconds: Int32

    /// Makes one of its parts.
    public init(seconds: Int64, nanoseconds: Int32) {
      self.seconds = seconds
      self.nanoseconds = nanoseconds
    }
  }
#endif
