// The commands to a run. A process has one recorder, so each test runs in a process of its own.

import Synchronization
import TestSupport
import Testing
import Weir

@testable import Demos

@Suite(.timeLimit(.minutes(2)))
struct DemoControlsTests {
  @Test("the gate is resized, closed and loses a waiting task by commands, and stays sound")
  func gate() async {
    await #expect(processExitsWith: .success) {
      let resized = try controlled(
        "gate", ["max": "1"], [(0.6, "resize", 6), (0.7, "resize", 0), (0.7, "resize", 21)])
      #expect(resized.log.notes("resize").map(\.value) == [6])
      #expect(resized.log.notes("resize").map(\.time).first.map { $0 / 100_000_000 } == 6)
      #expect(resized.findings.isSound && resized.peak > 1 && resized.peak <= 6)
      #expect(resized.findings.checks[0].text == "never more than 6 permits in use")

      let closed = try controlled("gate", [:], [(0.3, "close", 0)])
      #expect(closed.log.notes("close").count == 1)
      #expect(closed.log.notes("REFUSED: closed").count > 0 && closed.findings.isSound)

      let cancelled = try controlled("gate", [:], [(0.3, "cancel", 6), (0.3, "cancel", 10)])
      #expect(cancelled.log.numbers("cancel") == [6])
      #expect(cancelled.log.numbers("REFUSED: cancelled") == [6])
      #expect(cancelled.log.numbers("RETURNED").count == 8 && cancelled.findings.isSound)

      let shrunk = try controlled("gate", [:], [(0.2, "resize", 1)])
      #expect(!shrunk.isStuck && shrunk.findings.isSound)
      #expect(shrunk.log.notes("REFUSED: needs too many permits").count == 3)
    }
  }

  @Test("commands do what the knobs do")
  func knobs() async {
    await #expect(processExitsWith: .success) {
      func texts(_ run: ControlledRun) -> [String] {
        run.log.events.filter { $0.kind == .note }
          .map { "\($0.label) \($0.task ?? 0) \($0.value) \($0.time / 10_000_000)" }
      }
      for (demo, given, command) in [
        ("gallery", ["cancel-after": "0.3"], (0.3, "leave", 0)),
        ("gate", ["resize": "8"], (1, "resize", 8)),
        ("images", ["cancel": "9"], (1, "cancel", 9)),
      ] {
        let (knob, sent) = (
          texts(try controlled(demo, given)), texts(try controlled(demo, [:], [command]))
        )
        #expect(knob == sent, "\(demo)")
      }
    }
  }

  @Test("leaving the page cancels the pictures")
  func gallery() async {
    await #expect(processExitsWith: .success) {
      for form in ["group", "map", "throwing"] {
        let run = try controlled("gallery", ["form": form], [(0.3, "leave", 0)])
        #expect(run.log.notes("CANCEL").count { $0.label == "CANCEL" } == 1)
        #expect(!run.log.numbers("CANCELLED").isEmpty, "\(form)")
        #expect(run.findings.isSound && !run.isStuck, "\(form)")
      }
    }
  }

  @Test("the request of an image is cancelled if its block has not begun")
  func images() async {
    await #expect(processExitsWith: .success) {
      let commands = [(0.0, "cancel", 12), (0, "cancel", 16), (0, "cancel", 61)]
      let run = try controlled(
        "images", ["queue": "concurrent"], commands, on: RealMachine(speed: 10))
      #expect(run.log.numbers("cancel") == [12])
      #expect(run.log.numbers("CANCELLED") == [12])
      #expect(run.findings.isSound && !run.isStuck)
    }
  }

  @Test("a real run that is stopped ends at once, and keeps its log")
  func stopped() async {
    await #expect(processExitsWith: .success) {
      let run = try controlled(
        "downloads", ["form": "gate"], [(1.5, "stop", 0)], on: RealMachine(speed: 1))
      #expect(run.isStuck && run.log.notes("alert").isEmpty)
      #expect(!run.log.numbers("START").isEmpty && run.log.lastSeconds("progress") < 15)
    }
  }

  @Test("a stop is no deadlock while tasks sleep, and one if main waits for itself")
  func deadlock() async {
    await #expect(processExitsWith: .success) {
      let sleeping = try controlled(
        "downloads", ["form": "gate", "step": "10"], [(2.5, "stop", 0)], on: RealMachine(speed: 1))
      #expect(sleeping.isStuck && !sleeping.isDeadlocked)
    }
    await #expect(processExitsWith: .success) {
      let waiting = try controlled(
        "images", ["step": "6"], [(30, "stop", 0)], on: RealMachine(speed: 10))
      #expect(waiting.isStuck && waiting.isDeadlocked)
    }
  }

  @Test("a command is ignored before the run, after it, without a name, and from other threads")
  func ignored() async {
    await #expect(processExitsWith: .success) {
      let controls = DemoControls()
      controls.send("close", 0)
      let run = try controlled("gate", [:], [(0, "nonsense", 1)], controls) {
        await Task.detached { controls.send("close", 0) }.value
      }
      #expect(run.log.notes("close").isEmpty && run.log.numbers("RETURNED").count == 9)
      let notes = Mutex(0)
      WeirTrace.setObserver { _ in notes.withLock { $0 += 1 } }
      for _ in 0..<3 { controls.send("close", 0) }
      controls.send("resize", Int.max)
      #expect(notes.withLock { $0 } == 0)
    }
  }
}

/// A finished run with commands.
private struct ControlledRun {
  let log: TraceLog
  let findings: Findings
  let isStuck: Bool
  let isDeadlocked: Bool
  var peak: Double { findings.answers[0] ?? 0 }
}

/// Runs a demo and sends commands at times in seconds.
///
/// - Parameter body: Runs as a task of the machine.
private func controlled(
  _ name: String, _ given: [String: String],
  _ commands: [(seconds: Double, name: String, value: Int)] = [],
  _ controls: DemoControls = DemoControls(), on machine: any Machine = SimulatedMachine(),
  body: @escaping @Sendable () async -> Void = {}
) throws -> ControlledRun {
  let demo = try #require(Demo.named(name))
  let values = KnobValues(demo.knobs, given: given, controls: controls)
  let start = demo.start
  let commanded = Demo(
    name: name, abstract: "", speed: 1, knobs: demo.knobs, questions: demo.questions,
    introduction: { _ in "" },
    start: { values, machine, finish in
      start(values, machine, finish)
      machine.task(body)
      for command in commands {
        machine.task {
          if command.seconds > 0 { try? await machine.pause(command.seconds) }
          controls.send(command.name, command.value)
        }
      }
    }, findings: demo.findings, code: demo.code)
  let run = DemoRun.perform(commanded, values, on: machine, watchdog: 200)
  return ControlledRun(
    log: run.log, findings: demo.findings(values, run), isStuck: run.isStuck,
    isDeadlocked: run.isDeadlocked)
}
