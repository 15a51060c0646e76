// Signals that come when the work is done and the last lines are not: nobody reads
// standard output yet, and it is full, so that the run is held there.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct LastLinesTests {
  private static let announcement =
    "weir: interrupted: writing the last lines; a second signal ends the process at once"
  private static let isWhole =
    "weir: interrupted: the run was complete all the same; nothing is missing"

  /// A pipe that is full until it is emptied.
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

    /// Empties it. Returns what was written to it so far, without what filled it.
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

  /// Runs it until its work is done, and goes on with the child and its output.
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
      // Said when the work is over.
      #expect(child.collect(limit: 40, until: says("weir: bound by ")))
      body(child, pipe)
      return try child.finish(limit: 40)
    }
    return Result(outcome: outcome, output: pipe.drain())
  }

  @Test(
    "one that comes while the last lines are written lets them be written",
    arguments: ["hash", "count", "duplicates"], [SIGINT, SIGTERM, SIGHUP])
  func once(verb: String, signal: Int32) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    let result = try await held(asked(verb), in: directory) { child, pipe in
      kill(child.pid, signal)
      #expect(child.collect(limit: 40, until: says(LastLinesTests.announcement)))
      _ = pipe.drain()
    }
    #expect(result.outcome.signal == signal && !result.outcome.wasLate)
    #expect(result.output.contains("\"type\":\"summary\",\"complete\":true,"), "\(result)")
    #expect(result.output.hasSuffix("}\n"))
    #expect(result.messages.first == LastLinesTests.announcement, "\(result)")
    #expect(result.messages.last == LastLinesTests.isWhole, "\(result)")
  }

  /// What has nothing to write before its last lines.
  private func asked(_ verb: String) -> [String] { [verb, "--format=json", "d"] }

  @Test("one is enough where nobody reads them, and a second one ends it at once")
  func unread() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    let once = try await held(asked("hash"), in: directory) { child, _ in
      kill(child.pid, SIGTERM)
    }
    #expect(once.outcome.signal == SIGTERM && !once.outcome.wasLate && once.output.isEmpty)
    #expect(
      once.messages == [
        LastLinesTests.announcement,
        "weir: interrupted: 0 files read; the output so far is intact, the rest is missing",
      ])
    let twice = try await held(asked("hash"), in: directory) { child, _ in
      kill(child.pid, SIGTERM)
      #expect(child.collect(limit: 40, until: says(LastLinesTests.announcement)))
      kill(child.pid, SIGINT)
    }
    #expect(twice.outcome.signal == SIGINT && !twice.outcome.wasLate && twice.output.isEmpty)
    #expect(twice.messages == [LastLinesTests.announcement])
  }

  @Test("--output: it ends what can be made again, and says how to go on")
  func output() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    for name in ["a", "b", "z"] { try directory.write(name, to: "d/" + name) }
    let asked = ["hash", "--output", "M", "d"]
    let first = try await weir(asked.map { Array($0.utf8) }, in: directory).run()
    #expect(first.status == 0)
    let before = try contents("M", in: directory)
    unlink(directory.text + "/d/z")
    // That z is gone is known, and said, at the end alone.
    let result = try await held(asked + ["--update"], in: directory) { child, _ in
      kill(child.pid, SIGTERM)
    }
    #expect(result.outcome.signal == SIGTERM && !result.outcome.wasLate && result.output.isEmpty)
    let last = try #require(result.messages.last)
    #expect(
      last.hasPrefix("weir: interrupted: 0 files read, 2 known without reading; M.partial has the"))
    #expect(last.contains("to continue: weir hash --resume "), "\(last)")
    #expect(try contents("M", in: directory) == before)
    let rest = try await weir(
      (asked + ["--update", "--resume"]).map { Array($0.utf8) }, in: directory
    ).run()
    #expect(rest.status == 0 && rest.outputText.contains("d/z: gone\n"), "\(rest)")
    #expect(try contents("M", in: directory).filter { $0 == 0x0A }.count == 2)
  }

  @Test("--output: when it is in its place, that is not taken back")
  func replaced() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    try directory.write("a", to: "d/a")
    let asked = ["hash", "--output", "M", "--update", "d"]
    let result = try await held(asked, in: directory) { child, pipe in
      // It is there when its records have their name.
      #expect(child.inquire { _ in access(directory.text + "/M.mtree", F_OK) == 0 })
      kill(child.pid, SIGTERM)
      #expect(child.collect(limit: 40, until: says(LastLinesTests.announcement)))
      _ = pipe.drain()
    }
    #expect(result.outcome.signal == SIGTERM && !result.outcome.wasLate)
    #expect(result.output.hasPrefix("0filesnotread,1read,"), "\(result)")
    #expect(result.messages.last == LastLinesTests.isWhole, "\(result)")
    #expect(access(directory.text + "/M.partial", F_OK) != 0)
  }
}

private func contents(_ name: String, in directory: TemporaryDirectory) throws -> Data {
  try Data(contentsOf: URL(filePath: directory.text + "/" + name))
}

/// Whether something was said.
private func says(_ text: String) -> (_ output: [UInt8], _ errors: [UInt8]) -> Bool {
  { _, errors in String(decoding: errors, as: UTF8.self).contains(text) }
}
