// weir demo loops.

internal import Glibc
internal import SystemPackage

struct LoopsDemo {
  private let options: LoopsOptions
  private let console = Console()

  init(_ options: LoopsOptions) {
    self.options = options
  }

  func run() throws {
    let plan = try options.plan()
    let prediction = try options.prediction()
    let inquiries = DemoInquiries(.loops, console, stage: "nothing has run yet")
    defer { inquiries.finish() }
    do {
      let trace = try options.trace.map { name in try open(name) }
      let isOne = try show(plan, prediction, trace, inquiries)
      try console.closeOutput()
      if !isOne { throw ExitStatus.difference }
    } catch let status as ExitStatus {
      throw status
    } catch let trouble as FileError {
      console.report(trouble.message)
      throw ExitStatus.usage
    } catch {
      console.report("\(error)")
      throw ExitStatus.usage
    }
  }

  /// Returns whether all forms came to the same result.
  private func show(
    _ plan: LoopsPlan, _ given: LoopsPrediction?, _ trace: FileDescriptor?,
    _ inquiries: DemoInquiries
  ) throws -> Bool {
    let verdict =
      options.format == .json
      ? try showAsJSON(plan, given, inquiries, isTraced: trace != nil)
      : try showAsText(plan, given, inquiries, isTraced: trace != nil)
    if let trace, let name = options.trace { try finish(trace, name, verdict.runs) }
    return verdict.isOne
  }

  private func showAsText(
    _ plan: LoopsPlan, _ given: LoopsPrediction?, _ inquiries: DemoInquiries, isTraced: Bool
  ) throws -> LoopsVerdict {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    let drawing = LoopsDrawing(
      plan: plan, isPlain: options.plain || !isTerminal,
      usesColors: isTerminal && LoopsDemo.wantsColors)
    try write(drawing.beginning)
    let prediction = try given ?? (LoopsPrediction.canAsk ? ask(plan) : nil)
    if !drawing.isPlain { try write([""]) }
    try write(drawing.legend)
    var plain: LoopsRun?
    let runs = try run(plan, inquiries, isTraced: isTraced) { run in
      plain = plain ?? run
      try write(drawing.lines(run, against: plain))
    }
    let verdict = LoopsVerdict(plan: plan, prediction: prediction, runs: runs)
    try write(drawing.lines(verdict))
    return verdict
  }

  private func showAsJSON(
    _ plan: LoopsPlan, _ prediction: LoopsPrediction?, _ inquiries: DemoInquiries, isTraced: Bool
  ) throws -> LoopsVerdict {
    let runs = try run(plan, inquiries, isTraced: isTraced) { run in
      try console.write(LoopsJSON.lines(run))
    }
    let verdict = LoopsVerdict(plan: plan, prediction: prediction, runs: runs)
    try console.write(LoopsJSON.summary(verdict))
    return verdict
  }

  /// Runs all forms, one after the other.
  private func run(
    _ plan: LoopsPlan, _ inquiries: DemoInquiries, isTraced: Bool,
    _ show: (LoopsRun) throws -> Void
  ) rethrows -> [LoopsRun] {
    let runner = LoopsRunner(plan, isTraced: isTraced)
    return try plan.forms.enumerated().map { index, form in
      inquiries.enter("\(form.name) is running, \(index + 1) of \(plan.forms.count)")
      let run = runner.best(form)
      try show(run)
      return run
    }
  }

  private func ask(_ plan: LoopsPlan) throws -> LoopsPrediction? {
    try LoopsPrediction.asked(plan) { text in try console.write(Array(text.utf8)) }
  }

  /// At the beginning: that it cannot be written is not to be learned at the end.
  private func open(_ name: RawArgument) throws(FileError) -> FileDescriptor {
    do {
      let descriptor = try TraceFile.open(name)
      TraceFile.empty(descriptor)
      return descriptor
    } catch {
      throw FileError(name, error)
    }
  }

  private func finish(
    _ trace: FileDescriptor, _ name: RawArgument, _ runs: [LoopsRun]
  ) throws(FileError) {
    do {
      try trace.writeAll(LoopsTrace.json(runs))
      try trace.close()
    } catch {
      throw FileError(name, error)
    }
  }

  private func write(_ lines: [String]) throws {
    try console.write(Array(lines.map { "\($0)\n" }.joined().utf8))
  }

  /// What the terminal and NO_COLOR say.
  private static var wantsColors: Bool {
    let no = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let kind = getenv("TERM").map { String(cString: $0) } ?? "dumb"
    return !no && kind != "dumb"
  }
}
