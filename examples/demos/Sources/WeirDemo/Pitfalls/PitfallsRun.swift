// A watched run: a version of a pitfall in a process of its own, which a watchdog ends.
//
// A signal that ends this process needs no handler: the child notices at its next heartbeat that
// nobody reads it any more.

import Demos
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
      let begin = ContinuousClock.now
      var watch = PitfallWatch()
      outcome = try watch.follow(child, pitfall, version, limit: Int(seconds * 1000))
      milliseconds = Int((ContinuousClock.now - begin) / .milliseconds(1))
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
      words, ChildProcess.Options(input: nil, output: .pipe, error: .null, leadsGroup: true))
    child.killGroupAtEnd()
    return child
  }
}
