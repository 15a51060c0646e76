// A run of a demo on the command line: predict, watch, compare.

import Demos
import Dispatch
import Foundation
import SystemPackage

struct Session {
  /// The options on how a demo is run and shown.
  static let options: [CommandOption] = [
    CommandOption(
      "predict", "LIST",
      "Compare this prediction with the result: a number for each question, such as 5,15, with - "
        + "for none; ask no questions"),
    CommandOption("score", "", "With --predict, write only a JSON line that marks it"),
    CommandOption(
      "virtual", "", "Simulate threads and time, with two cores: the same run each time, at once"),
    .number(
      "speed", "N", "Seconds of the demo in a second, 0.01 to 1000 [default: by demo]",
      0.01...1000),
    .number("watchdog", "S", "Time limit, in seconds of the demo [default: 120]", 0.1...3600),
    CommandOption("html", "PAGE", "Write a page with the timeline, to step through"),
    CommandOption("all-events", "", "Show every event of the log, in lines"),
  ]

  private let demo: Demo
  private let values: KnobValues
  private let arguments: Arguments
  private let prediction: Prediction?
  /// The page, opened before the run, and the files that it takes.
  private let page: (file: RunFile, folder: PageFolder)?

  /// Runs a demo by the words after its name. Does not return if it succeeds.
  static func run(_ demo: Demo, _ words: [String]) throws {
    let arguments = try Arguments(
      words, options: demo.knobs.map { CommandOption($0) } + options, of: demo.name,
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
    (self.demo, self.arguments) = (demo, arguments)
    if arguments.has("score") && !arguments.has("predict") {
      throw UsageError("--score marks a prediction; give it with --predict")
    }
    values = KnobValues(demo.knobs, given: arguments.values(of: demo.knobs))
    if let complaint = demo.complaint(values) { throw UsageError(complaint) }
    prediction = try arguments["predict"].map { try Prediction($0, for: demo) }
    page = try arguments["html"].map { (try RunFile($0), try PageFolder.find()) }
  }

  private var isScore: Bool { arguments.has("score") }
  private var isVirtual: Bool { arguments.has("virtual") }
  private var showsAll: Bool { arguments.has("all-events") }
  /// True if the lines come while the run goes on. What a signal woke is known only afterwards, and
  /// a run that measures is not to be slowed down.
  private var isLive: Bool { !isScore && !isVirtual && !showsAll && !demo.isReplayed }
  private var lines: LogLines { LogLines(isComplete: showsAll) }

  private func run() throws {
    var asked = prediction
    if !isScore {
      let simulated = "Simulated: threads and time follow a fixed schedule."
      try write([demo.opening(values)] + (isVirtual ? [simulated] : []))
      if asked == nil && Terminal.isInput && Terminal.isOutput { asked = try Prediction.ask(demo) }
      try Output.write([LogLines.heading])
    }
    let result = DemoResult(
      demo: demo, values: values, run: perform(), prediction: asked?.answers)
    if isScore {
      try Output.write([result.score])
    } else {
      if !isLive { try Output.write(result.run.log.events.compactMap(lines.line)) }
      try Output.write(result.findings.table)
      try write(result.conclusion)
    }
    if let page { try page.file.write(try HTMLReport.page(result, page.folder)) }
    if !result.findings.isSound { throw BrokenPromise() }
  }

  private func perform() -> DemoRun {
    let speed = arguments["speed"].flatMap(Double.init) ?? demo.speed
    // At a high speed the work of the machine itself takes its time: ten seconds at least.
    let watchdog = arguments["watchdog"].flatMap(Double.init) ?? max(120, 10 * speed)
    let machine: DemoMachine =
      isVirtual ? .simulated : .real(speed: demo.isReplayed ? 1 : speed)
    // A reader that is gone is found at the end.
    let show: @Sendable (TraceLog.Event) -> Void = { [lines] event in
      if let line = lines.line(event) { try? Output.write([line]) }
    }
    return DemoRun.perform(
      demo, values, on: machine, watchdog: watchdog, live: isLive ? show : nil)
  }

  private func write(_ sentences: [String]) throws {
    try Output.write(sentences.flatMap { TextLines.wrap($0, columns: Terminal.textColumns) })
  }
}
