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
  private let isVerbose: Bool
  private let wantsSummary: Bool
  private let trace: TraceFile?
  private let signals = Signals()
  /// The monitor of the present run, from the start of the work to the exit.
  private let monitor = Locked<RunMonitor?>(nil)
  private let hasReportedInterruption = Locked(false)
  /// The place of the results of an interrupted run, and the command that resumes it.
  let resumption = Locked<[UInt8]?>(nil)
  /// Removes temporary files before the process ends without waiting for the run.
  let cleanup = Locked<(@Sendable () -> Void)?>(nil)
  private let wording: ProgressWording
  /// The options for the processor that follow from the command line.
  let processorOptions: FileProcessorOptions

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
  init(
    _ options: CommonOptions, verb: String, inputs: [RawArgument],
    output: RawArgument? = nil, log: RawArgument? = nil, wording: ProgressWording = .files
  ) throws(FileError) {
    self.wording = wording
    showsProgress = options.progress.applies
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

  /// Sets the number of readers to suit the storage, and reports it under `--verbose`.
  func apply(_ plan: StoragePlan, to options: inout FileProcessorOptions) {
    plan.apply(to: &options)
    if isVerbose { plan.lines.forEach { console.report($0) } }
  }

  // MARK: The run

  /// Does the work of a job, reports on it, and throws its exit status if it is not
  /// success. Does not return if a signal ended the run.
  ///
  /// - Parameters:
  ///   - expectedBytes: Finds the number of bytes to read, for the percentage.
  ///   - isCut: True if a canceled run is incomplete for a reason that the statistics
  ///     do not show.
  ///   - finish: Writes the last lines. An error here makes the run fail.
  ///   - summary: Returns the report on the run; it is not printed for a run that was
  ///     cut short or failed.
  func run(
    _ job: any FileJob, expectedBytes: ExpectedBytes.Search? = nil,
    isCut: () -> Bool = { false }, work: () throws -> Void,
    finish: (Ending) throws -> Void, summary: (Ending) -> Summary
  ) throws(ExitStatus) {
    let ending = perform(job, expectedBytes: expectedBytes, isCut: isCut, work)
    try conclude(ending, finish: finish, summary: summary)
  }

  /// Does the work of a job and answers signals meanwhile.
  func perform(
    _ job: any FileJob, expectedBytes: ExpectedBytes.Search? = nil,
    isCut: () -> Bool = { false }, _ work: () throws -> Void
  ) -> Ending {
    // Only progress shows a percentage.
    let expected = showsProgress ? expectedBytes.map { ExpectedBytes($0) } : nil
    defer { expected?.finish() }
    let monitor = RunMonitor(
      job, console: console, signals: signals, showsProgress: showsProgress, wording: wording,
      expected: { expected?.bytes },
      willEnd: { @Sendable [self] in
        reportInterruption(job.statistics)
        writeTrace()
      },
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
      if let line = wantsSummary ? summary.line : summary.remark { console.report(line) }
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
      if ending.isComplete {
        console.report("interrupted: the run was complete all the same; nothing is missing")
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
      ?? Array("the output so far is intact, the rest is missing".utf8)
    console.report(Array("interrupted: \(wording.counts(statistics)); ".utf8) + rest)
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
