// A run of a pitfall: a version in a process of its own, under a watchdog.
//
// DESIGN. The broken versions deadlock, trap and exhaust the thread pool. So a process runs one, and a
// thread of it that needs neither libdispatch nor Swift's pool ends it with its parent, even one that
// was killed. The lines that the program prints are its steps.

@preconcurrency internal import Foundation
@preconcurrency internal import Glibc
package import SystemPackage
internal import Weir

package struct PitfallRun: Sendable {
  /// A line of the program.
  package struct Step: Sendable, Equatable {
    /// The milliseconds since the start, at its arrival.
    package let milliseconds: Int
    package let text: String
  }

  package let pitfall: Pitfall
  package let version: PitfallVersion
  package let steps: [Step]
  package let outcome: PitfallOutcome

  package init(
    _ pitfall: Pitfall, _ version: PitfallVersion, _ steps: [Step], _ outcome: PitfallOutcome
  ) {
    (self.pitfall, self.version) = (pitfall, version)
    (self.steps, self.outcome) = (steps, outcome)
  }

  /// The milliseconds without a step after which a run that should fall silent has done so.
  private static let quiet = 1000

  /// Runs this program with some words, which run the version in that process, and blocks until its
  /// end, a silence that is the symptom, or the limit in milliseconds. No process is left.
  package static func watch(
    _ pitfall: Pitfall, _ version: PitfallVersion, words: [String], limit: Int
  ) throws(Errno) -> PitfallRun {
    // No backtrace of a trap: the child is to be as silent as a program in C.
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    let child = try ChildProcess(
      ["/proc/self/exe"] + words,
      ChildProcess.Options(input: nil, output: .pipe, error: .null, leadsGroup: true))
    child.killGroupAtEnd()
    defer {
      child.send(SIGKILL)
      _ = try? child.wait()
    }
    let begin = ContinuousClock.now
    func now() -> Int { Int((ContinuousClock.now - begin) / .milliseconds(1)) }
    var (steps, line) = ([] as [Step], [] as [UInt8])
    var outcome: PitfallOutcome?
    while outcome == nil {
      let ending = try child.collect(timeout: .milliseconds(50)) { bytes in
        for byte in bytes {
          if byte != UInt8(ascii: "\n") {
            line.append(byte)
            continue
          }
          steps.append(Step(milliseconds: now(), text: String(decoding: line, as: UTF8.self)))
          line = []
        }
      }
      let silence = now() - (steps.last?.milliseconds ?? 0)
      switch ending {
      case .exited(0): outcome = .end(steps.last?.text ?? "")
      case .exited(let status): outcome = .exit(status)
      case .signaled(let signal): outcome = .signal(signal)
      // A version that is not to be silent has all the time there is.
      case nil where version == .broken && pitfall.symptom == .silence && silence >= quiet:
        outcome = .silence(silence)
      case nil where now() >= limit: outcome = .late(now())
      case nil: break
      }
    }
    return PitfallRun(pitfall, version, steps, outcome ?? .late(now()))
  }

  /// Runs a version in this process, which ends with its parent and leaves no core if watched.
  package static func run(
    _ pitfall: Pitfall, _ version: PitfallVersion, isWatched: Bool
  ) -> Never {
    if isWatched {
      var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
      let parent = getppid()
      Thread.detachNewThread {
        while getppid() == parent { usleep(50_000) }
        _exit(1)
      }
    }
    // A line is written at once and whole.
    setvbuf(stdout, nil, _IOLBF, 0)
    pitfall.program(version)()
    exit(0)
  }
}
