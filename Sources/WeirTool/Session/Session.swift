// A run of a verb, from its working directory to its exit status.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The part of a run that all verbs share: `-C`, `--trace`, signals, progress,
/// `--summary` and the exit status.
///
///     let session = try Session(commonOptions, verb: "hash", inputs: names)
///     ... make the job, with session.processorOptions ...
///     try session.run(job) {
///       try job.run(sources) { batch in try output.write(batch) }
///     } finish: { ending in
///       ... write the last lines; an error here counts as an error of the work ...
///     } summary: { ending in
///       Session.Summary(ending)
///     }
///
/// A run reports itself in one line: how far it came if it was interrupted, else the
/// summary if `--summary` is given, else the remark, if there is one.
final class Session: Sendable {
  let console = Console()
  private let showsProgress: Bool
  /// The names of the inputs that are terminals; `nil` if none is.
  private let terminals: Set<[UInt8]>?
  private let isVerbose: Bool
  private let wantsSummary: Bool
  private let trace: TraceFile?
  private let signals = Signals()
  /// The monitor of the present run, from the start of the work to the exit.
  private let monitor = Locked<RunMonitor?>(nil)
  private let hasReportedInterruption = Locked(false)
  /// The place of the results of an interrupted run, and the command that resumes it.
  let resumption = Locked<Resumption?>(nil)
  /// Removes temporary files before the process ends without waiting for the run.
  let cleanup = Locked<(@Sendable () -> Void)?>(nil)
  private let wording: ProgressWording
  /// The options for the processor that follow from the command line.
  let processorOptions: FileProcessorOptions

  /// The place of the results of an interrupted run, and the command that resumes it.
  struct Resumption: Sendable {
    let text: [UInt8]
    /// The command as it is typed; empty for none.
    var command: [UInt8] = []
  }

  /// The end of the work of a run.
  struct Ending {
    let statistics: FileStatistics
    let seconds: Double
    /// The error that ended the work, unless a signal did.
    var failure: (any Error)?
    /// The signal that cut the work short; `nil` if the work was complete all the same.
    let signal: Int32?

    /// True if all the work was done.
    var isComplete: Bool { failure == nil && signal == nil }
  }

  /// The report on a whole run, and its exit status.
  struct Summary {
    /// The line that `--summary` prints.
    var line: String
    /// The line that is printed without `--summary`; `nil` for none.
    var remark: String?
    /// The exit status of a complete run; `nil` for success.
    var status: ExitStatus?
  }

  /// Changes to the directory of `-C`, blocks signals and starts the trace.
  ///
  /// - Parameters:
  ///   - inputs: The inputs, which the trace must not overwrite.
  ///   - output: The file of `--output`, which must not be that of the trace.
  ///   - log: The file of `--joblog`, likewise.
  ///   - terminals: The names of the inputs that are terminals; `nil` if none is. Progress
  ///     then shows on request only: it would erase what the user types.
  init(
    _ options: CommonOptions, verb: String, inputs: [RawArgument],
    output: RawArgument? = nil, log: RawArgument? = nil, terminals: Set<[UInt8]>? = nil,
    wording: ProgressWording = .files
  ) throws(FileError) {
    self.wording = wording
    self.terminals = terminals
    showsProgress =
      switch options.progress {
      case .auto:
        TerminalStream.error.isTerminal && !TerminalStream.isDumb && terminals == nil
      case .always: true
      case .never: false
      }
    isVerbose = options.verbose
    wantsSummary = options.summary
    // Before anything starts a thread.
    signals.block()
    var processorOptions = options.processorOptions
    processorOptions.label = "weir.\(verb)"
    if let directory = options.directory {
      let failed = FilePath(bytes: directory.bytes).withPlatformString { chdir($0) } != 0
      if failed { throw FileError(directory, Errno(rawValue: errno)) }
    }
    trace = try options.trace.map { file throws(FileError) in
      try TraceFile(file, inputs: inputs, output: output, log: log)
    }
    if let trace { processorOptions.excluded.append(trace.descriptor) }
    self.processorOptions = processorOptions
  }

  /// Lets signals end the process at once, for work that may take long and has nothing
  /// to report.
  func unblockSignals() { signals.unblock() }

  /// Blocks signals again, until the run answers them.
  func blockSignals() { signals.block() }

  /// Writes a message before the run, while no thread takes signals: a signal then ends the
  /// process, also if nobody reads the message.
  func reportBeforeRun(_ text: some Sequence<UInt8>) {
    signals.unblock()
    defer { signals.block() }
    console.report(text)
  }

  /// Says what the run waits for if it reads a terminal because no input is given.
  ///
  /// - Parameter missing: The operand that could name an input.
  func announceKeyboard(_ operands: Operands, missing: String) {
    guard operands.inputs.isEmpty, terminals != nil, TerminalStream.error.isTerminal else { return }
    console.report(
      paragraph: "no \(missing): reading what you type; Ctrl-D ends the input, Ctrl-C cancels")
  }

  /// Sets the number of readers to suit the storage, and reports it under `--verbose`.
  ///
  /// - Throws: The error of a system that can start no thread.
  func apply(
    _ plan: StoragePlan, to options: inout FileProcessorOptions
  ) throws(FileError) {
    plan.apply(to: &options)
    try fitThreads(&options)
    if isVerbose { plan.lines.forEach { reportBeforeRun($0) } }
  }

  /// Fits the number of jobs at once to the threads that the system can start, and reports a
  /// lower number.
  func fitThreads(_ options: inout FileProcessorOptions) throws(FileError) {
    guard let available = options.fitThreads() else { return }
    let remedy = "raise ulimit -u or ulimit -v"
    if available == 0 {
      let reason = Errno.resourceTemporarilyUnavailable
      throw FileError(message: Array("no thread can be started: \(reason); \(remedy)".utf8))
    }
    let threads = Quantities.count(available, "thread", "threads")
    let jobs = Quantities.count(options.jobs ?? 1, "job", "jobs")
    reportBeforeRun("only \(threads) can be started: \(jobs) at once; \(remedy)".utf8)
  }

  // MARK: The run

  /// Does the work of a job, reports on it, and throws its exit status if it is not
  /// success. Does not return if a signal ended the run.
  ///
  /// - Parameters:
  ///   - expected: Finds the amount of work, for the percentage.
  ///   - isBrief: True if a signal may end the process at once: there is one small file to
  ///     read, and nothing to clean up.
  ///   - isCut: True if a canceled run is incomplete for a reason that the statistics
  ///     do not show.
  ///   - finish: Writes the last lines. An error here makes the run fail.
  ///   - summary: Returns the report on the run; it is not printed for a run that was
  ///     cut short or failed.
  func run(
    _ job: any FileJob, expected: ExpectedWork.Search? = nil, isBrief: Bool = false,
    isCut: () -> Bool = { false }, work: () throws -> Void,
    finish: (Ending) throws -> Void, summary: (Ending) -> Summary
  ) throws(ExitStatus) {
    let ending = perform(job, expected: expected, isBrief: isBrief, isCut: isCut, work)
    try conclude(ending, finish: finish, summary: summary)
  }

  /// Does the work of a job and answers signals meanwhile.
  func perform(
    _ job: any FileJob, expected: ExpectedWork.Search? = nil, isBrief: Bool = false,
    isCut: () -> Bool = { false }, _ work: () throws -> Void
  ) -> Ending {
    // Only progress shows a percentage.
    let expected = showsProgress ? expected.map { ExpectedWork($0) } : nil
    defer { expected?.finish() }
    let monitor = RunMonitor(
      job, console: console, signals: signals, showsProgress: showsProgress,
      terminals: terminals, wording: wording, isBrief: isBrief,
      expected: { expected?.amount },
      lastWords: { @Sendable [self] in reportInterruption(job.statistics) },
      willEnd: { @Sendable [self] in writeTrace() },
      cleanup: { [cleanup] in cleanup.with { $0 }?() })
    self.monitor.with { $0 = monitor }
    var failure: (any Error)?
    do {
      try work()
    } catch {
      failure = error
    }
    let seconds = monitor.seconds
    let interruption = monitor.endWork()
    let statistics = job.statistics
    if isVerbose {
      console.report(Bottleneck.line(statistics, seconds: seconds, work: wording.work))
      console.report(SummaryLine.peaks(statistics))
      if let line = SummaryLine.readers(statistics) { console.report(line) }
    }
    guard let interruption else {
      return Ending(statistics: statistics, seconds: seconds, failure: failure, signal: nil)
    }
    let isCanceled = failure as? Errno == .canceled
    let isCutShort = isCanceled && (isCut() || !interruption.isComplete(at: statistics))
    return Ending(
      statistics: statistics, seconds: seconds, failure: isCanceled ? nil : failure,
      signal: isCutShort ? interruption.signal : nil)
  }

  /// Enters the next stage of the run, which decides what a signal does.
  func enter(_ stage: RunMonitor.Stage) {
    monitor.with { $0 }?.enter(stage)
  }

  /// Finishes the output of a run, reports on it and ends it.
  func conclude(
    _ ending: Ending, finish: (Ending) throws -> Void = { _ in }, summary: (Ending) -> Summary
  ) throws(ExitStatus) {
    var ending = ending
    do {
      try finish(ending)
    } catch {
      ending.failure = error
    }
    enter(.lastLines)
    let summary = summary(ending)
    if ending.signal != nil {
      reportInterruption(ending.statistics)
    } else if ending.failure == nil {
      if let line = wantsSummary ? summary.line : summary.remark {
        console.report(paragraph: line)
      }
    }
    try end(ending, with: summary.status)
  }

  /// Ends the run by its signal, or with a status.
  private func end(_ ending: Ending, with status: ExitStatus?) throws(ExitStatus) {
    var status = status
    do {
      if let failure = ending.failure { throw failure }
      try console.closeOutput()
    } catch let given as ExitStatus {
      status = given
    } catch {
      console.report(error)
      status = .usage
    }
    if trace != nil { enter(.replacing) }
    if !writeTrace() { status = .usage }
    // The monitor holds the session: taking it out breaks the cycle.
    if let interruption = monitor.with({ $0.take() })?.finish() {
      if !ending.isComplete { cleanup.with { $0 }?() }
      if ending.isComplete {
        signals.unblock()
        Announcer().write(within: RunMonitor.lastWordsSeconds) { [console] in
          console.report("interrupted: the run was complete all the same; nothing is missing")
        }
      }
      Signals.die(by: interruption.signal)
    }
    if let status { throw status }
  }

  /// Reports how far an interrupted run came, once.
  private func reportInterruption(_ statistics: FileStatistics) {
    let isReported = hasReportedInterruption.with { hasReported in
      defer { hasReported = true }
      return hasReported
    }
    if isReported { return }
    let rest =
      resumption.with { $0 }
      ?? Resumption(text: Array("the output so far is intact, the rest is missing".utf8))
    console.report(
      paragraph: Array("interrupted: \(wording.counts(statistics)); ".utf8) + rest.text,
      command: rest.command)
  }

  @discardableResult
  private func writeTrace() -> Bool {
    do throws(FileError) {
      try trace?.finish()
      return true
    } catch {
      console.report(error)
      return false
    }
  }
}
