// The watchdog: it runs a version of a pitfall in a process of its own, and ends it.

internal import Demos
internal import Dispatch
internal import FileJobs
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The result of a watched run.
struct PitfallsResult {
  let outcome: PitfallOutcome
  /// The steps that the run reported.
  let steps: [PitfallEvent]
  let milliseconds: Int
}

/// Runs versions of pitfalls, one at a time.
final class PitfallsRunner: Sendable {
  private struct State {
    var child: ChildProcess?
    var stage = "no pitfall has run yet"
    var isOver = false
  }

  private let seconds: Double
  private let console: Console
  private let state = Locked(State())
  private let signals = Signals()
  private let thread = Locked<SideThread?>(nil)

  /// - Parameter seconds: The time after which a run is ended.
  init(seconds: Double, _ console: Console) {
    self.seconds = seconds
    self.console = console
    signals.block()
    // If the thread cannot be started, signals have no effect; the child ends with this process.
    thread.with { $0 = SideThread { self.answerSignals() } }
  }

  /// Ends the thread, which otherwise runs forever.
  func finish() {
    state.with { $0.isOver = true }
    guard let thread = thread.with({ $0.take() }) else { return }
    Signals.wake(thread)
    thread.join()
    signals.unblock()
  }

  /// Runs a version. No process is left when the method returns.
  func run(_ pitfall: Pitfall, _ version: PitfallVersion) throws(FileError) -> PitfallsResult {
    let child = try start(pitfall, version)
    let begin = DispatchTime.now().uptimeNanoseconds
    state.with { state in
      state.child = child
      state.stage = "\(version.rawValue) version of \(pitfall.name)"
    }
    defer {
      // The lock is never free again if a signal ends this process.
      state.with { state in
        state.child = nil
        state.stage = "between two runs"
      }
    }
    func milliseconds() -> Int { Int((DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000) }
    do throws(Errno) {
      var watch = PitfallWatch()
      var ending: ChildProcess.Ending?
      var (isSilent, isLate) = (false, false)
      while ending == nil && !isSilent && !isLate {
        ending = try child.collect(until: .now() + .milliseconds(50)) { _, bytes in
          watch.take(bytes)
        }
        // A version that is not to be silent has all the time there is.
        isSilent =
          version == .broken && pitfall.symptom == .silence
          && watch.isSilent(for: pitfall.quietBeats)
        isLate = Double(milliseconds()) >= seconds * 1000
      }
      let outcome: PitfallOutcome
      switch ending {
      case .exited(let status): outcome = watch.outcome(signal: nil, status: status)
      case .signaled(let signal): outcome = watch.outcome(signal: signal, status: 0)
      case nil:
        child.send(SIGKILL)
        _ = try child.wait()
        outcome = isSilent ? watch.silence : .timeLimit(milliseconds())
      }
      return PitfallsResult(outcome: outcome, steps: watch.steps, milliseconds: milliseconds())
    } catch {
      child.send(SIGKILL)
      _ = try? child.wait()
      throw FileError(message: Array("the run of a pitfall: \(error)".utf8))
    }
  }

  // MARK: - The child

  private func start(
    _ pitfall: Pitfall, _ version: PitfallVersion
  ) throws(FileError) -> ChildProcess {
    // No backtrace of a trap: the child is to be as silent as a program in C.
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    let words = ["demo", "pitfalls", pitfall.name, version.rawValue, PitfallsDemo.watchedWord]
    let options = ChildProcess.Options(
      input: .null, output: .pipe, error: .null, leadsGroup: true)
    do throws(Errno) {
      let child = try ChildProcess(
        [PitfallsRunner.program] + words.map { Array($0.utf8) }, options)
      child.endGroupWithIt()
      return child
    } catch {
      throw FileError(message: Array("a process for the run: \(error)".utf8))
    }
  }

  /// The path of this program, also if it was renamed since its start.
  private static var program: [UInt8] {
    let own = "/proc/self/exe"
    if access(own, X_OK) == 0 { return Array(own.utf8) }
    return Arguments.all.vector[0].map { Array(String(cString: $0).utf8) } ?? Array("weir".utf8)
  }

  // MARK: - Signals

  private func answerSignals() {
    while !state.with({ $0.isOver }) {
      switch signals.wait(seconds: nil) {
      case .end(let number):
        state.with { state in
          state.child?.send(SIGKILL)
          Signals.die(by: number)
        }
      case .inquiry: console.report("pitfalls: \(state.with { $0.stage })")
      default: break
      }
    }
  }
}
