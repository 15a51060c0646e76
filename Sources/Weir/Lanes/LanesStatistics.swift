// The statistics of lanes.

package import CWeir

extension Lanes {
  /// The statistics of lanes, of one instant except ``refused``.
  ///
  ///     let lanes = Lanes(label: "downloads", width: 16)
  ///     print("\(lanes.statistics.running) jobs run")
  ///
  /// The corresponding C type is `weir_lanes_stats_t`.
  public struct Statistics: Sendable {
    /// The statistics as the C type.
    package let c: weir_lanes_stats_t

    /// The number of jobs that were refused: by ``Lanes/tryAsync(_:)`` for want of room, or by any
    /// call because the lanes, or their gate, were closed.
    public var refused: Int { Int(clamping: c.refused) + refusals }
    fileprivate let refusals: Int

    /// The number of lanes; 1 for inline lanes.
    package var width: Int { Int(clamping: c.width) }

    /// The number of jobs running now.
    public var running: Int { Int(clamping: c.running) }

    /// The highest number of jobs running at once.
    public var peak: Int { Int(clamping: c.peak) }

    /// The number of jobs queued now.
    public var queued: Int { Int(clamping: c.queued) }

    /// The number of jobs that have ended.
    public var finished: Int { Int(clamping: c.finished) }

    /// The number of jobs that ``Lanes/cancel()`` dropped, or that were withdrawn when accepted.
    public var dropped: Int { Int(clamping: c.dropped) }

    /// A Boolean value that indicates whether ``Lanes/close()`` was called.
    public var isClosed: Bool { c.closed }

    /// True if jobs wait only because the lanes of this process hold all threads that they may have
    /// together: 240 for each quality of service. libdispatch has 255; the rest is for other
    /// queues, such as the main actor's. The first time that a lane waits for a thread, a warning
    /// on standard error names its lanes.
    public var isShortOfThreads: Bool {
      c.limit == WEIR_LANES_LIMIT_THREADS && c.threads >= Self.threadsMax
    }

    /// `WEIR_LANES_THREADS_MAX`, which has a cast in C.
    private static let threadsMax = 240

    /// The reason that no more jobs run, in words.
    package var limit: String { String(cString: weir_lanes_limit_text(c.limit)) }
  }

  /// The current statistics, for display and for tests. Blocks: no. The corresponding C function is
  /// `weir_lanes_stats`.
  public var statistics: Statistics {
    var stats = weir_lanes_stats_t()
    weir_lanes_stats(handle, &stats, MemoryLayout.size(ofValue: stats))
    return Statistics(c: stats, refusals: refusals.count)
  }
}

extension Lanes.Statistics: CustomStringConvertible {
  /// The numbers in one line of English, and the reason that no more jobs run.
  public var description: String {
    var parts = ["\(running) of \(width) lanes run (peak \(peak))"]
    parts.append("\(queued) queued (peak \(c.queued_peak))")
    parts.append("\(finished) of \(c.submitted) jobs finished")
    if dropped > 0 { parts.append("\(dropped) dropped") }
    if refused > 0 { parts.append("\(refused) refused") }
    if isClosed { parts.append("closed") }
    return "\(parts.joined(separator: ", ")); \(limit)"
  }
}
