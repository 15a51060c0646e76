// The worker of a pitfall.

import Demos
import Foundation
import Glibc

/// Runs one version of a pitfall: the output is its events, one a line.
///
/// The heartbeat of the process comes from a thread of its own, which needs neither libdispatch nor
/// Swift's pool: the pitfalls stop both. Without a reader the heartbeat fails, and the process exits.
enum PitfallWorker {
  private static let pace: UInt32 = 50_000

  static func run(_ name: String, _ version: String) -> Never {
    guard let pitfall = Pitfall.named(name), let version = PitfallVersion(rawValue: version) else {
      BoardWorker.fail("there is no pitfall of that name")
    }
    let run = PitfallRun { event in
      write(event.line)
      if case .end = event.kind { _exit(0) }
    }
    let thread = Thread {
      while true {
        run.beat()
        usleep(pace)
      }
    }
    thread.start()
    run.start(pitfall, version)
  }

  /// Writes a line in one call, so that lines of several threads do not mix.
  private static func write(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    if Glibc.write(STDOUT_FILENO, bytes, bytes.count) < 0 { _exit(1) }
  }
}
