// A signal in the middle of a file that takes hours.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct LongFileSignalTests {
  /// Returns true if the program soon has worked for longer than a start takes. Bytes that it has
  /// mapped are not counted among those that it has read.
  private func hasReadMuch(_ child: Child) -> Bool {
    eventuallyBlocking {
      let text = (try? String(contentsOfFile: "/proc/\(child.pid)/stat", encoding: .utf8)) ?? ""
      let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
      let times = fields.dropFirst(11).prefix(2).compactMap { Int($0) }
      return times.reduce(0, +) > 10  // hundredths of a second
    }
  }

  @Test(
    "the first signal ends a run in the middle of a file that takes hours",
    arguments: [
      ["hash", "a", "b"], ["count", "a", "b"], ["check", "sums"], ["duplicates", "."],
    ])
  func firstSignal(arguments: [String]) async throws {
    let directory = try TemporaryDirectory()
    // 4 TiB, and not a byte on the disk.
    for name in ["a", "b"] {
      try directory.write("", to: name)
      #expect(truncate(directory.text + "/" + name, 1 << 42) == 0)
    }
    try directory.write(String(repeating: "0", count: 32) + "  a\n", to: "sums")
    let command = weir(arguments.map { Array($0.utf8) }, in: directory)
    let outcome = try await onThread {
      let child = try Child(command)
      #expect(hasReadMuch(child))
      kill(child.pid, SIGTERM)
      return try child.finish(limit: 40)
    }
    #expect(outcome.signal == SIGTERM && !outcome.wasLate && outcome.output.isEmpty)
    #expect(outcome.errorText.contains("weir: interrupted: "), "\(outcome.errorText)")
  }

  @Test("a signal after the last file is read leaves a bag without manifests, and says so")
  func bag() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("b")
    try directory.write("", to: "b/a")
    #expect(truncate(directory.text + "/b/a", 5 << 26) == 0)
    let command = weir("hash", "--bagit", "b", in: directory)
    let outcome = try await onThread {
      let child = try Child(command)
      #expect(hasReadMuch(child))
      kill(child.pid, SIGTERM)
      return try child.finish(limit: 40)
    }
    #expect(outcome.signal == SIGTERM)
    let isComplete = directory.content("b/manifest-sha512.txt") != nil
    #expect(
      outcome.errorText.contains(isComplete ? "nothing is missing" : "completes the bag"),
      "\(outcome.errorText)")
  }

  @Test("a resumed run reads a file again that was given up")
  func resumes() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    try directory.write("", to: "b")
    #expect(truncate(directory.text + "/b", 1 << 42) == 0)
    let command = weir("hash", "--output", "sums", "-j", "1", "a", "b", in: directory)
    let outcome = try await onThread {
      let child = try Child(command)
      #expect(hasReadMuch(child))
      kill(child.pid, SIGTERM)
      return try child.finish(limit: 40)
    }
    #expect(outcome.signal == SIGTERM && !outcome.wasLate)
    try directory.write("b", to: "b")
    let resumed = try await weir(
      "hash", "--output", "sums", "--resume", "-j", "1", "a", "b", in: directory
    ).run()
    #expect(resumed.status == 0, "\(resumed.errorText)")
    let checked = try await weir("check", "sums", in: directory).run()
    #expect(checked.outputText == "a: OK\nb: OK\n", "\(checked.errorText)")
  }
}
