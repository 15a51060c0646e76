// The events that are followed against the log. A process has one observer, so each test runs in a
// process of its own.

import Synchronization
import TestSupport
import Testing

@testable import Demos

@Suite(.timeLimit(.minutes(10)))
struct RunRecordingTests {
  @Test("in simulated time the events that are followed are those of the log")
  func simulated() async {
    await #expect(processExitsWith: .success) {
      for name in ["downloads", "images", "gallery", "groups", "queues"] {
        let (live, log) = try watched(name, on: SimulatedMachine())
        #expect(live.count > 20, "\(name)")
        #expect(live.map(plain) == log.map(plain), "\(name)")
      }
    }
  }

  @Test("on real threads they are those of the log, and in its order on each thread")
  func real() async {
    await #expect(processExitsWith: .success) {
      for name in ["downloads", "images", "gallery"] {
        let (live, log) = try watched(name, on: RealMachine(speed: 50))
        #expect(live.count > 20, "\(name)")
        #expect(live.map(text).sorted() == log.map(text).sorted(), "\(name)")
        #expect(threads(live).sorted() == threads(log).sorted(), "\(name)")
        #expect(Set(live.map(\.thread)) == Set(1...threads(live).count))
        let last = live.map(\.time).max() ?? 0
        #expect(last == log.last?.time, "\(name)")
      }
    }
  }
}

/// Runs a demo. Returns its events as they came, and its log.
private func watched(
  _ name: String, on machine: any Machine
) throws -> (live: [TraceLog.Event], log: [TraceLog.Event]) {
  let demo = try #require(Demo.named(name))
  let events = Mutex<[TraceLog.Event]>([])
  // The form of a gate has tasks beside the blocks.
  let given = name == "downloads" ? ["form": "gate"] : [:]
  let run = DemoRun.perform(
    demo, KnobValues(demo.knobs, given: given), on: machine, watchdog: 500
  ) { event in
    events.withLock { $0.append(event) }
  }
  return (events.withLock { $0 }, run.log.events)
}

/// An event without what a whole log tells, and without its counts.
private func plain(_ event: TraceLog.Event) -> TraceLog.Event {
  var event = event
  (event.waiting, event.woken) = (nil, nil)
  return event
}

private func text(_ event: TraceLog.Event) -> String {
  "\(event.kind) \(event.label) \(event.task ?? 0) \(event.value) \(event.lane ?? -1)"
}

private func threads(_ events: [TraceLog.Event]) -> [String] {
  Dictionary(grouping: events, by: \.thread).sorted { $0.key < $1.key }
    .map { $0.value.map(text).joined(separator: "\n") }
}
