// The recording of a run against Weir's recorder, and what is followed against the log. A process has
// one recorder and one observer, so each test runs in a process of its own.

import Synchronization
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import Demos

@Suite(.timeLimit(.minutes(2)))
struct RunRecordingTests {
  @Test("in simulated time the log and the events that are followed are those of Weir's recorder")
  func simulated() async {
    await #expect(processExitsWith: .success) {
      for name in ["downloads", "images", "gallery", "groups", "queues"] {
        let (live, log, recorded) = try watched(name, on: SimulatedMachine())
        #expect(live.count > 20, "\(name)")
        #expect(log.map(plain) == recorded.map(plain), "\(name)")
        #expect(log.map(\.woken) == recorded.map(\.woken), "\(name)")
        #expect(live.map(plain) == log.map(plain), "\(name)")
      }
    }
  }

  @Test("on real threads the log is that of Weir's recorder, and in its order on each thread")
  func real() async {
    await #expect(processExitsWith: .success) {
      for name in ["downloads", "images", "gallery"] {
        let (live, log, recorded) = try watched(name, on: RealMachine(speed: 50))
        #expect(live.count > 20, "\(name)")
        for events in [live, log] {
          #expect(events.map(text).sorted() == recorded.map(text).sorted(), "\(name)")
          #expect(threads(events).sorted() == threads(recorded).sorted(), "\(name)")
        }
        #expect(Set(live.map(\.thread)) == Set(1...threads(live).count))
        let last = live.map(\.time).max() ?? 0
        #expect(last == log.last?.time, "\(name)")
      }
    }
  }
}

/// Runs a demo. Returns its events as they came, its log, and the log of Weir's recorder.
private func watched(
  _ name: String, on machine: any Machine
) throws -> (live: [TraceLog.Event], log: [TraceLog.Event], recorded: [TraceLog.Event]) {
  let demo = try #require(Demo.named(name))
  let events = Mutex<[TraceLog.Event]>([])
  let recorder = TraceRecorder()
  // The form of a gate has tasks beside the blocks.
  let given = name == "downloads" ? ["form": "gate"] : [:]
  let run = try recorder.record {
    DemoRun.perform(demo, KnobValues(demo.knobs, given: given), on: machine, watchdog: 500) {
      event in
      events.withLock { $0.append(event) }
    }
  }
  let directory = try TemporaryDirectory()
  let file = try FileDescriptor.open(
    directory.text + "/log.jsonl", .writeOnly, options: [.create],
    permissions: [.ownerReadWrite])
  try file.closeAfter { try recorder.write(to: file, format: .jsonLines) }
  let recorded = try TraceLog(jsonLines: directory.content("log.jsonl") ?? [])
  return (events.withLock { $0 }, run.log.events, recorded.events)
}

/// An event without what a whole log tells, and without its counts.
private func plain(_ event: TraceLog.Event) -> TraceLog.Event {
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
