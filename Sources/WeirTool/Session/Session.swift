// One run of a verb, from going to its directory to its exit status.

internal import Glibc
internal import SystemPackage
internal import Weir

/// What is the same for every verb that works on many files: `-C`, `--trace`,
/// signals, progress, `--summary`, and how it ends.
///
///     let session = try Session(options, verb: "hash")
///     ... make the job, with session.processorOptions ...
///     let ending = session.run(figures: { job.figures }, cancel: { job.cancel() }) {
///       try job.run(sources) { batch in try output.take(batch) }
///     }
///     let figures = job.figures
///     try session.conclude(ending, figures) { ending in
///       ... write the last lines; what this throws is said, as if the work had ...
///     } closing: { ending in
///       Session.Closing(figures, seconds: ending.seconds)
///     }
///
/// That says the one line there may be about the whole: how far an interrupted
/// run came, else the summary that was asked for, else what there is to remark;
/// and it ends the program by the signal or with the status of the closing.
final class Session: Sendable {
  let console = Console()
  /// The verb, for messages.
  let verb: String
  private let showsProgress: Bool
  private let isVerbose: Bool
  private let wantsSummary: Bool
  private let trace: TraceFile?
  private let signals = Signals()
  /// Looks after the run, from the beginning of its work to the end of it all.
  private let watch = Locked<Watch?>(nil)
  /// Whether it was said how far an interrupted run came.
  private let hasSaidEnd = Locked(false)
  /// Of a run that can be gone on with: where it is, and what to type.
  let resumption = Locked<[UInt8]?>(nil)
  /// Removes what is not to stay behind where the process ends without the run.
  let clearing = Locked<(@Sendable () -> Void)?>(nil)
  /// How the run is spoken of.
  private let wording: Wording
  /// For the processor: what the options say, and what is not to be read.
  let processorOptions: FileProcessorOptions

  /// How the work of a run ended.
  struct Ending {
    let seconds: Double
    /// What ended it early, other than a signal.
    let failure: (any Error)?
    /// The signal that cut it short; `nil` also where all was done in spite of
    /// one, since then nothing is missing.
    let signal: Int32?

    /// Whether all was done that there was to do.
    var isComplete: Bool { failure == nil && signal == nil }
  }

  /// What is to be said of a run as a whole, and how it ends.
  struct Closing {
    /// What `--summary` has said.
    var summary: String
    /// What is said without it; `nil` for nothing.
    var remark: String?
    /// The exit status where all was done; `nil` for all well.
    var status: ExitStatus?
  }

  /// Goes where `-C` says and begins to record.
  ///
  /// - Parameters:
  ///   - inputs: What is named to be read, which the trace must not overwrite.
  ///   - output: What is to be written beside the trace.
  ///   - log: A log that is to be written beside it.
  init(
    _ options: CommonOptions, verb: String, inputs: [RawArgument] = [],
    output: RawArgument? = nil, log: RawArgument? = nil, wording: Wording = .files
  ) throws(ExitStatus) {
    self.verb = verb
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
      if failed {
        console.say(FileError(directory, Errno(rawValue: errno)).message)
        throw .usage
      }
    }
    do throws(FileError) {
      trace = try options.trace.map { file throws(FileError) in
        try TraceFile(file, inputs: inputs, output: output, log: log)
      }
    } catch {
      console.say(error.message)
      throw .usage
    }
    if let trace { processorOptions.excluded.append(trace.descriptor) }
    self.processorOptions = processorOptions
  }

  /// Has signals end the process at once: for what may take long and has nothing
  /// to say.
  func letSignalsEnd() { signals.unblock() }

  /// Has signals wait for ``run(figures:cancel:busy:expecting:isCut:_:)`` again.
  func keepSignals() { signals.block() }

  /// Has the processor work as is good for what the files lie on, and says so
  /// where that is asked for.
  func suit(_ options: inout FileProcessorOptions, to plan: StoragePlan) {
    plan.apply(to: &options)
    if isVerbose { plan.lines.forEach { console.say($0) } }
  }

  /// Does the work, with an eye on signals and progress.
  ///
  /// - Parameters:
  ///   - figures: How far it has come.
  ///   - cancel: Ends it early.
  ///   - busy: Which files the lanes have been at for so long.
  ///   - expecting: Finds out how many bytes there are to read, for progress.
  ///   - isCut: Whether something was cut short that the figures do not tell of.
  ///   - work: The work.
  func run(
    statistics: @escaping @Sendable () -> FileStatistics, cancel: @escaping @Sendable () -> Void,
    busy: @escaping Watch.Busy = { _ in [] },
    expecting: (@Sendable (_ isOver: () -> Bool) -> UInt64?)? = nil,
    isCut: () -> Bool = { false }, _ work: () throws -> Void
  ) -> Ending {
    let abandon = { @Sendable [self] (_: Int32) in
      sayInterruption(statistics())
      writeTrace()
    }
    // Nobody else looks at a percentage.
    let expected = showsProgress ? expecting.map { ExpectedBytes($0) } : nil
    defer { expected?.finish() }
    let watch = Watch(
      Watch.Run(
        statistics: statistics, cancel: cancel, busy: busy, abandon: abandon,
        clear: { [clearing] in clearing.with { $0 }?() },
        wording: wording, expected: { expected?.bytes }),
      console: console, signals: signals, showsProgress: showsProgress)
    self.watch.with { $0 = watch }
    var failure: (any Error)?
    do {
      try work()
    } catch {
      failure = error
    }
    let seconds = watch.seconds
    let interruption = watch.endWork()
    if isVerbose { console.say(Binding.line(statistics(), seconds: seconds, work: wording.work)) }
    guard let interruption else {
      return Ending(seconds: seconds, failure: failure, signal: nil)
    }
    let isCanceled = failure as? Errno == .canceled
    let isCutShort = isCanceled && (isCut() || !interruption.isWhole(at: statistics()))
    return Ending(
      seconds: seconds, failure: isCanceled ? nil : failure,
      signal: isCutShort ? interruption.signal : nil)
  }

  /// What is written behind the work: what becomes of it at a signal.
  func enter(_ stage: Watch.Stage) {
    watch.with { $0 }?.enter(stage)
  }

  /// Once, whoever gives the run up.
  private func sayInterruption(_ statistics: FileStatistics) {
    let isSaid = hasSaidEnd.with { hasSaid in
      defer { hasSaid = true }
      return hasSaid
    }
    if !isSaid { console.say(interruption(statistics)) }
  }

  /// How far an interrupted run came.
  private func interruption(_ statistics: FileStatistics) -> [UInt8] {
    let begin = Array("interrupted: \(wording.counts(statistics)); ".utf8)
    return begin
      + (resumption.with { $0 } ?? Array("what was written is whole, the rest is missing".utf8))
  }

  /// Ends the program when the work is over, and says what is left to be said.
  ///
  /// - Parameters:
  ///   - ending: How the work ended.
  ///   - figures: How far it came.
  ///   - finish: Writes what is to be written last. Where it throws, the run has
  ///     failed by that.
  ///   - closing: What is to be said of the whole. It is not said of a run that
  ///     was cut short or has failed.
  func conclude(
    _ ending: Ending, _ statistics: FileStatistics, finish: (Ending) throws -> Void = { _ in },
    closing: (Ending) -> Closing
  ) throws(ExitStatus) {
    var ending = ending
    do {
      try finish(ending)
    } catch {
      ending = Ending(seconds: ending.seconds, failure: error, signal: ending.signal)
    }
    enter(.lastLines)
    let closing = closing(ending)
    if ending.signal != nil {
      sayInterruption(statistics)
    } else if ending.failure == nil {
      if let line = wantsSummary ? closing.summary : closing.remark { console.say(line) }
    }
    try end(ending, with: closing.status)
  }

  /// By the signal, or with a status.
  private func end(_ ending: Ending, with status: ExitStatus?) throws(ExitStatus) {
    var status = status
    do {
      if let failure = ending.failure { throw failure }
      try console.closeOutput()
    } catch let said as ExitStatus {
      status = said
    } catch let trouble as FileError {
      console.say(trouble.message)
      status = .usage
    } catch {
      console.say("\(error)")
      status = .usage
    }
    if trace != nil { enter(.replacing) }
    if !writeTrace() { status = .usage }
    // Taken: what it calls at a signal holds the session, which holds it.
    if let interruption = watch.with({ $0.take() })?.finish() {
      if ending.isComplete {
        console.say("interrupted: everything was finished all the same, nothing is missing")
      }
      Signals.die(by: interruption.signal)
    }
    if let status { throw status }
  }

  @discardableResult
  private func writeTrace() -> Bool {
    do throws(FileError) {
      try trace?.finish()
      return true
    } catch {
      console.say(error.message)
      return false
    }
  }
}
