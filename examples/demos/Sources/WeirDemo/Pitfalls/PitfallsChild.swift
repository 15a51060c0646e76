// The process that runs one version of a pitfall.

import Demos
import Foundation

/// A version of a pitfall in this process, which it may end.
///
/// DESIGN. The heartbeat of the process comes from a thread of its own, which needs neither
/// libdispatch nor Swift's pool: the pitfalls stop both. Without a reader the heartbeat fails,
/// and the process exits: so none outlives its parent, even one that was killed.
enum PitfallsChild {
  /// The milliseconds between two heartbeats.
  private static let pace: UInt32 = 50

  /// Runs a version under the eyes of another process: the output is events, one per line.
  static func runWatched(_ pitfall: Pitfall, _ version: PitfallVersion) -> Never {
    disableCore()
    let run = PitfallRun { event in
      write(event.line)
      if case .end = event.kind { _exit(0) }
    }
    Thread.detachNewThread {
      while true {
        run.beat()
        usleep(pace * 1000)
      }
    }
    run.start(pitfall, version)
  }

  /// Runs a version for a person with a debugger: the output is its steps and its end.
  static func run(_ pitfall: Pitfall, _ version: PitfallVersion) -> Never {
    PitfallRun { event in
      switch event.kind {
      case .step: write("\(PitfallOutcome.seconds(event.milliseconds))  \(event.text)")
      case .end(let end):
        write(event.text)
        _exit(end == .right || end == .fine ? 0 : 1)
      default: break
      }
    }.start(pitfall, version)
  }

  /// Writes a line in one call, so that lines of several threads do not mix.
  private static func write(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    if Glibc.write(STDOUT_FILENO, bytes, bytes.count) < 0 { _exit(1) }
  }

  private static func disableCore() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
  }
}
