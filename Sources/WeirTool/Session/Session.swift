// A run of a verb, from its working directory to its exit status.

internal import CFileKernels
internal import FileJobs
internal import SystemPackage
internal import Weir

/// The output of a run at its end.
protocol SessionOutput {
  /// Writes the last lines. An error here makes the run fail.
  func finish(_ ending: Session.Ending) throws
  /// The summary is not printed for a run that was cut short or failed.
  func summary(_ ending: Session.Ending) -> Session.Summary
}

/// The part of a run that all verbs share: `-C`, `--trace`, signals, progress,
/// `--summary` and the exit status.
///
///     let session = try Session(commonOptions, verb: "hash", inputs: names)
///     ... make the job, with session.processorOptions ...
///     try session.run(job, output) {
///       try job.run(sources) { batch in try output.write(batch) }
///     }
///
/// A run reports itself in one line: how far it came if it was interrupted, else the
/// summary if `--summary` is given, else the remark, if there is one.
final class Session: Sendable {
  let console = Console()
  let showsProgress: Bool
  let terminals: Set<[UInt8]>?
  private let isVerbose: Bool
  private let wantsSummary: Bool
  private let trace: TraceFile?
  let report: RunReport?
  let signals = Signals()
  private let state = Locked(State())
  let processorOptions: FileProcessorOptions

  // In one lock: each other type of a lock would take 24,000 instructions at the start.
  private struct State {
    /// The monitor of the present run, from the start of the work to the exit.
    var monitor: RunMonitor?
    var hasReportedInterruption = false
    var resumption: Resumption?
    var cleanup: (@Sendable () -> Void)?
  }

  var resumption: Resumption? {
    get { state.with { $0.resumption } }
    set { state.with { $0.resumption = newValue } }
  }
  /// Removes temporary files before the process ends without waiting for the run.
  var cleanup: (@Sendable () -> Void)? {
    get { state.with { $0.cleanup } }
    set { state.with { $0.cleanup = newValue } }
  }

  /// The place of the results of an interrupted run, and the command that resumes it.
  struct Resumption: Sendable {
    let text: Message
    /// The command as it is typed; empty for none.
    let command: [UInt8]

    init(_ text: Message, command: [UInt8] = []) { (self.text, self.command) = (text, command) }
  }

  struct Ending {
    var statistics: FileStatistics
    let seconds: Double
    /// The error that ended the work, unless a signal did.
    var failure: (any Error)?
    /// The error in words, for the report, if it was printed and ``failure`` is its status.
    var message: Message?
    /// The signal that cut the work short; `nil` if the work was complete all the same.
    let signal: Int32?
    fileprivate let wording: ProgressWording

    var isComplete: Bool { failure == nil && signal == nil }
  }

  struct Summary {
    /// Returns the line that `--summary` prints.
    let line: () -> String
    /// The line that is printed without `--summary`; `nil` for none.
    var remark: String?
    /// The exit status of a complete run; `nil` for success.
    var status: ExitStatus?
    /// The counts of the run by kind, named as in the JSON summary of the verb.
    var counts: [(name: String, value: UInt64)] = []
    /// The times of the run, in seconds since 1970.
    var dates: [(name: String, time: UInt32)] = []
    /// The first failures, as JSON objects.
    var failures: [[UInt8]] = []
  }

  /// Changes to the directory of `-C`, blocks signals and starts the trace.
  ///
  /// - Parameters:
  ///   - inputs: The inputs, which the trace must not overwrite.
  ///   - output: The other output, and its option. A report or a trace must not be that, nor one of
  ///     its companions.
  ///   - terminals: The names of the inputs that are terminals; `nil` if none is. Progress
  ///     then shows on request only: it would erase what the user types.
  ///   - bags: The inputs that are bags if they are directories. A report in one would be a file
  ///     that no manifest lists.
  init(
    _ options: CommonOptions, verb: String, inputs: [RawArgument],
    output: (option: String, name: RawArgument?)? = nil, terminals: Set<[UInt8]>? = nil,
    bags: [RawArgument] = []
  ) throws(FileError) {
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
    if options.background { kernel_work_in_background() }
    var processorOptions = options.processorOptions
    processorOptions.label = "weir.\(verb)"
    processorOptions.mapsLargeFiles = (try? FileProcessorOptions.handleBusErrors()) != nil
    let writesReport = options.report != nil || options.metrics != nil
    let start = writesReport ? workingDirectory() : nil
    let others = inputs + [output?.name, options.trace].compactMap { $0 }
    do throws(FileError) {
      let limit = DescriptorBudget.limit
      if limit < 8 {
        throw FileError("only \(limit) descriptors are allowed, and 8 needed; raise ulimit -n")
      }
      try StartDirectory.leave()
    } catch {
      RunReport.make(ofFailed: verb, options, startedIn: start ?? [], others: others)
      throw error
    }
    let files = [options.report, options.metrics, options.trace]
    for (option, file) in zip(["report", "metrics", "trace"], files) {
      guard let file else { continue }
      let place = output?.name.flatMap { try? OutputFile($0.bytes) }
      if let output, let place, place.isNamed(by: file.bytes) {
        throw FileError(
          "\(file): is the file of --\(output.option); choose another one for --\(option)")
      }
      let path = (try? ReplacingFile.resolved(file.bytes)) ?? file.bytes
      if let bag = bags.first(where: { BagDirectory($0.bytes).contains(path.directory) == true }) {
        throw FileError(
          "\(file): is in \(bag), where no manifest would list it; choose a name outside the bag")
      }
    }
    report = try RunReport.make(
      options, verb: verb, startedIn: start ?? [], others: others)
    processorOptions.excluded += report?.former ?? []
    trace = try options.trace.map { file throws(FileError) in
      try TraceFile(file, inputs: inputs)
    }
    if let trace { processorOptions.excluded.append(trace.descriptor) }
    self.processorOptions = processorOptions
  }

  /// Closes the files of the tool that no walk may find. Called after the last processor was made.
  func closeOwnFiles() {
    report?.closeFormer()
    trace?.suspend()
  }

  /// Writes a message before the run, while no thread takes signals: a signal then ends the
  /// process, also if nobody reads the message.
  func reportBeforeRun(_ text: Message) {
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

  /// Sets the number of readers to suit the storage. Throws if the system can start no thread.
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
      throw FileError("no thread can be started: \(reason); \(remedy)")
    }
    let threads = Quantities.count(available, "thread", "threads")
    let jobs = Quantities.count(options.jobs ?? 1, "job", "jobs")
    reportBeforeRun("only \(threads) can be started: \(jobs) at once; \(remedy)")
  }

  // MARK: The run

  /// Does the work of a job, reports on it, and throws its exit status if it is not
  /// success. Does not return if a signal ended the run.
  func run(
    _ job: any FileJob, _ output: some SessionOutput, wording: ProgressWording = .files,
    expected: ExpectedWork? = nil, isBrief: Bool = false, isCut: () -> Bool = { false },
    work: () throws -> Void
  ) throws(ExitStatus) {
    let ending = perform(
      job, wording: wording, expected: expected, isBrief: isBrief, isCut: isCut, work)
    try conclude(ending, finish: output.finish, summary: output.summary)
  }

  /// - Parameters:
  ///   - isBrief: True if a signal may end the process at once: there is one small file to
  ///     read, and nothing to clean up.
  ///   - isCut: True if a canceled run is incomplete for a reason that the statistics
  ///     do not show.
  func perform(
    _ job: any FileJob, wording: ProgressWording = .files, expected: ExpectedWork? = nil,
    isBrief: Bool = false, isCut: () -> Bool = { false }, _ work: () throws -> Void
  ) -> Ending {
    defer { expected?.finish() }
    // Only progress shows a percentage.
    let monitor = RunMonitor(
      self, job, wording, expected: showsProgress ? expected : nil, isBrief: isBrief)
    state.with { $0.monitor = monitor }
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
      let bottleneck = SummaryLine.bottleneck(statistics, seconds: seconds, work: wording.work)
      for line in [bottleneck, SummaryLine.peaks(statistics)] { console.report("\(line)") }
      if let line = SummaryLine.readers(statistics) { console.report("\(line)") }
    }
    guard let interruption else {
      return Ending(
        statistics: statistics, seconds: seconds, failure: failure, signal: nil, wording: wording)
    }
    let isCanceled = failure as? Errno == .canceled
    let isCutShort = isCanceled && (isCut() || !interruption.isComplete(at: statistics))
    return Ending(
      statistics: statistics, seconds: seconds, failure: isCanceled ? nil : failure,
      signal: isCutShort ? interruption.signal : nil, wording: wording)
  }

  func enter(_ stage: RunMonitor.Stage) {
    state.with { $0.monitor }?.enter(stage)
  }

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
      reportInterruption(ending.statistics, ending.wording)
    } else if ending.failure == nil {
      if let line = wantsSummary ? summary.line() : summary.remark {
        console.report(paragraph: "\(line)")
      }
    }
    try end(ending, with: summary)
  }

  /// Ends the run by its signal, or with a status.
  private func end(_ ending: Ending, with summary: Summary) throws(ExitStatus) {
    var status = summary.status
    var message: Message?
    do {
      if let failure = ending.failure { throw failure }
      try console.closeOutput()
    } catch let given as ExitStatus {
      (status, message) = (given, ending.message)
    } catch {
      console.report(error)
      (status, message) = (.usage, Message(error))
    }
    if trace != nil || report != nil { enter(.replacing) }
    if !writeTrace() { status = .usage }
    let number = ending.signal.map { 128 + $0 } ?? status?.rawValue ?? 0
    let failure = RunReport.write(
      RunReport.End(
        isComplete: ending.isComplete, status: number, message: message,
        statistics: ending.statistics, counts: summary.counts, dates: summary.dates,
        failures: summary.failures))
    if let failure {
      console.report(failure)
      status = .usage
    }
    // The monitor holds the session: taking it out breaks the cycle.
    if let interruption = state.with({ $0.monitor.take() })?.finish() {
      if !ending.isComplete { cleanup?() }
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

  func reportInterruption(_ statistics: FileStatistics, _ wording: ProgressWording) {
    let isReported = state.with { state in
      defer { state.hasReportedInterruption = true }
      return state.hasReportedInterruption
    }
    if isReported { return }
    let rest = resumption ?? Resumption("the output so far is intact, the rest is missing")
    console.report(
      paragraph: "interrupted: \(wording.counts(statistics)); \(rest.text)",
      command: rest.command)
  }

  /// Writes the trace, if there is one. Returns true unless that fails.
  @discardableResult
  func writeTrace() -> Bool {
    do throws(FileError) {
      try trace?.finish()
      return true
    } catch {
      console.report(error)
      return false
    }
  }
}

extension Session.Summary {
  /// The report of a verb that writes a line for each file. If an existing file could
  /// not be read, the counts are a remark, and the status is `unreadable`. They are a remark too
  /// if the filters left no file.
  init(_ ending: Session.Ending, listsLinks: Bool = false) {
    let statistics = ending.statistics
    let isIncomplete =
      statistics.failed > 0 || statistics.changed > 0 || statistics.specialNamed > 0
    // An empty manifest, because of the filters, is seldom what was meant.
    let isEmptied = statistics.found == 0 && statistics.filtered > 0
    func counts() -> String { SummaryLine.counts(statistics, listsLinks: listsLinks) }
    self.init(
      line: { "\(counts()); \(SummaryLine.pace(statistics, seconds: ending.seconds))" },
      remark: isIncomplete || isEmptied ? counts() : nil,
      status: isIncomplete ? .unreadable : nil, counts: ending.counts)
  }
}

extension Session.Ending {
  var counts: [(name: String, value: UInt64)] {
    [
      ("files", statistics.files), ("unreadable", statistics.failed),
      ("changed", statistics.changed), ("special", statistics.special),
      ("links", statistics.links), ("filtered", statistics.filtered),
      ("excluded", statistics.excluded),
    ]
  }
}

extension JSONText {
  /// - Parameter members: Appends the members of one verb.
  static func summary(
    _ ending: Session.Ending, isZeroTerminated: Bool,
    _ members: (inout JSONText) -> Void = { _ in }
  ) -> [UInt8] {
    let counts = ending.counts
    return object("summary", isZeroTerminated: isZeroTerminated) { json in
      json.append("complete", ending.isComplete)
      json.append(counts.prefix(1))
      members(&json)
      json.append("bytes", ending.statistics.bytes)
      json.append(counts.dropFirst())
      json.append("seconds", seconds: ending.seconds)
    }
  }
}
