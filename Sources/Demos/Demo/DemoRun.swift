// A run of a demo: from the start to the log.

internal import Dispatch
internal import Synchronization
public import SystemPackage
internal import Weir
internal import WeirLibC

/// A finished run and its log, with times in seconds of the demo.
public struct DemoRun: Sendable {
  /// The log, in nanoseconds of the demo.
  public let log: TraceLog
  /// The timeline of the log.
  public let timeline: Timeline
  /// True if the run was ended because nothing went on.
  public let isStuck: Bool
  /// The machine's cores.
  public let cores: Int
  /// True if threads and time were simulated.
  public let isSimulated: Bool
  /// The recording as Trace Event JSON.
  public let traceEvents: [UInt8]

  /// Runs a demo and records it.
  ///
  /// Blocks: until its end or its time limit. On the real machine another thread has to drain the
  /// main queue.
  ///
  /// - Parameters:
  ///   - watchdog: The time limit of a real run, in seconds of the demo.
  /// - Throws: `Errno.resourceBusy` if another recorder records.
  @available(*, noasync, message: "it blocks: run it on a thread of its own")
  public static func perform(
    _ demo: Demo, _ values: KnobValues, on machine: any Machine, watchdog: Double
  ) throws(Errno) -> DemoRun {
    let recorder = TraceRecorder()
    try recorder.start()
    let isStuck =
      if let simulated = machine as? SimulatedMachine {
        simulate(demo, values, simulated)
      } else {
        runReally(demo, values, machine, watchdog)
      }
    recorder.stop()
    let lines = try bytes(recorder, .jsonLines)
    let events = try bytes(recorder, .traceEvents)
    guard var log = try? TraceLog(jsonLines: lines) else { throw .ioError }
    log.scale(by: machine.speed)
    return DemoRun(
      log: log, timeline: Timeline(log), isStuck: isStuck, cores: machine.cores,
      isSimulated: machine.isSimulated, traceEvents: events)
  }

  private static func simulate(
    _ demo: Demo, _ values: KnobValues, _ machine: SimulatedMachine
  ) -> Bool {
    let isFinished = Mutex(false)
    let finish: @Sendable () -> Void = { isFinished.withLock { $0 = true } }
    _ = machine.run { demo.start(values, machine, finish) }
    return !isFinished.withLock { $0 }
  }

  private static func runReally(
    _ demo: Demo, _ values: KnobValues, _ machine: any Machine, _ watchdog: Double
  ) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let main = machine.mainQueue
    main.async {
      // The block that finishes ends before the recording does.
      demo.start(values, machine) { main.async { done.signal() } }
    }
    let limit = DispatchTime.now() + .nanoseconds(Int(machine.nanoseconds(watchdog)))
    guard done.wait(timeout: limit) == .success else { return true }
    (machine as? RealMachine)?.settle()
    return false
  }

  private static var temporaryFolder: String {
    getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }

  /// Returns what a recorder writes to a file.
  private static func bytes(
    _ recorder: TraceRecorder, _ format: TraceRecorder.Format
  ) throws(Errno) -> [UInt8] {
    var name = Array("\(temporaryFolder)/weir-demo.XXXXXX".utf8CString)
    let number = mkstemp(&name)
    guard number >= 0 else { throw Errno(rawValue: errno) }
    unlink(name)
    let file = FileDescriptor(rawValue: number)
    defer { try? file.close() }
    try recorder.write(to: file, format: format)
    do {
      let size = Int(try file.seek(offset: 0, from: .end))
      var bytes: [UInt8] = []
      bytes.reserveCapacity(size)
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      _ = try file.seek(offset: 0, from: .start)
      while true {
        let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
        if count == 0 { return bytes }
        bytes += chunk[..<count]
      }
    } catch {
      throw error as? Errno ?? .ioError
    }
  }
}
