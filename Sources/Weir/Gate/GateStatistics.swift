// The statistics of a gate.

internal import CWeir

extension Gate {
  /// The statistics of a gate.
  ///
  ///     import Weir
  ///
  ///     let gate = Gate(label: "connections", permits: 8)
  ///     gate.withPermit { print(gate.statistics) }
  ///     // 1 of 8 permits in use (peak 1), 0 waiting, 1 acquired
  ///
  /// The corresponding C type is `weir_gate_stats_t`.
  public struct Statistics: Sendable {
    private let stats: weir_gate_stats_t

    init(_ stats: weir_gate_stats_t) {
      self.stats = stats
    }

    /// The number of permits, free or in use.
    public var permits: Int { Int(clamping: stats.permits) }
    /// The number of permits in use.
    public var inUse: Int { Int(clamping: stats.in_use) }
    /// The highest number of permits in use so far.
    public var peak: Int { Int(clamping: stats.peak) }
    /// The number of waiters: threads, tasks, and submitted work.
    public var waiting: Int { Int(clamping: stats.waiting) }
    /// The number of successful acquisitions.
    public var acquired: UInt64 { stats.waits }
    /// The number of acquisitions that had to wait.
    public var blocked: UInt64 { stats.blocked }
    /// The number of waits that reached their time-out.
    public var timedOut: UInt64 { stats.timed_out }
    /// The total time of all waits.
    package var timeWaited: Duration { .nanoseconds(Int64(clamping: stats.nanoseconds_waited)) }
    /// The longest wait.
    package var longestWait: Duration {
      .nanoseconds(Int64(clamping: stats.nanoseconds_waited_most))
    }
    var isClosed: Bool { stats.closed }
  }

  /// The current statistics. Each value is exact, but they are not of one instant. Blocks: no. The
  /// corresponding C function is `weir_gate_stats`.
  public var statistics: Statistics {
    var stats = weir_gate_stats_t()
    weir_gate_stats(handle, &stats, MemoryLayout.size(ofValue: stats))
    return Statistics(stats)
  }
}

extension Gate.Statistics: CustomStringConvertible {
  /// The numbers in one line of English; those of rare events only if they are not 0.
  public var description: String {
    var parts = ["\(inUse) of \(permits) permits in use (peak \(peak))"]
    parts.append("\(waiting) waiting")
    parts.append("\(acquired) acquired")
    if blocked > 0 { parts.append("\(blocked) of them after a wait") }
    if timedOut > 0 { parts.append("\(timedOut) timed out") }
    if stats.cancelled > 0 { parts.append("\(stats.cancelled) cancelled") }
    if timeWaited > .zero {
      parts.append("\(timeWaited.short) waited in all (at most \(longestWait.short))")
    }
    if isClosed { parts.append("closed") }
    return parts.joined(separator: ", ")
  }
}
