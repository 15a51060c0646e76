// The verb `demo loops`: one loop in several forms, and the results.

internal import FileJobs
internal import Glibc
internal import SystemPackage

struct LoopsDemo {
  private let options: LoopsOptions
  private let console = Console()

  init(_ options: LoopsOptions) {
    self.options = options
  }

  func run() throws {
    var plan = try options.plan()
    if TerminalStream.output.isTerminal { plan.width = min(80, TerminalStream.output.columns) }
    let prediction = try options.prediction()
    let status = DemoStatus("loops", console, stage: "no form has run yet")
    defer { status.finish() }
    let trace = try options.trace.map { name in try open(name) }
    let summary =
      options.format == .json
      ? try showAsJSON(plan, prediction, status, isTraced: trace != nil)
      : try showAsText(plan, prediction, status, isTraced: trace != nil)
    if let trace, let name = options.trace { try finish(trace, name, summary.results) }
    try console.closeOutput()
    if !summary.hasEqualSums { throw ExitStatus.difference }
  }

  private func showAsText(
    _ plan: LoopsPlan, _ given: LoopsPrediction?, _ status: DemoStatus, isTraced: Bool
  ) throws -> LoopsSummary {
    let text = LoopsText(
      plan: plan, isPlain: options.plain || !TerminalStream.output.isTerminal,
      usesColors: options.color.applies(to: .output), rows: TerminalStream.output.rows)
    try write(text.beginning)
    let prediction = try given ?? (LoopsPrediction.canAsk ? ask(plan) : nil)
    if !text.isPlain { try write([""]) }
    var plain: LoopsResult?
    let results = try run(plan, status, isTraced: isTraced) { result in
      plain = plain ?? result
      try write(text.lines(result, against: plain))
    }
    let summary = LoopsSummary(plan: plan, prediction: prediction, results: results)
    try write(text.legend + text.lines(summary))
    return summary
  }

  private func showAsJSON(
    _ plan: LoopsPlan, _ prediction: LoopsPrediction?, _ status: DemoStatus, isTraced: Bool
  ) throws -> LoopsSummary {
    let results = try run(plan, status, isTraced: isTraced) { result in
      try console.write(LoopsJSON.lines(result))
    }
    let summary = LoopsSummary(plan: plan, prediction: prediction, results: results)
    try console.write(LoopsJSON.summary(summary))
    return summary
  }

  /// Runs all forms, one after the other.
  ///
  /// - Parameter show: Called with each result as soon as it is there.
  private func run(
    _ plan: LoopsPlan, _ status: DemoStatus, isTraced: Bool,
    _ show: (LoopsResult) throws -> Void
  ) rethrows -> [LoopsResult] {
    let runner = LoopsRunner(plan, isTraced: isTraced)
    return try plan.forms.enumerated().map { index, form in
      status.enter("\(form.name) is running, \(index + 1) of \(plan.forms.count)")
      let result = runner.best(form)
      try show(result)
      return result
    }
  }

  private func ask(_ plan: LoopsPlan) throws -> LoopsPrediction? {
    try LoopsPrediction.ask(plan) { text in try console.write(Array(text.utf8)) }
  }

  /// Opens the trace before the loop runs: a path that cannot be written fails at once.
  private func open(_ name: RawArgument) throws(FileError) -> FileDescriptor {
    do {
      let descriptor = try TraceFile.open(name)
      try TraceFile.empty(descriptor)
      return descriptor
    } catch {
      throw FileError(name, error)
    }
  }

  private func finish(
    _ trace: FileDescriptor, _ name: RawArgument, _ results: [LoopsResult]
  ) throws(FileError) {
    do {
      try trace.writeAll(LoopsTrace.json(results))
      try trace.closeWritten()
    } catch {
      throw FileError(name, error)
    }
  }

  private func write(_ lines: [String]) throws {
    try console.write(Array(lines.map { "\($0)\n" }.joined().utf8))
  }
}
