// Figures of a gate.

internal import CWeir

extension Gate {
  /// Figures of a gate.
  ///
  /// The corresponding C type is `weir_gate_stats_t`.
  public struct Statistics: Sendable {
    private let stats: weir_gate_stats_t

    init(_ stats: weir_gate_stats_t) {
      self.stats = stats
    }

    /// How many permits there are.
    public var permits: Int { Int(clamping: stats.permits) }
    /// How many are out.
    public var inUse: Int { Int(clamping: stats.in_use) }
    /// The most that were ever out.
    public var peak: Int { Int(clamping: stats.peak) }
    /// Who waits now: threads, tasks, and work that was submitted.
    public var waiting: Int { Int(clamping: stats.waiting) }
    /// How often permits were obtained.
    public var acquired: UInt64 { stats.waits }
    /// How often of these it took a wait.
    public var blocked: UInt64 { stats.blocked }
    /// Waits that gave up at their time-out.
    public var timedOut: UInt64 { stats.timed_out }
    /// Waits that were ended: by a close or a resize, by the cancellation of a
    /// task, or by a loan.
    public var cancelled: UInt64 { stats.cancelled }
    /// Waiters who were let through by permits given back.
    public var woken: UInt64 { stats.woken }
    /// How long all who had to wait waited together, in nanoseconds.
    public var nanosecondsWaited: UInt64 { stats.nanoseconds_waited }
    /// How long the one waited who waited longest, in nanoseconds.
    public var nanosecondsWaitedMost: UInt64 { stats.nanoseconds_waited_most }
    /// Whether it is closed.
    public var isClosed: Bool { stats.closed }
  }

  /// The figures. Each is right by itself; they are not of one instant.
  ///
  /// - Complexity: O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_gate_stats`.
  public var statistics: Statistics {
    var stats = weir_gate_stats_t()
    weir_gate_stats(handle, &stats, MemoryLayout.size(ofValue: stats))
    return Statistics(stats)
  }
}
