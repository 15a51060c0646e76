// weir demo loops.

#if Tool
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
      do {
        let trace = try options.trace.map { name in try open(name) }
        let isOne = try show(plan, prediction, trace)
        try console.closeOutput()
        if !isOne { throw ExitStatus.difference }
      } catch let status as ExitStatus {
        throw status
      } catch let trouble as FileTrouble {
        console.say(trouble.message)
        throw ExitStatus.usage
      } catch {
        console.say("\(error)")
        throw ExitStatus.usage
      }
    }

    /// Returns whether all forms came to the same result.
    private func show(
      _ plan: LoopsPlan, _ given: LoopsPrediction?, _ trace: FileDescriptor?
    ) throws -> Bool {
      let isTerminal = isatty(STDOUT_FILENO) == 1
      let drawing = LoopsDrawing(
        plan: plan, isPlain: options.plain || !isTerminal,
        usesColors: isTerminal && LoopsDemo.wantsColors)
      try write(drawing.beginning)
      let prediction = try given ?? (LoopsPrediction.canAsk ? ask(plan) : nil)
      if !drawing.isPlain { try write([""]) }
      try write(drawing.legend)
      let runner = LoopsRunner(plan, isTraced: trace != nil)
      var runs: [LoopsRun] = []
      for form in plan.forms {
        let run = runner.best(form)
        runs.append(run)
        try write(drawing.lines(run, against: runs.first))
      }
      let verdict = LoopsVerdict(plan: plan, prediction: prediction, runs: runs)
      try write(drawing.lines(verdict))
      if let trace, let name = options.trace { try finish(trace, name, runs) }
      return verdict.isOne
    }

    private func ask(_ plan: LoopsPlan) throws -> LoopsPrediction? {
      try LoopsPrediction.asked(plan) { text in try console.write(Array(text.utf8)) }
    }

    /// At the beginning: that it cannot be written is not to be learned at the end.
    private func open(_ name: RawArgument) throws(FileTrouble) -> FileDescriptor {
      do {
        let descriptor = try TraceFile.open(name)
        TraceFile.empty(descriptor)
        return descriptor
      } catch {
        throw FileTrouble(name, error)
      }
    }

    private func finish(
      _ trace: FileDescriptor, _ name: RawArgument, _ runs: [LoopsRun]
    ) throws(FileTrouble) {
      do {
        try trace.writeAll(LoopsTrace.json(runs))
        try trace.close()
      } catch {
        throw FileTrouble(name, error)
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
#endif
