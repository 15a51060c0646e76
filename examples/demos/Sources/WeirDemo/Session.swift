// A run of a demo on the command line: predict, watch, compare.

import Demos
import Dispatch
import Foundation
import SystemPackage

struct Session {
  private let demo: Demo
  private let values: KnobValues
  private let view: ViewOptions
  private let prediction: Prediction?
  /// The page, opened before the run, and the files that it takes.
  private let page: (file: RunFile, folder: PageFolder)?

  /// Runs a demo by the words after its name. Does not return if it succeeds.
  static func run(_ demo: Demo, _ words: [String]) throws {
    let arguments = try Arguments(
      words, options: demo.knobs.map { CommandOption($0) } + ViewOptions.table, of: demo.name,
      knobs: demo.knobs.count)
    if arguments.requestsHelp { return try Output.write(Help.page(of: demo)) }
    _ = try arguments.operands(atMost: 0)
    let session = try Session(demo, arguments)
    // Demos use the real main queue, and on Linux only dispatchMain drains it, which never returns.
    // So the demo runs on a thread of its own, which ends the program and takes the signals: the
    // main thread ends in dispatchMain, and the threads of libdispatch block them.
    Thread.detachNewThread {
      do {
        try session.run()
        exit(0)
      } catch {
        Program.end(with: error)
      }
    }
    dispatchMain()
  }

  private init(_ demo: Demo, _ arguments: Arguments) throws {
    self.demo = demo
    view = try ViewOptions(arguments)
    values = KnobValues(demo.knobs, given: arguments.values(of: demo.knobs))
    if let complaint = demo.complaint(values) { throw UsageError(complaint) }
    prediction = try view.predict.map { try Prediction($0, for: demo) }
    page = try view.html.map { (try RunFile($0), try PageFolder.find()) }
  }

  private var isQuiet: Bool { view.isScore || view.isJSON }
  private var isLive: Bool {
    Terminal.isOutput && !view.isPlain && !isQuiet && !view.showsAllEvents && !Terminal.isDumb
  }

  private func run() throws {
    if !isQuiet { try write(introduction) }
    let asked = try prediction ?? (isLive && Terminal.isInput ? Prediction.ask(demo) : nil)
    let result = DemoResult(
      demo: demo, values: values, run: try perform(), prediction: asked?.answers)
    try show(result)
    if let page {
      try page.file.write(Array(HTMLReport.page(result.report, result.run.log, page.folder).utf8))
    }
    if !result.isSound { throw BrokenPromise() }
  }

  private var introduction: [String] {
    [demo.introduction(values)]
      + (view.isVirtual ? ["Simulated: threads and time follow a fixed schedule."] : [])
  }

  private func perform() throws -> DemoRun {
    let speed = view.speed ?? demo.speed
    // At a high speed the work of the machine itself takes its time: ten seconds at least.
    let watchdog = view.watchdog ?? max(120, 10 * speed)
    do {
      if view.isVirtual {
        return show(try DemoRun.perform(demo, values, on: SimulatedMachine(), watchdog: watchdog))
      }
      let machine = RealMachine(speed: demo.isReplayed ? 1 : speed)
      guard isLive, !demo.isReplayed else {
        return show(try DemoRun.perform(demo, values, on: machine, watchdog: watchdog))
      }
      return try screen.watch(speed: speed) {
        try DemoRun.perform(demo, values, on: machine, watchdog: watchdog)
      }
    } catch let error as Errno {
      throw Failure("the run cannot be recorded in a file in TMPDIR or /tmp: \(error)")
    }
  }

  /// Shows a finished run as if it ran now, on a terminal.
  private func show(_ run: DemoRun) -> DemoRun {
    let seconds = Double(run.log.events.last?.time ?? 0) / 1e9
    let speed = view.speed ?? (demo.isReplayed ? seconds / Session.replaySeconds : demo.speed)
    if isLive { screen.replay(run, speed: max(speed, 1e-6)) }
    return run
  }

  /// The seconds of the clock in which a run is shown that was too fast to be followed.
  private static let replaySeconds = 4.0

  private var screen: Screen {
    let title = demo.isReplayed ? "\(demo.name), replayed slowly" : demo.name
    return Screen(
      title: view.isVirtual ? "\(demo.name), simulated" : title,
      usesColors: Terminal.hasColors(view.color), language: view.language)
  }

  // MARK: - The output

  private func show(_ result: DemoResult) throws {
    if view.isScore { return try Output.write(bytes: result.score) }
    if view.isJSON { return try Output.write(bytes: result.json) }
    if !isLive {
      try Output.write(
        [LogLines.heading(result.run.log)]
          + LogLines.lines(
            result.run.log, isComplete: view.showsAllEvents, language: view.language))
    }
    try Output.write(result.findings.table)
    try write(result.conclusion)
  }

  private func write(_ sentences: [String]) throws {
    try Output.write(sentences.flatMap { TextLines.wrap($0, columns: Terminal.textColumns) })
  }
}
