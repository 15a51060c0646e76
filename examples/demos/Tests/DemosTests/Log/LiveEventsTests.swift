// The live events against the recorder's log of the same run. A process has one recorder and one
// observer, so each test runs in a process of its own.

import Synchronization
import Testing

@testable import Demos

@Suite(.timeLimit(.minutes(2)))
struct LiveEventsTests {
  @Test("in simulated time the live events are those of the log, but for the counts")
  func simulated() async {
    await #expect(processExitsWith: .success) {
      for name in ["gate", "downloads", "images", "gallery", "groups", "queues"] {
        let (live, log) = try watched(name, on: SimulatedMachine())
        #expect(live.count > 20, "\(name)")
        #expect(live.map(withoutCounts) == log.map(withoutCounts), "\(name)")
      }
    }
  }

  @Test("on real threads the live events are those of the log, and in its order on each thread")
  func real() async {
    await #expect(processExitsWith: .success) {
      for name in ["gate", "downloads", "images", "gallery"] {
        let (live, log) = try watched(name, on: RealMachine(speed: 50))
        #expect(live.count > 20, "\(name)")
        #expect(live.map(text).sorted() == log.map(text).sorted(), "\(name)")
        #expect(threads(live).sorted() == threads(log).sorted(), "\(name)")
        #expect(Set(live.map(\.thread)) == Set(1...threads(live).count))
        let last = live.map(\.time).max() ?? 0
        let span = Double(log.last?.time ?? 0)
        #expect(abs(Double(last) - span) <= span / 10, "\(name)")
      }
    }
  }
}

/// Runs a demo, and returns its live events and those of its log.
private func watched(
  _ name: String, on machine: any Machine
) throws -> (live: [TraceLog.Event], log: [TraceLog.Event]) {
  let demo = try #require(Demo.named(name))
  let events = Mutex<[TraceLog.Event]>([])
  let live = LiveEvents(speed: machine.speed) { event in events.withLock { $0.append(event) } }
  live.start()
  let run = try DemoRun.perform(demo, KnobValues(demo.knobs), on: machine, watchdog: 500)
  live.finish()
  return (events.withLock { $0 }, run.log.events)
}

private func withoutCounts(_ event: TraceLog.Event) -> TraceLog.Event {
  var event = event
  (event.queued, event.running, event.waiting) = (nil, nil, nil)
  event.woken = nil
  return event
}

private func text(_ event: TraceLog.Event) -> String {
  "\(event.kind) \(event.label) \(event.task ?? 0) \(event.value) \(event.lane ?? -1)"
}

/// Returns the events of each thread as a text, in the order of the threads' numbers.
private func threads(_ events: [TraceLog.Event]) -> [String] {
  Dictionary(grouping: events, by: \.thread).sorted { $0.key < $1.key }
    .map { $0.value.map(text).joined(separator: "\n") }
}
