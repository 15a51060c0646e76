// The thread beside a run: signals, and progress.

#if Tool
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
  final class Watch: Sendable {
    /// Which files the lanes have been at for so many nanoseconds.
    typealias Busy = @Sendable (UInt64) -> [BusyFile]

    /// What it needs to know of the run.
    struct Run: Sendable {
      let figures: @Sendable () -> FileFigures
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
    /// told so.
    ///
    /// DESIGN. A run that was cancelled says so also where there was nothing left
    /// to cut off: the signal came while the last files were read. The figures tell
    /// the difference. All was found before, and all of it came to an end.
    struct Interruption: Sendable {
      let signal: Int32
      let before: FileFigures

      /// Whether a run that ended with these figures is whole all the same. Where
      /// nothing had been found the run may not even have begun.
      func isWhole(at end: FileFigures) -> Bool {
        let over = end.files + end.failed + end.changed + end.special + end.excluded
        return !before.isFeeding && before.found > 0 && end.found == over
      }
    }

    private struct State {
      var interruption: Interruption?
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

    /// Ends watching, and leaves a clean line. Returns what was to end the run
    /// before, if anything.
    func finish() -> Interruption? {
      state.with { $0.isOver = true }
      if let thread = thread.with({ $0 }) {
        Signals.wake(thread)
        thread.join()
      }
      console.clear()
      signals.unblock()
      return state.with { $0.interruption }
    }

    // MARK: - On the thread

    private func loop() {
      var pause = showsProgress ? Watch.patience : nil
      while true {
        let event = signals.wait(seconds: pause)
        if state.with({ $0.isOver }) { return }
        switch event {
        case .end(let number):
          return interrupted(by: number)
        case .inquiry:
          answer()
        case .timeout:
          show()
          pause = Watch.interval
        case .woken:
          break
        }
      }
    }

    /// Says how far the run is, and what it may stand still on.
    private func answer() {
      console.say(Progress.line(run.figures(), of: run.expected(), seconds: seconds, run.wording))
      for file in run.busy(Watch.busySeconds * 1_000_000_000) {
        console.say(Watch.line(for: file))
      }
    }

    /// What is said of a lane.
    static func line(for file: BusyFile) -> [UInt8] {
      let time = Figures.duration(Double(file.nanoseconds) / 1e9)
      return Array("lane \(file.lane) has been at ".utf8) + QuotedName.bytes(of: file.path)
        + Array(" for \(time)".utf8)
    }

    private func show() {
      console.show(
        Progress.line(
          run.figures(), of: run.expected(), seconds: seconds, columns: Progress.columns,
          run.wording))
    }

    /// Sees to it that the run ends.
    private func interrupted(by number: Int32) {
      let interruption = Interruption(signal: number, before: run.figures())
      state.with { $0.interruption = interruption }
      run.cancel()
      var hasSaid = false
      var before = run.figures()
      var still = 0
      while still < Watch.stillness {
        let event = signals.wait(seconds: Watch.interval)
        if state.with({ $0.isOver }) { return }
        switch event {
        case .end(let second):
          die(by: second)
        case .inquiry:
          answer()
        case .woken:
          break
        case .timeout:
          // Again: the run may not have begun when it was cancelled.
          run.cancel()
          if !hasSaid {
            console.say("interrupted: \(run.wording.ending); a second time ends at once")
            hasSaid = true
          }
          if showsProgress { show() }
          let now = run.figures()
          still = now.bytes == before.bytes && now.files == before.files ? still + 1 : 0
          before = now
        }
      }
      run.abandon(number)
      die(by: number)
    }

    private func die(by number: Int32) -> Never {
      // What is to be cleared may lie where nothing answers: the next signal ends all.
      signals.unblock()
      run.clear()
      Signals.die(by: number)
    }
  }
#endif
