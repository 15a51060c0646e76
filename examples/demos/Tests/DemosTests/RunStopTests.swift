// The stop of a run. A process has one recorder, so each test runs in a process of its own.

import Dispatch
import TestSupport
import Testing
import Weir

@testable import Demos

@Suite(.timeLimit(.minutes(10)))
struct RunStopTests {
  @Test("a real run that is stopped ends at once, and keeps its log")
  func stopped() async {
    await #expect(processExitsWith: .success) {
      let stopped = try run("downloads", ["form": "gate"], until: 1, "START", speed: 1)
      #expect(stopped.isStuck && stopped.log.notes("alert").isEmpty)
      #expect(!stopped.log.numbers("START").isEmpty && stopped.log.lastSeconds("progress") < 15)
    }
  }

  @Test("a stop is no deadlock while tasks sleep, and one if main waits for itself")
  func deadlock() async {
    await #expect(processExitsWith: .success) {
      let sleeping = try run(
        "downloads", ["form": "gate", "step": "10"], until: 5, "START", speed: 1)
      #expect(sleeping.isStuck && !sleeping.isDeadlocked)
    }
    await #expect(processExitsWith: .success) {
      let waiting = try run("images", ["step": "6"], until: 3, "response", speed: 10)
      #expect(waiting.isStuck && waiting.isDeadlocked)
    }
  }

  @Test("a stop before the run and after it is ignored")
  func ignored() async {
    await #expect(processExitsWith: .success) {
      let stop = RunStop()
      stop.request()
      let whole = try run("groups", [:], until: 0, "", speed: 20, stop)
      #expect(!whole.isStuck)
      stop.request()
    }
  }
}

/// Runs a demo, and stops it after a number of notes of a text: two seconds later, or twice the time that
/// the run took until then, so that it has never been silent for as long before.
private func run(
  _ name: String, _ given: [String: String], until count: Int, _ text: String, speed: Double,
  _ stop: RunStop = RunStop()
) throws -> DemoRun {
  let demo = try #require(Demo.named(name))
  let queue = DispatchQueue(label: "stop")
  let (begin, seen) = (DispatchTime.now(), Shared(0))
  return DemoRun.perform(
    demo, KnobValues(demo.knobs, given: given), on: RealMachine(speed: speed), watchdog: 200,
    stop: stop
  ) { event in
    guard event.kind == .note, event.label.hasPrefix(text), seen.next() == count else { return }
    let now = DispatchTime.now()
    let nanoseconds = max(2_000_000_000, 2 * (now.uptimeNanoseconds - begin.uptimeNanoseconds))
    queue.asyncAfter(deadline: now + .nanoseconds(Int(nanoseconds))) { stop.request() }
  }
}
