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

  /// True if the lines come while the run goes on. What a signal woke is known only afterwards, and
  /// a run that measures is not to be slowed down.
  private var isLive: Bool {
    !view.isScore && !view.isVirtual && !view.showsAllEvents && !demo.isReplayed
  }
  private var lines: LogLines { LogLines(isComplete: view.showsAllEvents) }

  private func run() throws {
    if !view.isScore { try write(introduction) }
    let asks = !view.isScore && Terminal.isInput && Terminal.isOutput
    let asked = try prediction ?? (asks ? Prediction.ask(demo) : nil)
    if !view.isScore { try Output.write([LogLines.heading]) }
    let result = DemoResult(
      demo: demo, values: values, run: perform(), prediction: asked?.answers)
    try show(result)
    if let page {
      try page.file.write(Array(HTMLReport.page(result.report, result.run.log, page.folder).utf8))
    }
    if !result.isSound { throw BrokenPromise() }
  }

  private var introduction: [String] {
    [demo.opening(values)]
      + (view.isVirtual ? ["Simulated: threads and time follow a fixed schedule."] : [])
  }

  private func perform() -> DemoRun {
    let speed = view.speed ?? demo.speed
    // At a high speed the work of the machine itself takes its time: ten seconds at least.
    let watchdog = view.watchdog ?? max(120, 10 * speed)
    let machine: DemoMachine =
      view.isVirtual ? .simulated : .real(speed: demo.isReplayed ? 1 : speed)
    // A reader that is gone is found at the end.
    let show: @Sendable (TraceLog.Event) -> Void = { [lines] event in
      if let line = lines.line(event) { try? Output.write([line]) }
    }
    return DemoRun.perform(
      demo, values, on: machine, watchdog: watchdog, live: isLive ? show : nil)
  }

  // MARK: - The output

  private func show(_ result: DemoResult) throws {
    if view.isScore { return try Output.write(bytes: result.score) }
    if !isLive { try Output.write(result.run.log.events.compactMap(lines.line)) }
    try Output.write(result.findings.table)
    try write(result.conclusion)
  }

  private func write(_ sentences: [String]) throws {
    try Output.write(sentences.flatMap { TextLines.wrap($0, columns: Terminal.textColumns) })
  }
}
