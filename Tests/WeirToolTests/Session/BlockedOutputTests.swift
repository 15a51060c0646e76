// A standard error that nobody reads: signals end the process all the same.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct BlockedOutputTests {
  /// Returns true as soon as a thread of the process waits in a write to standard error.
  private func awaitBlockedWrite(of child: Child) -> Bool {
    for _ in 0..<20_000 {
      let tasks = "/proc/\(child.pid)/task"
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
      for thread in threads {
        let call = try? String(contentsOfFile: "\(tasks)/\(thread)/syscall", encoding: .utf8)
        if call?.hasPrefix("\(writeNumber) 0x2 ") == true { return true }
      }
      usleep(1000)
    }
    return false
  }

  private var writeNumber: Int {
    #if arch(x86_64)
      1
    #else
      64
    #endif
  }

  /// Returns true as soon as the process has taken a signal.
  private func awaitTaking(of signal: Int32, by child: Child) -> Bool {
    for _ in 0..<20_000 {
      guard
        let status = try? String(contentsOfFile: "/proc/\(child.pid)/status", encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("ShdPnd:") }),
        let pending = UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16)
      else { return false }
      // A zombie keeps its pending signals.
      if status.contains("State:\tZ") { return false }
      if pending & 1 << UInt64(signal - 1) == 0 { return true }
      usleep(1000)
    }
    return false
  }

  @Test(
    "signals end a run whose messages nobody reads",
    arguments: [[SIGTERM], [SIGTERM, SIGTERM], [SIGUSR1, SIGTERM, SIGINT]])
  func unread(signals: [Int32]) async throws {
    let directory = try TemporaryDirectory()
    let names = (1...5000).map { "missing\($0)\n" }.joined()
    // A FIFO that this process keeps open and never reads.
    try directory.makeFIFO("errors")
    let reader = open(directory.text + "/errors", O_RDWR)
    try #require(reader >= 0)
    defer { close(reader) }
    try directory.write(names, to: "names")
    let command = shell("exec \"$0\" hash --files-from names 2> errors", in: directory)
    let result = try await onThread {
      let child = try Child(command)
      #expect(awaitBlockedWrite(of: child))
      for signal in signals {
        kill(child.pid, signal)
        if !awaitTaking(of: signal, by: child) { break }
      }
      return try child.finish(limit: 40)
    }
    #expect(!result.wasLate)
    #expect(signals.contains(result.signal ?? 0) && result.signal != SIGUSR1)
  }
}
