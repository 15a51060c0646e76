// SIGUSR1 outside a run: before it starts, and in commands without progress.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct ProgressSignalTests {
  /// A full FIFO, in which a writer blocks.
  private final class FullPipe {
    private let descriptor: Int32

    init(_ path: String) {
      descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      let zeros = [UInt8](repeating: 0, count: 4096)
      while write(descriptor, zeros, zeros.count) > 0 {}
    }

    deinit { close(descriptor) }

    /// Empties the FIFO until the writer has ended.
    func drain(while isOpen: () -> Bool) {
      var buffer = [UInt8](repeating: 0, count: 65536)
      while isOpen() {
        if read(descriptor, &buffer, buffer.count) < 0 { usleep(1000) }
      }
    }
  }

  /// Returns a set of signals of a process, from /proc.
  private func signals(_ name: String, of pid: Int32) -> UInt64 {
    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):\t") }
    return line.flatMap { UInt64($0.dropFirst(name.count + 2), radix: 16) } ?? 0
  }

  private func isZombie(_ pid: Int32) -> Bool {
    let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    return stat.isEmpty || stat.contains(") Z ")
  }

  /// Returns true if the process soon blocks or ignores SIGUSR1.
  private func holdsInquiries(_ pid: Int32) -> Bool {
    for _ in 0..<5000 {
      let held = signals("SigBlk", of: pid) | signals("SigIgn", of: pid)
      if held & 1 << UInt64(SIGUSR1 - 1) != 0 { return true }
      if isZombie(pid) { return false }
      usleep(1000)
    }
    return false
  }

  @Test(
    "SIGUSR1 never ends a process, from its start on, even without progress to report",
    arguments: [
      ["--version"], ["help", "hash"], ["check", "--help"], ["limits"], ["hash", "a"],
      ["run", "a", "--", "echo"],
    ])
  func atOnce(arguments: [String]) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    try directory.makeFIFO("full")
    let path = directory.text + "/full"
    var command = weir(arguments.map { Array($0.utf8) }, in: directory)
    command.output = .file(Array(path.utf8), O_WRONLY)
    let asked = command
    let result = try await onThread {
      let pipe = FullPipe(path)
      let child = try Child(asked)
      #expect(holdsInquiries(child.pid))
      kill(child.pid, SIGUSR1)
      pipe.drain { !isZombie(child.pid) }
      return try child.finish(limit: 40)
    }
    #expect(result.status == 0 && !result.wasLate, "\(result.errorText)")
  }

  @Test("the signals that end the program do so before a run as well")
  func endsAtOnce() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeFIFO("full")
    let path = directory.text + "/full"
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      var command = weir("limits", in: directory)
      command.output = .file(Array(path.utf8), O_WRONLY)
      let asked = command
      let result = try await onThread {
        let pipe = FullPipe(path)
        let child = try Child(asked)
        #expect(holdsInquiries(child.pid))
        kill(child.pid, signal)
        let result = try child.finish(limit: 40)
        withExtendedLifetime(pipe) {}
        return result
      }
      #expect(result.signal == signal && !result.wasLate)
    }
  }
}
