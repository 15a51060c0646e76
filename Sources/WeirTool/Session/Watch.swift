// The thread beside a run: signals, and progress.

internal import Dispatch
internal import FileJobs
internal import Weir

/// Looks after a run from a thread of its own: answers signals, and shows
/// progress between them.
///
/// The first signal to end stops new work; what is open is finished, or what the
/// verb's wording says. The second
/// ends the process at once. So does a run that then stands still, in a read
/// from a pipe to which nobody writes: a script that sends one SIGTERM is not to
/// wait for ever.
///
/// It watches to the very end: a signal that comes when the work is done, and the
/// last lines are not, would by default end the program without a word.
final class Watch: Sendable {
  /// What a run is at.
  enum Stage: Sendable {
    /// Its work. A signal cuts it short.
    case work
    /// The last lines. They are written in spite of a signal, and given up where
    /// they then stand still, in a pipe that nobody reads.
    case lastLines
    /// What may take long, and is done again by who goes on. A signal that comes
    /// now, and not before, ends it.
    case repeatable
    /// What is done to its end, if that can be, as putting files in their places.
    case replacing
  }

  /// Which files the lanes have been at for so many nanoseconds.
  typealias Busy = @Sendable (UInt64) -> [BusyFile]

  /// What it needs to know of the run.
  struct Run: Sendable {
    let statistics: @Sendable () -> FileStatistics
    let cancel: @Sendable () -> Void
    let busy: Busy
    /// Called where the run stands still after a signal, before the end.
    let abandon: @Sendable (Int32) -> Void
    /// Called before the end where that does not wait for the run.
    var clear: @Sendable () -> Void = {}
    /// How progress is said.
    var wording = Wording.files
    /// How many bytes there are to read, where that is known.
    var expected: @Sendable () -> UInt64? = { nil }
  }

  /// A signal that was to end the run, and how far the run was before it was
  /// told so, if it was at its work.
  ///
  /// DESIGN. A run that was cancelled says so also where there was nothing left
  /// to cut off: the signal came while the last files were read. The figures tell
  /// the difference. All was found before, and all of it came to an end.
  struct Interruption: Sendable {
    let signal: Int32
    let before: FileStatistics
    let stage: Stage

    /// Whether a run that ended with these figures is whole all the same. Where
    /// nothing had been found the run may not even have begun.
    func isWhole(at end: FileStatistics) -> Bool {
      let over = end.files + end.failed + end.changed + end.special + end.excluded
      return !before.isFeeding && before.found > 0 && end.found == over
    }
  }

  private struct State {
    var interruption: Interruption?
    var stage = Stage.work
    var isOver = false
  }

  private let console: Console
  private let signals: Signals
  private let showsProgress: Bool
  private let run: Run
  private let state = Locked(State())
  private let begin = DispatchTime.now()
  private let thread = Locked<SideThread?>(nil)

  /// Progress: when it begins, and how often it is renewed.
  private static let (patience, interval) = (0.5, 0.1)
  /// After so many intervals without a byte an interrupted run stands still.
  private static let stillness = 20
  /// Who asks is told of a file that takes so many seconds.
  static let busySeconds: UInt64 = 10

  /// Begins to watch. The signals have to be blocked.
  init(_ run: Run, console: Console, signals: Signals, showsProgress: Bool) {
    self.run = run
    self.console = console
    self.signals = signals
    self.showsProgress = showsProgress
    thread.with { thread in
      thread = SideThread { self.loop() }
      // No thread: no progress, and signals do what they do by default.
      if thread == nil { signals.unblock() }
    }
  }

  var seconds: Double {
    Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
  }

  /// The work is done: no progress is shown any more. Leaves a clean line, and
  /// returns what was to end the work before, if anything.
  func endWork() -> Interruption? {
    enter(.lastLines)
    console.clear()
    return state.with { $0.interruption }
  }

  /// From here on it is at that. Does not return where it is just given up.
  func enter(_ stage: Stage) {
    state.with { $0.stage = stage }
    if let thread = thread.with({ $0 }) { Signals.wake(thread) }
  }

  /// Ends watching. Returns what was to end the run, if anything. A signal that
  /// comes still later comes too late: what is left is to exit.
  func finish() -> Interruption? {
    state.with { $0.isOver = true }
    if let thread = thread.with({ $0.take() }) {
      Signals.wake(thread)
      thread.join()
    }
    return state.with { $0.interruption }
  }

  // MARK: - On the thread

  private func loop() {
    var pause = showsProgress ? Watch.patience : nil
    while true {
      let isOver = isOver
      let event = isOver ? signals.last() : signals.wait(seconds: pause)
      if isOver && event == .timeout { return }
      switch event {
      case .end(let number):
        return interrupted(by: number)
      case .inquiry:
        answer()
      case .timeout:
        pause = show() ? Watch.interval : nil
      case .woken:
        break
      }
    }
  }

  private var isOver: Bool { state.with { $0.isOver } }

  /// Says how far the run is, and what it may stand still on.
  private func answer() {
    console.say(Progress.line(run.statistics(), of: run.expected(), seconds: seconds, run.wording))
    for file in run.busy(Watch.busySeconds * 1_000_000_000) {
      console.say(Watch.line(for: file))
    }
  }

  /// What is said of a lane.
  static func line(for file: BusyFile) -> [UInt8] {
    let time = Quantities.duration(Double(file.nanoseconds) / 1e9)
    return Array("lane \(file.lane) has been at ".utf8) + QuotedName.bytes(of: file.path)
      + Array(" for \(time)".utf8)
  }

  /// Shows progress, as long as there is any. Returns whether there was.
  private func show() -> Bool {
    state.with { state in
      if state.stage != .work { return false }
      console.show(
        Progress.line(
          run.statistics(), of: run.expected(), seconds: seconds, columns: Progress.columns,
          run.wording))
      return true
    }
  }

  /// Sees to it that the run ends.
  private func interrupted(by number: Int32) {
    let stage = state.with { state in
      state.interruption = Interruption(
        signal: number, before: run.statistics(), stage: state.stage)
      return state.stage
    }
    if stage == .work { run.cancel() }
    var standstill = Standstill()
    while true {
      giveUp(number, isStill: standstill.isLong)
      let isOver = isOver
      let event = isOver ? signals.last() : signals.wait(seconds: Watch.interval)
      if isOver && event == .timeout { return }
      switch event {
      case .end(let second):
        die(by: second)
      case .inquiry:
        answer()
      case .woken:
        break
      case .timeout:
        // Again: the run may not have begun when it was cancelled.
        if isAtWork { run.cancel() }
        if standstill.isNew { announce() }
        if showsProgress { _ = show() }
        standstill.look(run.statistics(), state.with { $0.stage })
      }
    }
  }

  private var isAtWork: Bool { state.with { $0.stage == .work } }

  private func announce() {
    let ending = isAtWork ? run.wording.ending : "the last of it is written"
    console.say("interrupted: \(ending); a second time ends at once")
  }

  /// How long a run has not moved.
  private struct Standstill {
    private var before: (bytes: UInt64, files: UInt64, stage: Stage)?
    private var count = 0

    /// Whether nobody has looked yet.
    var isNew: Bool { before == nil }
    var isLong: Bool { count >= Watch.stillness }

    mutating func look(_ statistics: FileStatistics, _ stage: Stage) {
      let now = (bytes: statistics.bytes, files: statistics.files, stage: stage)
      if let before { count = now == before ? count + 1 : 0 }
      before = now
    }
  }

  /// Ends the process where what it is at may be given up: what stands still, or is
  /// done again anyway. Nothing else is begun meanwhile, as the lock is held.
  private func giveUp(_ number: Int32, isStill: Bool) {
    state.with { state in
      if state.isOver { return }
      switch state.stage {
      case .work, .lastLines: if !isStill { return }
      case .repeatable: if state.interruption?.stage == .work { return }
      case .replacing: return
      }
      // What is said may stand still too: the next signal ends all.
      signals.unblock()
      run.abandon(number)
      die(by: number)
    }
  }

  private func die(by number: Int32) -> Never {
    // What is to be cleared may lie where nothing answers: the next signal ends all.
    signals.unblock()
    run.clear()
    Signals.die(by: number)
  }
}
