// A standard error that nobody reads: signals end the process all the same.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct BlockedOutputTests {
  /// Returns true as soon as a thread of the process waits in a write to standard error.
  private func awaitBlockedWrite(of child: Child) -> Bool {
    eventuallyBlocking {
      let tasks = "/proc/\(child.pid)/task"
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
      return threads.contains { thread in
        let call = try? String(contentsOfFile: "\(tasks)/\(thread)/syscall", encoding: .utf8)
        return call?.hasPrefix("\(writeNumber) 0x2 ") == true
      }
    }
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
    let reader = try makeUnreadPipe(in: directory)
    defer { close(reader) }
    try directory.write(names, to: "names")
    let result = try await end("hash --files-from names", with: signals, in: directory)
    #expect(!result.wasLate)
    #expect(signals.contains(result.signal ?? 0) && result.signal != SIGUSR1)
  }

  /// The pipe is full before the first message: one before the run, in it, or after it.
  @Test(
    "a signal ends a run in any message that nobody reads",
    arguments: [
      "hash --verbose f", "hash none", "hash --summary f", "count none f", "check M", "check none",
      "duplicates --verbose .", "run --summary f -- true", "run f -- false", "limits --verbose",
    ])
  func anyMessage(words: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("sub")
    for name in ["f", "sub/listed"] { try directory.write("x", to: name) }
    // The listed file exists in another directory: a hint.
    try directory.write(String(repeating: "0", count: 64) + "  listed\n", to: "M")
    let reader = try makeUnreadPipe(in: directory)
    defer { close(reader) }
    try #require(fcntl(reader, F_SETFL, O_NONBLOCK) == 0)
    let piece = [UInt8](repeating: 0x78, count: 4096)
    while write(reader, piece, piece.count) > 0 {}
    let result = try await end(words, with: [SIGTERM], in: directory)
    #expect(!result.wasLate && result.signal == SIGTERM, "\(result)")
  }

  /// Makes a FIFO, and returns a descriptor that keeps it open.
  private func makeUnreadPipe(in directory: TemporaryDirectory) throws -> Int32 {
    try directory.makeFIFO("errors")
    let reader = open(directory.text + "/errors", O_RDWR | O_CLOEXEC)
    try #require(reader >= 0)
    return reader
  }

  /// Runs the tool until a message blocks it, and sends signals until one ends it.
  private func end(
    _ words: String, with signals: [Int32], in directory: TemporaryDirectory
  ) async throws -> Outcome {
    let command = shell("exec \"$0\" \(words) 2> errors", in: directory)
    return try await onThread {
      let child = try Child(command)
      #expect(awaitBlockedWrite(of: child))
      for signal in signals {
        kill(child.pid, signal)
        if !awaitTaking(of: signal, by: child) { break }
      }
      return try child.finish(limit: 40)
    }
  }
}
