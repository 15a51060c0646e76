internal import Dispatch
internal import FileJobs
internal import Weir

/// Answers signals and shows progress during a run, from a thread of its own, which never writes to
/// the console: that may block (Announcer.swift).
///
/// The first signal to end stops new work; open files are finished. The second signal,
/// unless it comes with the first, ends the process at once. A run that makes no progress
/// after the first signal is ended as well, for example a read from a pipe without a
/// writer: a script that sends one SIGTERM must not wait forever. A run that waits for the
/// keyboard is ended at once, or it would take the next line, which is meant for the shell.
///
/// The monitor runs until the very end. By default, a signal between the end of the
/// work and the last line would end the process without a message.
final class RunMonitor: Sendable {
  enum Stage: Sendable {
    /// A signal cuts the work short.
    case work
    /// The last lines. A signal does not stop them; they are given up only if they make
    /// no progress, as in a pipe without a reader.
    case lastLines
    /// Work that may take long, and that a resumed run repeats. A signal during this
    /// stage, but not one from before it, ends the process.
    case repeatable
    /// Steps that must not be interrupted, such as moving files into place.
    case replacing
  }

  /// A signal to end the run, and the statistics and the stage when it came.
  ///
  /// DESIGN. A canceled run reports the cancellation even if nothing was left to cut
  /// off, because the signal came while the last files were read. The statistics show
  /// the difference: all files had been found before, and all of them were finished.
  struct Interruption: Sendable {
    let signal: Int32
    let before: FileStatistics
    let stage: Stage

    /// Returns true if a run that ended with these statistics is complete all the same.
    /// If nothing had been found, the run may not even have begun.
    func isComplete(at end: FileStatistics) -> Bool {
      let over = end.files + end.failed + end.changed + end.special + end.excluded
      return !before.isFeeding && before.found > 0 && end.found == over
    }
  }

  private struct State {
    var interruption: Interruption?
    var stage = Stage.work
    var isOver = false
    var timeLeft = TimeLeft()
    var thread: SideThread?
  }

  private let session: Session
  private let job: any FileJob
  private let wording: ProgressWording
  private let expected: ExpectedWork?
  private let state = Locked(State())
  private let begin = DispatchTime.now()
  private let announcer = Announcer()

  /// The seconds to wait until the last words of a stalled run are written.
  static let lastWordsSeconds = 1.0
  /// The seconds before progress is shown first, and between updates.
  private static let (progressDelay, interval) = (0.5, 0.1)
  /// The number of intervals without progress after which an interrupted run is stalled.
  private static let stalledIntervals = 20
  /// The seconds on one file after which an answer to SIGUSR1 names the file.
  static let busySeconds: UInt64 = 10
  /// The seconds on one file after which the progress line names the file.
  private static let longSeconds: UInt64 = 2

  private var console: Console { session.console }
  private var signals: Signals { session.signals }
  private var showsProgress: Bool { session.showsProgress }

  /// The signals must be blocked. If `isBrief`, the run is so short that a thread would cost more
  /// than the work: signals have their default actions, and there is no progress.
  init(
    _ session: Session, _ job: any FileJob, _ wording: ProgressWording, expected: ExpectedWork?,
    isBrief: Bool
  ) {
    self.session = session
    self.job = job
    self.wording = wording
    self.expected = expected
    console.beginProgress()
    let thread = isBrief ? nil : SideThread { self.loop() }
    state.with { $0.thread = thread }
    // Without a thread: no progress, and the default actions of the signals.
    if thread == nil { signals.unblock() }
  }

  var seconds: Double {
    Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
  }

  /// Ends the stage of the work: progress disappears from the terminal. Returns the
  /// interruption of the work, if there was one.
  func endWork() -> Interruption? {
    enter(.lastLines)
    console.endProgress()
    return state.with { $0.interruption }
  }

  /// Does not return if the monitor is ending the process.
  func enter(_ stage: Stage) {
    state.with { $0.stage = stage }
    if let thread = state.with({ $0.thread }) { Signals.wake(thread) }
  }

  /// Only the exit is left after this call, so a later signal changes nothing.
  func finish() -> Interruption? {
    state.with { $0.isOver = true }
    if let thread = state.with({ $0.thread.take() }) {
      Signals.wake(thread)
      thread.join()
    }
    // The next signal ends a process whose last message cannot be written.
    if !announcer.isIdle { signals.unblock() }
    announcer.finish()
    return state.with { $0.interruption }
  }

  // MARK: - On the thread

  private func loop() {
    var pause = showsProgress ? RunMonitor.progressDelay : nil
    while let event = nextEvent(within: pause) {
      switch event {
      case .end(let number): return interrupt(by: number)
      case .inquiry: answer()
      case .stop: stopProcess()
      case .timeout:
        showProgress()
        pause = isWorking ? RunMonitor.interval : nil
      case .woken: break
      }
    }
  }

  /// Returns the next event, or `nil` if the run is over and no signal but a request for progress is
  /// pending.
  private func nextEvent(within seconds: Double?) -> Signals.Event? {
    guard state.with({ $0.isOver }) else { return signals.wait(seconds: seconds) }
    while true {
      let event = signals.pending()
      if event != .inquiry { return event == .timeout ? nil : event }
    }
  }

  /// Stops the commands of the run, and this process; continues them after it.
  private func stopProcess() {
    job.pause(true)
    Signals.stopProcess()
    job.pause(false)
  }

  private func answer() {
    let message = Progress.message(state.with { moment(&$0) }, wording)
    let files = job.busyFiles(nanoseconds: RunMonitor.busySeconds * 1_000_000_000)
    announcer.write { [console] in
      console.report("\(message)")
      for file in files { console.report(RunMonitor.line(for: file)) }
    }
  }

  static func line(for file: BusyFile) -> Message {
    let time = Quantities.duration(Double(file.nanoseconds) / 1e9)
    return "lane \(file.lane) has been working on \(file.path) for \(time)"
  }

  /// Shows progress if the work is not over and the progress before is written.
  private func showProgress() {
    guard isWorking, announcer.isIdle else { return }
    var moment = state.with { self.moment(&$0) }
    moment.busy = job.busyFiles(nanoseconds: RunMonitor.longSeconds * 1_000_000_000)
      .max { $0.nanoseconds < $1.nanoseconds }
    let line = Progress.line(moment, columns: TerminalStream.error.columns - 1, wording)
    announcer.write { [console] in console.show(line) }
  }

  private func moment(_ state: inout State) -> Progress.Moment {
    let (statistics, seconds, amount) = (job.statistics, seconds, expected?.amount)
    // An interrupted run does not come to its end.
    let fraction =
      state.interruption != nil
      ? nil
      : wording.fraction.map { $0(amount) } ?? Progress.fraction(of: statistics, amount)
    return Progress.Moment(
      statistics: statistics, fraction: fraction, seconds: seconds,
      secondsLeft: fraction.flatMap { state.timeLeft.estimate($0, seconds: seconds) })
  }

  /// Cancels the run, and stays until it is over or stalled.
  private func interrupt(by number: Int32) {
    let stage = state.with { state in
      state.interruption = Interruption(
        signal: number, before: job.statistics, stage: state.stage)
      return state.stage
    }
    if stage == .work { job.cancel() }
    var stall = StallDetector()
    var hasEcho = false
    // Requests for progress do not hold back the next check.
    var nextCheck = seconds + RunMonitor.interval
    while true {
      endProcessIfAllowed(number, isStalled: stall.isStalled, isWaiting: isWaitingForKeyboard)
      guard let event = nextEvent(within: max(0, nextCheck - seconds)) else { return }
      switch event {
      case .end(let second):
        // timeout(1) sends its signal to the process, and at once to the group.
        if hasEcho || !stall.isFirst { die(by: second) }
        hasEcho = true
      case .inquiry:
        answer()
      case .stop:
        stopProcess()
      case .woken, .timeout:
        break
      }
      guard seconds >= nextCheck || event == .timeout else { continue }
      nextCheck = seconds + RunMonitor.interval
      // Again: the run may not have begun when it was canceled.
      if isWorking { job.cancel() }
      if stall.isFirst { announceEnd() }
      if showsProgress { showProgress() }
      stall.observe(job.statistics, written: console.written, state.with { $0.stage })
    }
  }

  private var isWorking: Bool { state.with { $0.stage == .work } }

  /// True if no lane has any other work than to wait for a terminal.
  private var isWaitingForKeyboard: Bool {
    guard let terminals = session.terminals else { return false }
    return job.busyFiles().allSatisfy { terminals.contains($0.path) }
  }

  private func announceEnd() {
    let ending = isWorking ? wording.ending : "writing the last lines"
    announcer.write { [console] in
      console.report(
        paragraph: "interrupted: \(ending); a second signal ends the process at once")
    }
  }

  private struct StallDetector {
    private var before: (bytes: UInt64, files: UInt64, written: UInt64, stage: Stage)?
    private var count = 0

    var isFirst: Bool { before == nil }
    var isStalled: Bool { count >= RunMonitor.stalledIntervals }

    mutating func observe(_ statistics: FileStatistics, written: UInt64, _ stage: Stage) {
      let now = (
        bytes: statistics.bytes, files: statistics.files, written: written, stage: stage
      )
      if let before { count = now == before ? count + 1 : 0 }
      before = now
    }
  }

  /// Ends the process if the present stage may be given up: it is stalled, or a resumed
  /// run repeats it. The lock keeps the run from entering another stage meanwhile.
  private func endProcessIfAllowed(_ number: Int32, isStalled: Bool, isWaiting: Bool) {
    state.with { state in
      if state.isOver { return }
      switch state.stage {
      case .work: if !isStalled && !isWaiting { return }
      case .lastLines: if !isStalled { return }
      case .repeatable: if state.interruption?.stage == .work { return }
      case .replacing: return
      }
      // The end may stall too: the next signal ends the process.
      signals.unblock()
      announcer.write(within: RunMonitor.lastWordsSeconds) { [session, job, wording] in
        session.reportInterruption(job.statistics, wording)
      }
      session.writeTrace()
      RunReport.write(RunReport.End(status: 128 + number, statistics: job.statistics))
      die(by: number)
    }
  }

  private func die(by number: Int32) -> Never {
    // The cleanup may stall in a file system that does not answer: the next signal ends
    // the process.
    signals.unblock()
    announcer.write(within: 0.2) { [console] in console.endProgress() }
    session.cleanup?()
    Signals.die(by: number)
  }
}
