// The program of a worker: one run, in a process of its own.

import Foundation
import Glibc

/// A worker.
public enum BoardWorker {
  /// Runs a worker.
  ///
  /// - Parameter arguments: The arguments after `--worker`: the request, as JSON.
  public static func run(_ arguments: [String]) -> Never {
    // The server's sockets are not closed by exec: without this, a run would hold its port.
    closefrom(STDERR_FILENO + 1)
    disableCore()
    // A write that fails ends the worker, with a status.
    signal(SIGPIPE, SIG_IGN)
    guard arguments.count == 1 else { fail("the server starts it, with a request") }
    DemoWorker.run(arguments[0])
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
