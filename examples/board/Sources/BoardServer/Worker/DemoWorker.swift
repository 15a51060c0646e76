// The worker of a demo.

import Demos
import Dispatch
import Foundation
import Glibc
import Synchronization

/// Runs a demo, and writes its events and its result.
enum DemoWorker {
  /// The seconds of the clock for which a run that is stuck is shown.
  private static let stuckSeconds = 1.5

  /// Blocks the main thread: it drains the main queue, which demos use.
  static func run(_ json: String) -> Never {
    guard let request = try? JSONDecoder().decode(RunRequest.self, from: Data(json.utf8)),
      let demo = try? RunPlan(request).demo
    else { BoardWorker.fail("that is no request for a demo") }
    let values = KnobValues(demo.knobs, given: request.given)
    let stop = RunStop()
    let isStopped = Atomic<Bool>(false)
    let isReplayed = request.isVirtual || demo.isReplayed
    Thread.detachNewThread {
      while readLine() != nil {
        // The run is over already, and only its replay goes on.
        if isReplayed { _exit(0) }
        isStopped.store(true, ordering: .relaxed)
        stop.request()
      }
      _exit(1)
    }
    let writer = MessageWriter()
    let thread = Thread {
      let run =
        isReplayed
        ? replay(
          demo, values, on: request.isVirtual ? .simulated : .real(speed: 1), request.actualSpeed,
          writer)
        : perform(demo, values, request.actualSpeed, writer, stop)
      let result = DemoResult(
        demo: demo, values: values, run: run, prediction: request.predictions)
      writer.add("result", RunResult(result, isStopped: isStopped.load(ordering: .relaxed)))
      writer.finish()
      _exit(0)
    }
    thread.stackSize = 8 << 20
    thread.start()
    dispatchMain()
  }

  private static func perform(
    _ demo: Demo, _ values: KnobValues, _ speed: Double, _ writer: MessageWriter, _ stop: RunStop
  ) -> DemoRun {
    // At a high speed the work of the machine itself takes its time: ten seconds at least.
    DemoRun.perform(
      demo, values, on: .real(speed: speed), watchdog: max(120, 10 * speed), stop: stop
    ) { writer.add($0) }
  }

  /// Runs a demo that is simulated or needs full speed, and then writes its events at their times.
  private static func replay(
    _ demo: Demo, _ values: KnobValues, on machine: DemoMachine, _ speed: Double,
    _ writer: MessageWriter
  ) -> DemoRun {
    let run = DemoRun.perform(demo, values, on: machine, watchdog: 120)
    let begin = Date()
    for event in run.log.events {
      Thread.sleep(until: begin + Double(event.time) / 1e9 / speed)
      writer.add(event)
    }
    if run.isStuck { Thread.sleep(forTimeInterval: stuckSeconds) }
    return run
  }
}
