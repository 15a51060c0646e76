// The counts of a run over time: permits, waiters, queued and running jobs, threads.

/// Counts during the walk over a log. The counters in the events are used if they are there.
struct TimelineCounts {
  private typealias Measure = Timeline.Curve.Measure

  private struct Counter {
    var started = 0
    var running = 0
    var queued = 0
    var inUse = 0
    var waiting = 0
    var granted: Set<Int> = []  // the waits whose WAKE has counted their permits
    var hasFree = false  // the events bring the free permits
    var curves: [Measure: [Timeline.Curve.Step]] = [:]
  }

  private var counters: [Counter]
  private var peaks: [Timeline.Object]

  init(_ objects: [Timeline.Object]) {
    peaks = objects
    counters = objects.map { _ in Counter() }
  }

  /// Counts a job that begins or ends (`started`), and one that goes on or waits (`running`).
  mutating func addRunning(_ object: Int, started: Int, running: Int) {
    counters[object].started += started
    counters[object].running += running
    peaks[object].peakStarted = max(peaks[object].peakStarted, counters[object].started)
    peaks[object].peakRunning = max(peaks[object].peakRunning, counters[object].running)
  }

  /// Counts an event of an object. `isWaitEnd` is true for the end of a known wait.
  mutating func observe(
    _ index: Int, _ event: TraceLog.Event, _ object: Int, isWaitEnd: Bool, isDrop: Bool
  ) {
    var counter = Counter()
    swap(&counter, &counters[object])  // a copy would copy the curves as well
    defer { swap(&counter, &counters[object]) }
    switch event.kind {
    case .submit: counter.queued += 1
    case .start: counter.queued -= 1
    case .wait: counter.waiting += 1
    case .acquired:
      if counter.granted.remove(event.task ?? 0) == nil { counter.inUse += event.value }
    case .wake:
      if let task = event.task, counter.granted.insert(task).inserted {
        counter.inUse += event.value
      }
    case .signal: counter.inUse -= event.value
    case .cancel where isDrop: counter.queued -= 1
    case .end, .timeout, .cancel, .enter, .leave, .note: break
    }
    if isWaitEnd { counter.waiting -= 1 }
    peaks[object].peakInUse = max(peaks[object].peakInUse, counter.inUse)
    peaks[object].peakWaiting = max(
      peaks[object].peakWaiting, event.waiting ?? counter.waiting)
    counter.hasFree = counter.hasFree || event.free != nil
    func step(_ measure: Measure, _ value: Int) {
      guard counter.curves[measure]?.last?.value != value else { return }
      counter.curves[measure, default: []].append(
        Timeline.Curve.Step(time: event.time, value: value, event: index))
    }
    switch peaks[object].kind {
    case .lanes:
      step(.queued, event.queued ?? max(0, counter.queued))
      step(.running, event.running ?? counter.started)
    case .gate:
      step(.free, event.free ?? counter.inUse)  // the permits in use, turned round at the end
      step(.waiting, event.waiting ?? counter.waiting)
    case .group where event.kind == .enter || event.kind == .leave:
      step(.outstanding, event.value)
    case .group: break
    }
  }

  /// Returns the objects with their peaks.
  func objectsWithPeaks() -> [Timeline.Object] { peaks }

  /// Returns the curves of the objects.
  func curves() -> [Timeline.Curve] {
    let order: [Measure] = [.free, .waiting, .running, .queued, .outstanding]
    return counters.indices.flatMap { object in
      order.compactMap { measure -> Timeline.Curve? in
        guard var steps = counters[object].curves[measure] else { return nil }
        if measure == .free, !counters[object].hasFree {
          for step in steps.indices {
            steps[step].value = peaks[object].peakInUse - steps[step].value
          }
        }
        return Timeline.Curve(
          name: "\(peaks[object].name) \(measure.rawValue)", measure: measure, object: object,
          steps: steps, subject: peaks[object].name)
      }
    }
  }
}

extension TimelineCounts {
  /// Returns the number of threads that run a job and of those that wait, over time.
  static func threadCurves(_ rows: [Timeline.ThreadRow]) -> [Timeline.Curve] {
    var changes: [(event: Int, time: UInt64, busy: Int, blocked: Int)] = []
    for row in rows {
      var outerEnd = 0
      for slice in row.slices {
        let last = slice.lastEvent ?? Int.max
        let isInside = slice.firstEvent < outerEnd
        if slice.kind == .running, isInside { continue }
        if slice.kind == .running { outerEnd = last }
        let busy = slice.kind == .running ? 1 : isInside ? -1 : 0
        let blocked = slice.kind == .waiting ? 1 : 0
        changes.append((slice.firstEvent, slice.begin, busy, blocked))
        if let last = slice.lastEvent, let end = slice.end {
          changes.append((last, end, -busy, -blocked))
        }
      }
    }
    changes.sort { $0.event < $1.event }
    var busy = Timeline.Curve(
      name: "threads busy", measure: .busy, steps: [], subject: "threads")
    var blocked = Timeline.Curve(
      name: "threads waiting", measure: .blocked, steps: [], subject: "threads")
    func add(_ change: Int, to curve: inout Timeline.Curve, at time: UInt64, _ event: Int) {
      let value = (curve.steps.last?.value ?? 0) + change
      guard change != 0 || curve.steps.isEmpty else { return }
      curve.steps.append(Timeline.Curve.Step(time: time, value: value, event: event))
    }
    for change in changes {
      add(change.busy, to: &busy, at: change.time, change.event)
      add(change.blocked, to: &blocked, at: change.time, change.event)
    }
    return changes.isEmpty ? [] : [busy, blocked]
  }
}
