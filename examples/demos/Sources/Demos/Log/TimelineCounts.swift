// The counts of a run over time: permits, waiters, queued and running jobs, threads.

/// Counts during the walk over a log.
struct TimelineCounts {
  private typealias Measure = Timeline.Curve.Measure

  private struct Counter {
    var started, running, inUse, waiting: PeakCounter
    var curves: [Measure: [Timeline.Curve.Step]] = [:]

    init(moment: UInt64 = 0) {
      let counter = PeakCounter(moment: moment)
      (started, running, inUse, waiting) = (counter, counter, counter, counter)
    }

    mutating func step(_ measure: Measure, _ value: Int, _ index: Int, _ event: TraceLog.Event) {
      guard curves[measure]?.last?.value != value else { return }
      curves[measure, default: []].append(
        Timeline.Curve.Step(time: event.time, value: value, event: index))
    }
  }

  private var counters: [Counter]
  private let objects: [Timeline.Object]
  /// The objects whose jobs report that they are suspended: of these, only jobs at work count.
  private let resumable: Set<Int>

  init(_ objects: [Timeline.Object], resumable: Set<Int>, moment: UInt64) {
    self.objects = objects
    self.resumable = resumable
    counters = objects.map { _ in Counter(moment: moment) }
  }

  /// Counts a job that begins or ends (`started`), and one that goes on or waits (`running`).
  mutating func addRunning(
    _ object: Int, started: Int, running: Int, _ index: Int, _ event: TraceLog.Event
  ) {
    counters[object].started.add(started, at: event.time)
    counters[object].running.add(running, at: event.time)
    if resumable.contains(object) {
      counters[object].step(.running, counters[object].running.count, index, event)
    }
  }

  /// Counts an event of an object.
  mutating func observe(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    var counter = Counter()
    swap(&counter, &counters[object])  // a copy would copy the curves as well
    defer { swap(&counter, &counters[object]) }
    if let waiting = event.waiting {
      counter.waiting.add(waiting - counter.waiting.count, at: event.time)
    }
    switch objects[object].kind {
    case .lanes:
      if let queued = event.queued { counter.step(.queued, queued, index, event) }
      if let running = event.running, !resumable.contains(object) {
        counter.step(.running, running, index, event)
      }
    case .gate:
      let inUse = event.inUse ?? 0
      counter.inUse.add(inUse - counter.inUse.count, at: event.time)
      if let free = event.free {
        counter.step(.free, free, index, event)
      } else {
        counter.step(.inUse, inUse, index, event)
      }
      counter.step(.waiting, event.waiting ?? 0, index, event)
    case .group where event.kind == .enter || event.kind == .leave:
      counter.step(.outstanding, event.value, index, event)
    case .group: break
    }
  }

  /// Counts the permits of the gates of a label, which are known from now on.
  mutating func observePermits(_ index: Int, _ event: TraceLog.Event) {
    for object in objects.indices
    where objects[object].label == event.label && objects[object].kind == .gate {
      counters[object].step(.free, event.free ?? event.value, index, event)
    }
  }

  /// Returns the objects with their peaks.
  func objectsWithPeaks() -> [Timeline.Object] {
    zip(objects, counters).map { object, counter in
      var object = object
      object.peakStarted = counter.started.peak
      object.peakRunning = counter.running.peak
      object.peakInUse = counter.inUse.peak
      object.peakWaiting = counter.waiting.peak
      return object
    }
  }

  /// Returns the curves of the objects.
  func curves() -> [Timeline.Curve] {
    let order: [Measure] = [.free, .inUse, .waiting, .running, .queued, .outstanding]
    return counters.indices.flatMap { object in
      order.compactMap { measure -> Timeline.Curve? in
        guard let steps = counters[object].curves[measure] else { return nil }
        let words = measure == .inUse ? "in use" : measure.rawValue
        return Timeline.Curve(
          name: "\(objects[object].name) \(words)", measure: measure, object: object,
          steps: steps, subject: objects[object].name)
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
