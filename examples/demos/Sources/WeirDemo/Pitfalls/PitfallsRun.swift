// A watched run: a version of a pitfall in a process of its own, which a watchdog ends.
//
// A signal that ends this process needs no handler: the child notices at its next heartbeat that
// nobody reads it any more.

import Demos
import Dispatch
import Glibc
import SystemPackage
import Weir

/// The result of a watched run.
struct PitfallsRun {
  let outcome: PitfallOutcome
  /// The steps that the run reported.
  let steps: [PitfallEvent]
  let milliseconds: Int

  /// Runs a version. No process is left when the initializer returns.
  ///
  /// - Parameter seconds: The time after which the run is ended.
  init(_ pitfall: Pitfall, _ version: PitfallVersion, seconds: Double) throws(Failure) {
    do throws(Errno) {
      let child = try PitfallsRun.start(pitfall, version)
      defer {
        child.send(SIGKILL)
        _ = try? child.wait()
      }
      let begin = DispatchTime.now().uptimeNanoseconds
      func milliseconds() -> Int {
        Int((DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000)
      }
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
      switch ending {
      case .exited(let status): outcome = watch.outcome(signal: nil, status: status)
      case .signaled(let signal): outcome = watch.outcome(signal: signal, status: 0)
      case nil: outcome = isSilent ? watch.silence : .timeLimit(milliseconds())
      }
      self.milliseconds = milliseconds()
      steps = watch.steps
    } catch {
      throw Failure("the run of a pitfall: \(error)")
    }
  }

  private static func start(
    _ pitfall: Pitfall, _ version: PitfallVersion
  ) throws(Errno) -> ChildProcess {
    // No backtrace of a trap: the child is to be as silent as a program in C.
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    let words = [
      "/proc/self/exe", "pitfalls", pitfall.name, version.rawValue, PitfallsCommand.watchedWord,
    ]
    let child = try ChildProcess(
      words.map { Array($0.utf8) },
      ChildProcess.Options(input: .null, output: .pipe, error: .null, leadsGroup: true))
    child.endGroupWithIt()
    return child
  }
}
