// The statistics of lanes.

internal import CWeir

extension Lanes {
  /// The statistics of lanes, of one instant except ``refused``.
  ///
  ///     let lanes = Lanes(label: "downloads", width: 16)
  ///     let statistics = lanes.statistics
  ///     print("\(statistics.running) of \(statistics.width) lanes run")
  ///     print(statistics)
  ///
  /// The corresponding C type is `weir_lanes_stats_t`.
  public struct Statistics: Sendable {
    fileprivate let statistics: weir_lanes_stats_t

    /// The number of jobs that were not run because the lanes, or their gate, were closed.
    public var refused: Int { refusals }
    fileprivate let refusals: Int

    /// The number of lanes; 1 for inline lanes.
    public var width: Int { Int(clamping: statistics.width) }

    /// The number of jobs running now.
    public var running: Int { Int(clamping: statistics.running) }

    /// The highest number of jobs running at once.
    public var peak: Int { Int(clamping: statistics.peak) }

    /// The number of jobs queued now.
    public var queued: Int { Int(clamping: statistics.queued) }

    /// The highest number of jobs queued at once.
    package var queuedPeak: Int { Int(clamping: statistics.queued_peak) }

    /// The number of jobs accepted so far.
    package var submitted: Int { Int(clamping: statistics.submitted) }

    /// The number of jobs that have ended.
    public var finished: Int { Int(clamping: statistics.finished) }

    /// The number of submissions that had to wait for the backlog.
    package var blocked: Int { Int(clamping: statistics.blocked) }

    /// The number of jobs that ``Lanes/cancel()`` dropped.
    public var dropped: Int { Int(clamping: statistics.dropped) }

    /// The number of lanes that were woken and do not run yet.
    package var starting: Int { Int(clamping: statistics.starting) }

    /// The number of running jobs that wait for permits of a gate.
    package var atGates: Int { Int(clamping: statistics.at_gates) }

    /// The number of ``Lanes/suspend()`` calls in force.
    package var suspensions: Int { Int(clamping: statistics.suspended) }

    /// A Boolean value that indicates whether ``Lanes/close()`` was called.
    public var isClosed: Bool { statistics.closed }

    /// The bottleneck: the reason that no more jobs run.
    package var limit: Limit { Limit(statistics.limit) }
  }

  /// The reason that no more jobs run at once.
  ///
  /// Its description is a few words of English, such as "all lanes are busy".
  ///
  /// The corresponding C type is `weir_lanes_limit_t`.
  package enum Limit: Sendable, CustomStringConvertible {
    /// All lanes are busy.
    case width
    /// No more jobs are queued: the code that submits is the bottleneck.
    case work
    /// The lanes are suspended.
    case suspended
    /// Jobs are queued and lanes were woken, but libdispatch has not yet given them threads. The
    /// state lasts if all 255 threads are in use.
    case threads
    /// All lanes are busy, but some of the jobs wait for permits of a gate.
    case gate

    /// The reason in words.
    ///
    /// The corresponding C function is `weir_lanes_limit_text`.
    package var description: String { String(cString: weir_lanes_limit_text(cValue)) }

    /// The reasons in the order of the C constants, which begin with 0.
    private static let all: [Limit] = [.width, .work, .suspended, .threads, .gate]

    fileprivate init(_ limit: weir_lanes_limit_t) {
      let number = Int(limit.rawValue)
      self = number < Limit.all.count ? Limit.all[number] : .width
    }

    private var cValue: weir_lanes_limit_t {
      weir_lanes_limit_t(UInt32(Limit.all.firstIndex(of: self) ?? 0))
    }
  }

  /// The current statistics, for display and for tests.
  ///
  /// - Complexity: O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_stats`.
  public var statistics: Statistics {
    var stats = weir_lanes_stats_t()
    weir_lanes_stats(handle, &stats, MemoryLayout.size(ofValue: stats))
    return Statistics(statistics: stats, refusals: refusals.count)
  }
}

extension Lanes.Statistics: CustomStringConvertible {
  /// The numbers in one line of English, those of rare events only if they are not 0, and the
  /// reason that no more jobs run, such as "all lanes are busy".
  public var description: String {
    var parts = ["\(running) of \(width) lanes run (peak \(peak))"]
    parts.append("\(queued) queued (peak \(queuedPeak))")
    parts.append("\(finished) of \(submitted) jobs finished")
    if dropped > 0 { parts.append("\(dropped) dropped") }
    if refused > 0 { parts.append("\(refused) refused") }
    if isClosed { parts.append("closed") }
    return "\(parts.joined(separator: ", ")); \(limit)"
  }
}
