// The program of a worker: one run, in a process of its own.

import Demos
import Dispatch
import Foundation
import Glibc
import Synchronization

/// A worker.
public enum BoardWorker {
  /// The seconds of the clock for which a run that is stuck is shown.
  private static let stuckSeconds = 1.5

  /// Runs a worker: runs a demo, and writes its events and its result.
  ///
  /// Blocks the main thread: it drains the main queue, which demos use.
  ///
  /// - Parameter arguments: The arguments after `--worker`: the request, as JSON.
  public static func run(_ arguments: [String]) -> Never {
    // The server's sockets are not closed by exec: without this, a run would hold its port.
    closefrom(STDERR_FILENO + 1)
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
    // A write that fails ends the worker, with a status.
    signal(SIGPIPE, SIG_IGN)
    let json = Data((arguments.first ?? "").utf8)
    guard let request = try? JSONDecoder().decode(RunRequest.self, from: json),
      let plan = try? RunPlan(request)
    else { _exit(2) }  // Only the server starts it, with a request.
    let stop = RunStop()
    let isStopped = Atomic<Bool>(false)
    let isReplayed = plan.isSimulated || plan.demo.isReplayed
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
      let run = isReplayed ? replay(plan, writer) : perform(plan, writer, stop)
      let result = DemoResult(
        demo: plan.demo, values: plan.values, run: run, prediction: plan.predictions)
      writer.add("result", RunResult(result, isStopped: isStopped.load(ordering: .relaxed)))
      writer.finish()
      _exit(0)
    }
    thread.stackSize = 8 << 20
    thread.start()
    dispatchMain()
  }

  private static func perform(
    _ plan: RunPlan, _ writer: MessageWriter, _ stop: RunStop
  ) -> DemoRun {
    // At a high speed the work of the machine itself takes its time: ten seconds at least.
    DemoRun.perform(
      plan.demo, plan.values, on: .real(speed: plan.speed), watchdog: max(120, 10 * plan.speed),
      stop: stop
    ) { writer.add($0) }
  }

  /// Runs a demo that is simulated or needs full speed, and then writes its events at their times.
  private static func replay(_ plan: RunPlan, _ writer: MessageWriter) -> DemoRun {
    let run = DemoRun.perform(
      plan.demo, plan.values, on: plan.isSimulated ? .simulated : .real(speed: 1), watchdog: 120)
    let begin = Date()
    for event in run.log.events {
      Thread.sleep(until: begin + Double(event.time) / 1e9 / plan.speed)
      writer.add(event)
    }
    if run.isStuck { Thread.sleep(forTimeInterval: stuckSeconds) }
    return run
  }
}
