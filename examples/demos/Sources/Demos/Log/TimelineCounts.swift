// The counts of a run over time: permits, waiters, queued and running jobs.

/// Counts during the walk over a log.
struct TimelineCounts {
  typealias Measure = Timeline.Curve.Measure

  /// A gate, lanes, a group, or an object of the program's own.
  struct Object {
    /// The nature of an object, judged by its events.
    enum Kind {
      case lanes, gate, group
    }

    var label: String
    /// The label, with a number from the second object of that label on.
    var name: String
    var kind: Kind
  }

  private struct Counter {
    var running = 0
    var curves: [Measure: [Timeline.Curve.Step]] = [:]

    mutating func step(_ measure: Measure, _ value: Int, _ event: TraceLog.Event) {
      guard curves[measure]?.last?.value != value else { return }
      curves[measure, default: []].append(Timeline.Curve.Step(time: event.time, value: value))
    }
  }

  private var counters: [Counter]
  private let objects: [Object]
  /// The objects whose jobs report that they are suspended: of these, only jobs at work count.
  private let resumable: Set<Int>

  init(_ objects: [Object], resumable: Set<Int>) {
    self.objects = objects
    self.resumable = resumable
    counters = objects.map { _ in Counter() }
  }

  /// Counts a job that goes on or waits.
  mutating func addRunning(_ object: Int, _ change: Int, _ event: TraceLog.Event) {
    guard resumable.contains(object) else { return }
    counters[object].running += change
    counters[object].step(.running, counters[object].running, event)
  }

  /// Counts an event of an object.
  mutating func observe(_ event: TraceLog.Event, _ object: Int) {
    var counter = Counter()
    swap(&counter, &counters[object])  // a copy would copy the curves as well
    defer { swap(&counter, &counters[object]) }
    switch objects[object].kind {
    case .lanes:
      if let queued = event.queued { counter.step(.queued, queued, event) }
      if let running = event.running, !resumable.contains(object) {
        counter.step(.running, running, event)
      }
    case .gate:
      if let free = event.free {
        counter.step(.free, free, event)
      } else {
        counter.step(.inUse, event.inUse ?? 0, event)
      }
      counter.step(.waiting, event.waiting ?? 0, event)
    case .group where event.kind == .enter || event.kind == .leave:
      counter.step(.outstanding, event.value, event)
    case .group: break
    }
  }

  /// Counts the permits of the gates of a label, which are known from now on.
  mutating func observePermits(_ event: TraceLog.Event) {
    for object in objects.indices
    where objects[object].label == event.label && objects[object].kind == .gate {
      counters[object].step(.free, event.free ?? event.value, event)
    }
  }

  /// The counts of the objects, in the order of their first events.
  var curves: [Timeline.Curve] {
    let order: [Measure] = [.free, .inUse, .waiting, .running, .queued, .outstanding]
    return zip(objects, counters).flatMap { object, counter in
      order.compactMap { measure in
        counter.curves[measure].map {
          Timeline.Curve(subject: object.name, measure: measure, steps: $0)
        }
      }
    }
  }
}
