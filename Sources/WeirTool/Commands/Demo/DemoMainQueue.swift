// The main queue of a demo.
//
// DESIGN. Demos use the real main queue, and on Linux only dispatchMain drains it, which never
// returns. So the demo runs on a thread of its own, which ends the program. That thread takes the
// signals: the main thread ends in dispatchMain, and the threads of libdispatch block them.

internal import Dispatch
internal import FileJobs
internal import WeirLibC

enum DemoMainQueue {
  /// Runs a closure on a thread while the main thread drains the main queue, and ends the program
  /// with the closure's result.
  static func run(_ body: @escaping @Sendable () throws -> Void) throws -> Never {
    let thread = SideThread {
      takeSignals()
      do {
        try body()
        exit(0)
      } catch {
        Main.end(with: error, of: DemoCommand.self)
      }
    }
    guard thread != nil else {
      throw FileError(
        message: Array("no thread for the demo: \(String(cString: strerror(EAGAIN)))".utf8))
    }
    dispatchMain()
  }

  private static func takeSignals() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGPIPE] {
      sigaddset(&set, number)
    }
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}
