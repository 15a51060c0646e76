// A run of a demo on the command line: predict, watch, compare.

internal import Demos
internal import Dispatch
internal import FileJobs
internal import SystemPackage
internal import WeirLibC

struct DemoSession {
  let demo: Demo
  let values: KnobValues
  let view: DemoViewOptions
  let loops: LoopsOptions
  private let console = Console()

  private var isJSON: Bool { loops.format == .json }
  private var isQuiet: Bool { view.score || isJSON }
  private var width: Int {
    TerminalStream.output.isTerminal ? max(20, min(80, TerminalStream.output.columns)) : 80
  }
  private var language: Language { Language(rawValue: view.language) ?? .english }
  private var isLive: Bool {
    TerminalStream.output.isTerminal && !loops.plain && !isQuiet && !view.showsAllEvents
      && !TerminalStream.isDumb
  }

  init(_ demo: Demo, _ command: DemoCommand) throws(UsageError) {
    self.demo = demo
    view = command.view
    loops = command.loops
    values = try DemoSession.values(of: demo, command)
    if view.score && loops.predict == nil {
      throw UsageError("--score marks a prediction; give it with --predict")
    }
    if isJSON && loops.plain {
      throw UsageError("--plain cannot be combined with --format json, which draws nothing")
    }
  }

  /// Returns the knobs of the command line.
  private static func values(
    of demo: Demo, _ command: DemoCommand
  ) throws(UsageError) -> KnobValues {
    var given = command.knobs.given
    for (name, number) in command.loops.given { given[name] = "\(number)" }
    for (name, value) in given.sorted(by: { $0.key < $1.key }) {
      guard let knob = demo.knobs.first(where: { $0.name == name }) else {
        let names = demo.knobs.map { "--\($0.name)" }.joined(separator: ", ")
        throw UsageError("\(demo.name) has no --\(name); it has \(names)")
      }
      if let complaint = knob.complaint(about: value) {
        throw UsageError(
          "--\(name) of \(demo.name) \(complaint), not ", RawArgument(argument: value))
      }
    }
    let values = KnobValues(demo.knobs, given: given)
    if let complaint = demo.complaint(values) { throw UsageError(complaint) }
    return values
  }

  // MARK: - The run

  func run() throws {
    let prediction = try loops.predict.map { words throws(UsageError) in
      try DemoPrediction(words, for: demo)
    }
    let speed = try view.speed(of: demo)
    // At a high speed the work of the machine itself takes its time: ten seconds at least.
    let watchdog = try view.timeLimit() ?? max(120, 10 * speed)
    let files = try DemoFiles(html: view.html, trace: loops.trace)
    if !isQuiet { try write(introduction) }
    let asked = try prediction ?? (canAsk ? DemoPrediction.ask(demo, console) : nil)
    let status = DemoStatus(demo.name, console, stage: "running")
    let run = try perform(speed: speed, watchdog: watchdog)
    status.finish()
    let result = DemoResult(
      demo: demo, values: values, run: run, prediction: asked?.answers)
    try show(result)
    try files.write(result)
    try console.closeOutput()
    if !result.isSound { throw ExitStatus.difference }
  }

  private var canAsk: Bool { isLive && TerminalStream.input.isTerminal }

  private var introduction: [String] {
    TextWidth.lines(of: demo.introduction(values), columns: width)
      + (view.virtual ? ["Simulated: threads and time follow a fixed schedule."] : [])
  }

  private func perform(speed: Double, watchdog: Double) throws -> DemoRun {
    do {
      if view.virtual {
        let run = try DemoRun.perform(demo, values, on: SimulatedMachine(), watchdog: watchdog)
        if isLive { DemoScreen.replay(run, title: demo.name, speed: speed, options: screenOptions) }
        return run
      }
      let machine = RealMachine(speed: speed)
      guard isLive else {
        return try DemoRun.perform(demo, values, on: machine, watchdog: watchdog)
      }
      return try DemoScreen.watch(title: demo.name, speed: speed, options: screenOptions) {
        try DemoRun.perform(demo, values, on: machine, watchdog: watchdog)
      }
    } catch let error as Errno {
      let folder = getenv("TMPDIR").map { DropIn.bytes(of: $0) } ?? Array("/tmp".utf8)
      throw FileError(
        message: Array("the run cannot be recorded in a file in ".utf8)
          + QuotedName.bytes(of: folder) + Array(": \(error)".utf8))
    }
  }

  private var screenOptions: DemoScreen.Options {
    DemoScreen.Options(usesColors: loops.color.applies(to: .output), language: language)
  }

  // MARK: - The output

  private func show(_ result: DemoResult) throws {
    if view.score { return try console.write(result.score) }
    if isJSON { return try console.write(result.json) }
    var lines: [String] = []
    if !isLive {
      lines = [LogLines.heading]
      lines += LogLines.lines(
        result.run.log, isComplete: view.showsAllEvents, language: language)
    }
    try write(lines + result.conclusion.flatMap { TextWidth.lines(of: $0, columns: width) })
  }

  private func write(_ lines: [String]) throws {
    try console.write(Array(lines.map { "\($0)\n" }.joined().utf8))
  }
}

/// The files that a demo writes besides its output.
private struct DemoFiles {
  private let html: (RawArgument, FileDescriptor)?
  private let trace: (RawArgument, FileDescriptor)?

  /// Opens the files before the run, so that an error does not appear only after it.
  init(html: RawArgument?, trace: RawArgument?) throws {
    self.html = try html.map { try DemoFiles.open($0) }
    self.trace = try trace.map { try DemoFiles.open($0) }
    if let html, let trace = self.trace, try DemoFiles.isSame(trace, html) {
      throw UsageError("--html and --trace name the same file, ", html)
    }
  }

  private static func isSame(
    _ file: (RawArgument, FileDescriptor), _ name: RawArgument
  ) throws(FileError) -> Bool {
    do throws(Errno) {
      return try TraceFile.isOpen(file.1, onOneOf: [name])
    } catch {
      throw FileError(file.0, error)
    }
  }

  private static func open(_ name: RawArgument) throws -> (RawArgument, FileDescriptor) {
    do {
      return (name, try TraceFile.open(name))
    } catch {
      throw FileError(name, error)
    }
  }

  func write(_ result: DemoResult) throws {
    if let trace { try finish(trace, result.run.traceEvents) }
    if let html {
      try finish(html, Array(HTMLReport.page(result.report, result.run.log).utf8))
    }
  }

  private func finish(_ file: (RawArgument, FileDescriptor), _ bytes: [UInt8]) throws {
    do {
      try TraceFile.empty(file.1)
      try file.1.writeAll(bytes)
      try file.1.closeWritten()
    } catch {
      throw FileError(file.0, error)
    }
  }
}
