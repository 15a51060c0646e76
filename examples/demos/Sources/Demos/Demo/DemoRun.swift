// A run of a demo: from the start to the log.

internal import CWeir
internal import Dispatch
internal import Synchronization

/// A finished run and its log, with times in seconds of the demo.
public struct DemoRun: Sendable {
  /// The log, in nanoseconds of the demo.
  public let log: TraceLog
  /// True if the run did not come to its end: no thread could go on, or its time was over.
  public let isStuck: Bool
  /// True if no thread could go on. On real threads: if nothing happened for longer than ever
  /// before in the run, and for a second at least.
  public let isDeadlocked: Bool
  /// The number of seconds of the demo in a second.
  let speed: Double
  let cores: Int
  let isSimulated: Bool

  /// A process has one observer and one clock of the trace.
  private static let oneAtATime = Mutex(())

  /// Runs a demo and records it.
  ///
  /// Blocks: until its end or its time limit, and before that while another demo runs. On the real
  /// machine another thread has to drain the main queue.
  ///
  /// - Parameters:
  ///   - watchdog: The time limit of a real run, in seconds of the demo.
  ///   - stop: Ends a real run before that. Either leaves `isStuck` true.
  ///   - live: Receives each event as it happens, one at a time. It should be quick, and must not
  ///     use Weir. Times may step back a little, and `woken` is `nil`.
  @available(*, noasync, message: "it blocks: run it on a thread of its own")
  public static func perform(
    _ demo: Demo, _ values: KnobValues, on machine: DemoMachine, watchdog: Double,
    stop: RunStop = RunStop(), live: (@Sendable (TraceLog.Event) -> Void)? = nil
  ) -> DemoRun {
    perform(demo, values, on: machine.machine, watchdog: watchdog, stop: stop, live: live)
  }

  @available(*, noasync, message: "it blocks: run it on a thread of its own")
  static func perform(
    _ demo: Demo, _ values: KnobValues, on machine: any Machine, watchdog: Double,
    stop: RunStop = RunStop(), live: (@Sendable (TraceLog.Event) -> Void)? = nil
  ) -> DemoRun {
    oneAtATime.withLock { _ in record(demo, values, on: machine, watchdog, stop, live) }
  }

  private static func record(
    _ demo: Demo, _ values: KnobValues, on machine: any Machine, _ watchdog: Double,
    _ stop: RunStop, _ live: (@Sendable (TraceLog.Event) -> Void)?
  ) -> DemoRun {
    var own = values
    own.measured = demo.measure(values, machine)
    let start: @Sendable (@escaping @Sendable () -> Void) -> Void = {
      [own] finish in
      for one in own.measured { note(one.label, one.number, value: one.value) }
      demo.start(own, machine, finish)
    }
    let recording = RunRecording(speed: machine.speed, live)
    let begin = DispatchTime.now().uptimeNanoseconds
    recording.start()
    TracedQueue.beginRun()
    let ending =
      if let simulated = machine as? SimulatedMachine {
        simulate(simulated, start)
      } else {
        runReally(machine, watchdog, stop, start)
      }
    let isStuck = ending != .finished
    let elapsed = Double(DispatchTime.now().uptimeNanoseconds - begin) * machine.speed
    var log = recording.finish()
    if machine.isSimulated { log.moment = 10_000 }
    return DemoRun(
      log: log, isStuck: isStuck,
      isDeadlocked: isStuck
        && (machine.isSimulated
          || isSilent(log, at: elapsed) && (ending == .late || standsStill(log))),
      speed: machine.speed, cores: machine.cores, isSimulated: machine.isSimulated)
  }

  /// True if all jobs that have begun wait, or a thread without a job does.
  private static func standsStill(_ log: TraceLog) -> Bool {
    log.events.last.map { $0.counts.waiting > 0 && $0.counts.inProgress == 0 } ?? false
  }

  /// True if nothing happened before a time for longer than between any two events.
  private static func isSilent(_ log: TraceLog, at nanoseconds: Double) -> Bool {
    let times = log.events.map { Double($0.time) }
    let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
    return nanoseconds - (times.last ?? 0) > max(longest, 1e9)
  }

  private enum Ending {
    case finished
    /// No thread could go on, or the time was over.
    case late
    case stopped
  }

  private static func simulate(
    _ machine: SimulatedMachine,
    _ start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) -> Ending {
    let isFinished = Mutex(false)
    machine.withClockOfTrace {
      _ = machine.run {
        TracedQueue(mainOf: machine).runStarted { start { isFinished.withLock { $0 = true } } }
      }
    }
    return isFinished.withLock { $0 } ? .finished : .late
  }

  private static func runReally(
    _ machine: any Machine, _ watchdog: Double, _ stop: RunStop,
    _ start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) -> Ending {
    let done = DispatchSemaphore(value: 0)
    let isStopped = Mutex(false)
    stop.set {
      isStopped.withLock { $0 = true }
      done.signal()
    }
    defer { stop.set(nil) }
    let main = machine.mainQueue
    main.async {
      TracedQueue(mainOf: machine).runStarted {
        // The block that finishes ends before the recording does.
        start { main.async { done.signal() } }
      }
    }
    let limit = DispatchTime.now() + .nanoseconds(Int(machine.nanoseconds(watchdog)))
    guard done.wait(timeout: limit) == .success else { return .late }
    if isStopped.withLock(\.self) { return .stopped }
    (machine as? RealMachine)?.settle()
    return .finished
  }
}

/// The request to end a real run before its end. Its threads may still work afterwards.
public final class RunStop: Sendable {
  private let action = Mutex<(@Sendable () -> Void)?>(nil)

  /// Creates a request for one run.
  public init() {}

  /// Ends the run. It is ignored if the run has not begun or has ended, and by a simulated one.
  ///
  /// Blocks: no. It may be called on any thread.
  public func request() { action.withLock(\.self)?() }

  func set(_ action: (@Sendable () -> Void)?) { self.action.withLock { $0 = action } }
}
