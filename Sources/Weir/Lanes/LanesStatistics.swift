// The figures of lanes.

internal import CWeir

extension Lanes {
  /// Figures of lanes, all of one instant but ``atGates`` and ``refused``.
  ///
  ///     let lanes = Lanes(label: "downloads", width: 16)
  ///     let figures = lanes.statistics
  ///     print("\(figures.running) of \(figures.width) run: \(figures.limit)")
  ///
  /// The corresponding C type is `weir_lanes_stats_t`.
  public struct Statistics: Sendable {
    fileprivate let statistics: weir_lanes_stats_t

    /// Jobs that were not run since the lanes were closed, or the gate that they
    /// are within.
    public var refused: Int { refusals }
    fileprivate let refusals: Int

    /// How many lanes there are; 1 for inline ones.
    public var width: Int { Int(clamping: statistics.width) }

    /// Jobs running now.
    public var running: Int { Int(clamping: statistics.running) }

    /// The most that ran at once.
    public var peak: Int { Int(clamping: statistics.peak) }

    /// Jobs queued now.
    public var queued: Int { Int(clamping: statistics.queued) }

    /// The most that were queued.
    public var queuedPeak: Int { Int(clamping: statistics.queued_peak) }

    /// Jobs ever accepted.
    public var submitted: Int { Int(clamping: statistics.submitted) }

    /// Jobs that have ended.
    public var finished: Int { Int(clamping: statistics.finished) }

    /// Submits whose thread had to wait for the backlog.
    public var blocked: Int { Int(clamping: statistics.blocked) }

    /// Jobs that ``Lanes/cancel()`` dropped.
    public var dropped: Int { Int(clamping: statistics.dropped) }

    /// Lanes that were woken and do not run yet.
    public var starting: Int { Int(clamping: statistics.starting) }

    /// Running jobs that wait for permits of a gate.
    public var atGates: Int { Int(clamping: statistics.at_gates) }

    /// How many ``Lanes/suspend()`` are in force.
    public var suspensions: Int { Int(clamping: statistics.suspended) }

    /// Whether ``Lanes/close()`` was called.
    public var isClosed: Bool { statistics.closed }

    /// Why no more jobs run than do.
    public var limit: Limit { Limit(statistics.limit) }
  }

  /// Why no more jobs run than do.
  ///
  /// Its description is a few words of English, such as "all lanes are busy".
  ///
  /// The corresponding C type is `weir_lanes_limit_t`.
  public enum Limit: Sendable, CustomStringConvertible {
    /// As many run as were asked for.
    case width
    /// There are no more jobs: look at who submits them.
    case work
    /// The lanes are suspended.
    case suspended
    /// Jobs are queued and lanes were woken, and libdispatch has not yet given
    /// them threads; lasting, when all 255 are taken.
    case threads
    /// As many run as were asked for, but some of them wait for permits of a
    /// gate.
    case gate

    /// The reason in words.
    ///
    /// The corresponding C function is `weir_lanes_limit_text`.
    public var description: String { String(cString: weir_lanes_limit_text(cValue)) }

    fileprivate init(_ limit: weir_lanes_limit_t) {
      switch limit {
      case WEIR_LANES_LIMIT_WORK: self = .work
      case WEIR_LANES_LIMIT_SUSPENDED: self = .suspended
      case WEIR_LANES_LIMIT_THREADS: self = .threads
      case WEIR_LANES_LIMIT_GATE: self = .gate
      default: self = .width
      }
    }

    private var cValue: weir_lanes_limit_t {
      switch self {
      case .width: WEIR_LANES_LIMIT_WIDTH
      case .work: WEIR_LANES_LIMIT_WORK
      case .suspended: WEIR_LANES_LIMIT_SUSPENDED
      case .threads: WEIR_LANES_LIMIT_THREADS
      case .gate: WEIR_LANES_LIMIT_GATE
      }
    }
  }

  /// Figures, for display and for tests.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_lanes_stats`.
  public var statistics: Statistics {
    var stats = weir_lanes_stats_t()
    weir_lanes_stats(handle, &stats, MemoryLayout.size(ofValue: stats))
    return Statistics(statistics: stats, refusals: refusals.count)
  }
}
