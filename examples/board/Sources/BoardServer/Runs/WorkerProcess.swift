// The process of a run: this program once more.
//
// DESIGN. Demos use the main queue, fill the pool of libdispatch and deadlock, and pitfalls end
// their process. So each run has a process, which can be killed, and the server waits for nothing.
// None outlives the server, even one that was killed: the process of a demo exits at the end of its
// input, from which it reads commands, and that of a pitfall when it can write no heartbeat.

import Foundation
import Glibc
import SystemPackage
import Weir

/// A worker and the pipe of its commands.
final class WorkerProcess: Sendable {
  let child: ChildProcess
  private let input: Int32

  /// Starts a worker.
  ///
  /// - Parameters:
  ///   - program: The path of this program.
  ///   - arguments: The arguments after `--worker`.
  init(_ program: String, _ arguments: [String], hasBacktrace: Bool = true) throws(Errno) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
    defer { close(ends[0]) }
    // A worker that begins meanwhile closes what it inherits.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A worker that reads no commands does not stop the server.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    var options = ChildProcess.Options(
      input: FileDescriptor(rawValue: ends[0]), output: .pipe,
      error: hasBacktrace ? .inherited : .null, leadsGroup: true)
    if !hasBacktrace {
      let variables = ProcessInfo.processInfo.environment.filter { $0.key != "SWIFT_BACKTRACE" }
      options.environment =
        variables.map { Array("\($0.key)=\($0.value)".utf8) }
        + [Array("SWIFT_BACKTRACE=enable=no".utf8)]
    }
    do throws(Errno) {
      child = try ChildProcess([program, "--worker"] + arguments, options)
    } catch {
      close(ends[1])
      throw error
    }
    input = ends[1]
    child.killGroupAtEnd()
  }

  deinit { close(input) }

  func kill() { child.send(SIGKILL) }

  /// Sends a command. It is dropped if the worker reads none.
  func send(_ name: String, _ value: Int) {
    let line = Array("\(name) \(value)\n".utf8)
    _ = write(input, line, line.count)
  }
}
