// The process of a run: this program once more.
//
// DESIGN. Demos use the main queue, fill the pool of libdispatch and deadlock. So each run has a
// process, which can be killed, and the server waits for nothing. None outlives the server, even one
// that was killed: it exits at the end of its input, in which a line asks it to stop.

import Glibc
import SystemPackage
import Weir

/// A worker and the pipe of its input.
final class WorkerProcess: Sendable {
  let child: ChildProcess
  private let input: Int32

  /// Starts a worker: the program at a path, with `--worker` and a request.
  init(_ program: String, _ request: String) throws(Errno) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
    defer { close(ends[0]) }
    // A worker that begins meanwhile closes what it inherits.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A worker that does not read does not stop the server.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let options = ChildProcess.Options(
      input: FileDescriptor(rawValue: ends[0]), output: .pipe, error: .inherited, leadsGroup: true)
    do throws(Errno) {
      child = try ChildProcess([program, "--worker", request], options)
    } catch {
      close(ends[1])
      throw error
    }
    input = ends[1]
    child.killGroupAtEnd()
  }

  deinit { close(input) }

  func kill() { child.send(SIGKILL) }

  /// Asks for the result of the run so far.
  func stop() { _ = write(input, "\n", 1) }
}
