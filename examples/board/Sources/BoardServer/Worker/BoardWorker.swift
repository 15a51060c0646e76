// The program of a worker: one run, in a process of its own.

import Demos
import Foundation
import Glibc

/// A worker.
public enum BoardWorker {
  /// Runs a worker.
  ///
  /// - Parameter arguments: The arguments after `--worker`: `demo REQUEST` or
  ///   `pitfall NAME VERSION`.
  public static func run(_ arguments: [String]) -> Never {
    // The server's sockets are not closed by exec: without this, a run would hold its port.
    closefrom(STDERR_FILENO + 1)
    disableCore()
    // A write that fails ends the worker, with a status.
    signal(SIGPIPE, SIG_IGN)
    switch (arguments.first, arguments.count) {
    case ("demo", 2): DemoWorker.run(arguments[1])
    case ("pitfall", 3):
      guard let pitfall = Pitfall.named(arguments[1]),
        let version = PitfallVersion(rawValue: arguments[2])
      else { fail("there is no pitfall of that name") }
      PitfallRun.runWatched(pitfall, version)
    default: fail("the server starts it, with a request")
    }
  }

  static func fail(_ reason: String) -> Never {
    let line = Array("board: worker: \(reason)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    _exit(2)
  }

  private static func disableCore() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
  }
}
