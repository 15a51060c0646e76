// The live events against the recorder's log of the same run. A process has one recorder and one
// observer, so each test runs in a process of its own.

import Synchronization
import CWeir
import TestSupport
import Testing
import Weir
import Glibc

@testable import Demos

@Suite(.timeLimit(.minutes(2)))
struct LiveEventsTests {
  @Test("in simulated time the live events are those of the log, but for the counts")
  func simulated() async {
    await #expect(processExitsWith: .success) {
      for name in ["gate", "downloads", "images", "gallery", "groups", "queues", "starvation"] {
        let (live, log) = try watched(name, on: SimulatedMachine())
        #expect(live.count > 20, "\(name)")
        #expect(live.map(withoutCounts) == log.map(withoutCounts), "\(name)")
      }
    }
  }

  @Test("on real threads the live events are those of the log, and in its order on each thread")
  func real() async {
    await #expect(processExitsWith: .success) {
      for name in ["gate", "downloads", "images", "tasks", "descriptors"] {
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

  @Test("each thread has a number of its own, even after another one has ended")
  func threadNumbers() async {
    await #expect(processExitsWith: .success) {
      let events = Mutex<[TraceLog.Event]>([])
      let live = LiveEvents(speed: 1) { event in events.withLock { $0.append(event) } }
      live.start()
      for _ in 0..<5 {
        var thread = pthread_t()
        let error = pthread_create(
          &thread, nil,
          { _ in
            Trace.note("once")
            Trace.note("again")
            return nil
          }, nil)
        #expect(error == 0)
        pthread_join(thread, nil)
      }
      live.finish()
      Trace.note("after the end")
      let numbers = events.withLock { $0.map(\.thread) }
      #expect(numbers == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    }
  }

  @Test("times are those of the demo from the first event on, and never below 0")
  func times() async {
    await #expect(processExitsWith: .success) {
      let events = Mutex<[TraceLog.Event]>([])
      let live = LiveEvents(speed: 10) { event in events.withLock { $0.append(event) } }
      weir_spi_trace_set_clock { clockTimes.withLock { $0.removeFirst() } }
      live.start()
      for number in 0..<4 { Trace.note("note", job: UInt64(number), value: number) }
      live.finish()
      weir_spi_trace_set_clock(nil)
      let seen = events.withLock { $0 }
      #expect(seen.map(\.time) == [0, 50, 0, 30])
      #expect(seen.map(\.task) == [nil, 1, 2, 3] && seen.map(\.value) == [0, 1, 2, 3])
    }
  }

  @Test("the handler is released at the end, and another observer can follow")
  func release() async {
    await #expect(processExitsWith: .success) {
      final class Token: Sendable {}
      weak let released: Token? = {
        let token = Token()
        let live = LiveEvents(speed: 1) { _ in withExtendedLifetime(token) {} }
        live.start()
        Trace.note("note")
        live.finish()
        return token
      }()
      #expect(released == nil)
      let count = Mutex(0)
      let live = LiveEvents(speed: 1) { _ in count.withLock { $0 += 1 } }
      live.start()
      Trace.note("note")
      live.finish()
      #expect(count.withLock { $0 } == 1)
    }
  }
}

private let clockTimes = Mutex<[UInt64]>([100, 105, 98, 103])

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
