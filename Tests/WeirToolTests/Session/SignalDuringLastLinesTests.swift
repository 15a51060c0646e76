// Signals between the end of the work and the end of the last lines. Standard output is full
// and has no reader yet, so the run waits there.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct SignalDuringLastLinesTests {
  private static let announcement =
    "weir: interrupted: writing the last lines; a second signal ends the process at once"
  private static let isWhole =
    "weir: interrupted: the run was complete all the same; nothing is missing"

  /// A full pipe.
  private final class FullPipe: Sendable {
    private let descriptor: Int32
    private let all = Shared("")

    init(_ path: String) throws {
      descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw Failure() }
      let byte = [UInt8](repeating: 0x20, count: 1 << 16)
      while write(descriptor, byte, byte.count) > 0 {}
      while write(descriptor, byte, 1) > 0 {}
    }

    struct Failure: Error {}

    deinit {
      close(descriptor)
    }

    /// Empties the pipe, and returns the bytes written after it was filled.
    func drain() -> String {
      var text: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(descriptor, &piece, piece.count)
        if count <= 0 { break }
        text += piece[..<count]
      }
      let new = String(decoding: text, as: UTF8.self).filter { $0 != " " }
      all.change { $0 += new }
      return all.value
    }
  }

  private struct Result {
    let outcome: Outcome
    let output: String

    var messages: [String] {
      outcome.errorLines.filter { $0.hasPrefix("weir: interrupted: ") }
    }
  }

  /// Runs a command until its work is done, and passes on the child and its output.
  private func held(
    _ words: [String], in directory: TemporaryDirectory,
    then body: @escaping @Sendable (Child, FullPipe) -> Void
  ) async throws -> Result {
    unlink(directory.text + "/pipe")
    try directory.makeFIFO("pipe")
    let pipe = try FullPipe(directory.text + "/pipe")
    var command = weir((words + ["--verbose"]).map { Array($0.utf8) }, in: directory)
    command.output = .file(directory.path("pipe"), O_WRONLY)
    let asked = command
    let outcome = try await onThread {
      let child = try Child(asked)
      // Reported at the end of the work.
      #expect(child.collect(limit: 40, until: says("weir: bound by ")))
      body(child, pipe)
      return try child.finish(limit: 40)
    }
    return Result(outcome: outcome, output: pipe.drain())
  }

  @Test(
    "a signal during the last lines lets them be written",
    arguments: ["hash", "count", "duplicates"], [SIGINT, SIGTERM, SIGHUP])
  func once(verb: String, signal: Int32) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    let result = try await held(asked(verb), in: directory) { child, pipe in
      kill(child.pid, signal)
      #expect(child.collect(limit: 40, until: says(SignalDuringLastLinesTests.announcement)))
      _ = pipe.drain()
    }
    #expect(result.outcome.signal == signal && !result.outcome.wasLate)
    #expect(result.output.contains("\"type\":\"summary\",\"complete\":true,"), "\(result)")
    #expect(result.output.hasSuffix("}\n"))
    #expect(result.messages.first == SignalDuringLastLinesTests.announcement, "\(result)")
    #expect(result.messages.last == SignalDuringLastLinesTests.isWhole, "\(result)")
  }

  /// Commands that write nothing before the last lines.
  private func asked(_ verb: String) -> [String] { [verb, "--format=json", "d"] }

  @Test("--output: a signal ends repeatable work, and the message names the command to continue")
  func output() async throws {
    // The signal has to come before the manifest is replaced: on a busy machine not at once.
    for _ in 0..<10 where try await isInterruptedInTime() { return }
    Issue.record("no signal came before the manifest was replaced")
  }

  /// Returns false if the signal came too late.
  private func isInterruptedInTime() async throws -> Bool {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    for name in ["a", "b", "z"] { try directory.write(name, to: "d/" + name) }
    let asked = ["hash", "--output", "M", "d"]
    let first = try await weir(asked.map { Array($0.utf8) }, in: directory).run()
    #expect(first.status == 0)
    let before = try contents("M", in: directory)
    unlink(directory.text + "/d/z")
    // The removal of z is known and reported only at the end.
    let result = try await held(asked + ["--update"], in: directory) { child, _ in
      kill(child.pid, SIGTERM)
    }
    #expect(result.outcome.signal == SIGTERM && !result.outcome.wasLate && result.output.isEmpty)
    let last = try #require(result.messages.last)
    if last.contains("M is complete") { return false }
    #expect(
      last.hasPrefix("weir: interrupted: 0 files read, 2 known without reading; M.partial has the"))
    #expect(last.contains("to continue: weir hash --resume "), "\(last)")
    #expect(try contents("M", in: directory) == before)
    let rest = try await weir(
      (asked + ["--update", "--resume"]).map { Array($0.utf8) }, in: directory
    ).run()
    #expect(rest.status == 1 && rest.outputText.contains("d/z: gone\n"), "\(rest)")
    #expect(try contents("M", in: directory).filter { $0 == 0x0A }.count == 3)
    return true
  }
}

private func contents(_ name: String, in directory: TemporaryDirectory) throws -> Data {
  try Data(contentsOf: URL(filePath: directory.text + "/" + name))
}

/// Returns a condition: the message was written.
private func says(_ text: String) -> (_ output: [UInt8], _ errors: [UInt8]) -> Bool {
  { _, errors in String(decoding: errors, as: UTF8.self).contains(text) }
}
