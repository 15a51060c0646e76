// The stop of a run. A process has one recorder, so each test runs in a process of its own.

import Dispatch
import TestSupport
import Testing
import Weir

@testable import Demos

@Suite(.timeLimit(.minutes(2)))
struct RunStopTests {
  @Test("a real run that is stopped ends at once, and keeps its log")
  func stopped() async {
    await #expect(processExitsWith: .success) {
      let stopped = try run("downloads", ["form": "gate"], after: 1.5, speed: 1)
      #expect(stopped.isStuck && stopped.log.notes("alert").isEmpty)
      #expect(!stopped.log.numbers("START").isEmpty && stopped.log.lastSeconds("progress") < 15)
    }
  }

  @Test("a stop is no deadlock while tasks sleep, and one if main waits for itself")
  func deadlock() async {
    await #expect(processExitsWith: .success) {
      let sleeping = try run("downloads", ["form": "gate", "step": "10"], after: 2.5, speed: 1)
      #expect(sleeping.isStuck && !sleeping.isDeadlocked)
    }
    await #expect(processExitsWith: .success) {
      let waiting = try run("images", ["step": "6"], after: 3, speed: 10)
      #expect(waiting.isStuck && waiting.isDeadlocked)
    }
  }

  @Test("a stop before the run and after it is ignored")
  func ignored() async {
    await #expect(processExitsWith: .success) {
      let stop = RunStop()
      stop.request()
      let whole = try run("groups", [:], after: 60, speed: 20, stop)
      #expect(!whole.isStuck)
      stop.request()
    }
  }
}

/// Runs a demo and stops it after a time of the clock, in seconds.
private func run(
  _ name: String, _ given: [String: String], after seconds: Double, speed: Double,
  _ stop: RunStop = RunStop()
) throws -> DemoRun {
  let demo = try #require(Demo.named(name))
  DispatchQueue(label: "stop").asyncAfter(deadline: .now() + seconds) { stop.request() }
  return DemoRun.perform(
    demo, KnobValues(demo.knobs, given: given), on: RealMachine(speed: speed), watchdog: 200,
    stop: stop)
}
