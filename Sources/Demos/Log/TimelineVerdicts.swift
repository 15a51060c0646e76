// The counts and orders behind verdicts.

extension Timeline {
  private func peak(of label: String?, _ count: (Object) -> Int) -> Int {
    objects.filter { label == nil || $0.label == label }.map(count).max() ?? 0
  }

  /// Returns the most jobs of an object that ran at once; one that waits does not run.
  ///
  /// - Parameter label: The label of the object. With nil, the largest count of any object.
  public func peakRunning(of label: String? = nil) -> Int { peak(of: label, \.peakRunning) }

  /// Returns the most jobs of an object that were between START and END at once.
  public func peakStarted(of label: String? = nil) -> Int { peak(of: label, \.peakStarted) }

  /// Returns the most permits of a gate that were in use at once.
  public func peakInUse(of label: String? = nil) -> Int { peak(of: label, \.peakInUse) }

  /// Returns the most waiters of a gate at once.
  public func peakWaiting(of label: String? = nil) -> Int { peak(of: label, \.peakWaiting) }

  /// The most threads that ran a job at once, waiting or not.
  public var peakThreads: Int {
    var changes: [(event: Int, by: Int)] = []
    for row in threads {
      var end = 0
      for slice in row.slices where slice.kind == .running && slice.firstEvent >= end {
        end = slice.lastEvent ?? Int.max
        changes += [(slice.firstEvent, 1), (end, -1)]
      }
    }
    changes.sort { $0.event < $1.event }
    var count = 0
    return changes.reduce(0) { most, change in
      count += change.by
      return max(most, count)
    }
  }

  /// Returns the events of a kind, in order.
  ///
  /// - Parameter label: The label of the object. With nil, the events of all.
  public func events(_ kind: TraceLog.Kind, of label: String? = nil) -> [TraceLog.Event] {
    log.events.filter { $0.kind == kind && (label == nil || $0.label == label) }
  }

  /// Returns the number of events of a kind.
  public func count(_ kind: TraceLog.Kind, of label: String? = nil) -> Int {
    events(kind, of: label).count
  }

  /// Returns the numbers of the jobs in the order of their STARTs.
  public func startOrder(of label: String? = nil) -> [Int] {
    events(.start, of: label).compactMap(\.task)
  }

  /// Returns the numbers of the jobs in the order of their ENDs.
  public func endOrder(of label: String? = nil) -> [Int] {
    events(.end, of: label).compactMap(\.task)
  }

  /// Returns the number of signals that woke a waiter.
  public func woken(of label: String? = nil) -> Int {
    events(.signal, of: label).filter { $0.woken == true }.count
  }

  /// Returns the number of waits that ended without permits because the time was up.
  public func timeouts(of label: String? = nil) -> Int { count(.timeout, of: label) }

  /// Returns the slices of jobs that never ended.
  public func neverEnded(of label: String? = nil) -> [Slice] {
    (tasks.flatMap(\.slices) + threads.flatMap(\.slices).filter { $0.row == nil })
      .filter { $0.end == nil && (label == nil || $0.label == label) }
  }

  /// Returns the time at which the last job of an object ended; nil if none did.
  public func lastEnd(of label: String? = nil) -> UInt64? { events(.end, of: label).last?.time }
}
