// Signals: once, twice, in a stalled run, ignored from the start. No test waits for a time: a
// signal is sent when the run has reached the right point.

import Foundation
import Glibc
import TestSupport
import Testing

private func seen(_ text: String) -> (_ output: [UInt8], _ errors: [UInt8]) -> Bool {
  { _, errors in String(decoding: errors, as: UTF8.self).contains(text) }
}

private let announcement =
  "weir: interrupted: finishing the open files, for at most 2 s; a second signal ends the "
  + "process at once"

@Suite(.enabled(if: hasOracle), .serialized, .timeLimit(.minutes(10)))
struct SignalTests {
  /// Starts a run that has written the line of `a` and reads standard input, which has no
  /// data.
  private func waiting(
    _ command: Command, then body: @escaping @Sendable (Child) throws -> Void
  ) async throws -> Outcome {
    var command = command
    if case .standard = command.input { command.input = .bytes(Array("hello".utf8)) }
    let asked = command
    return try await onThread {
      let child = try Child(asked, holdsInput: true)
      #expect(child.collect(limit: 40) { output, _ in output.contains(0x0A) })
      #expect(child.inquire { !$0.contains(", 1 B, ") })
      try body(child)
      return try child.finish(limit: 40)
    }
  }

  /// Returns true if the first thread, which walks, sleeps: all files are found, and it waits
  /// for the lanes.
  private func hasFoundAll(_ child: Child) -> Bool {
    var atRest = 0
    for _ in 0..<10_000 where atRest < 20 {
      guard child.inquire(until: { _ in true }) else { return false }
      let text = try? String(contentsOf: URL(filePath: "/proc/\(child.pid)/stat"), encoding: .utf8)
      atRest = text?.contains(") S ") == true ? atRest + 1 : 0
    }
    return atRest == 20
  }

  /// Returns the messages except answers to SIGUSR1.
  private func messages(_ result: Outcome) -> [String] {
    result.errorLines.filter { !$0.contains("B/s") }
  }

  @Test(
    "the first signal ends the run: open files are finished, the output is a prefix of the whole",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func once(signal: Int32) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    // More files than are ever read ahead of the slow one.
    try directory.makeDirectory("t")
    for number in 0..<6000 { try directory.write("", to: "t/\(number)") }
    let result = try await waiting(weir("hash", "-j", "2", "a", "-", "t", in: directory)) { child in
      kill(child.pid, signal)
      #expect(child.collect(limit: 40, until: seen(announcement)))
      child.closeInput()
    }
    #expect(result.signal == signal && !result.wasLate)
    var again = weir("hash", "a", "-", "t", in: directory)
    again.input = .bytes(Array("hello".utf8))
    let whole = try await again.run()
    #expect(whole.lines.count == 6002)
    #expect((2..<6002).contains(result.lines.count))
    #expect(whole.output.starts(with: result.output) && result.output.last == 0x0A)
    #expect(
      messages(result) == [
        announcement,
        "weir: interrupted: \(grouped(result.lines.count)) files read; the output so far is "
          + "intact, the rest is missing",
      ])
  }

  @Test("a signal in the last file ends the process, but nothing is missing")
  func lastFile() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    let end = "weir: interrupted: the run was complete all the same; nothing is missing"
    for arguments in [[], ["--format", "json"], ["--summary"], ["-j", "1"], ["--unordered"]] {
      let words = ["hash", "a", "-"] + arguments
      let command = weir(words.map { Array($0.utf8) }, in: directory)
      let result = try await waiting(command) { child in
        #expect(hasFoundAll(child))
        kill(child.pid, SIGTERM)
        #expect(child.collect(limit: 40, until: seen(announcement)))
        child.closeInput()
      }
      #expect(result.signal == SIGTERM && !result.wasLate)
      if arguments.contains("json") {
        #expect(result.lines.count == 3)
        #expect(result.outputText.contains("{\"type\":\"summary\",\"complete\":true,\"files\":2,"))
      } else {
        #expect(result.lines.count == 2)
      }
      let rest = messages(result)
      #expect(rest.first == announcement && rest.last == end && rest.count == 2, "\(rest)")
      #expect(result.errorText.contains("2 files read; ") == arguments.contains("--summary"))
    }
  }

  @Test("one signal is enough in a stalled run", arguments: [SIGINT, SIGTERM])
  func stillness(signal: Int32) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    let last = "read; the output so far is intact, the rest is missing\n"
    let result = try await waiting(weir("hash", "a", "-", "a", in: directory)) { child in
      kill(child.pid, signal)
      // The input stays open until the run has given up.
      #expect(child.collect(limit: 40, until: seen(last)))
    }
    // The input ends with this test: the rest may have arrived by then.
    #expect(result.signal == signal && (1...3).contains(result.lines.count))
  }

  @Test("the second signal ends the process at once, by that signal")
  func twice() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    var command = weir("hash", "a", "-", in: directory)
    command.input = .file(Array("/dev/zero".utf8), O_RDONLY)
    let result = try await waiting(command) { child in
      kill(child.pid, SIGINT)
      #expect(child.collect(limit: 40, until: seen(announcement)))
      kill(child.pid, SIGTERM)
    }
    #expect(result.signal == SIGTERM && !result.wasLate && result.lines.count == 1)
    #expect(messages(result) == [announcement])
  }

  @Test("an interrupted count has no total in JSON either")
  func interruptedCount() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    var command = weir("count", "-w", "--format", "json", "a", "-", in: directory)
    command.input = .file(Array("/dev/zero".utf8), O_RDONLY)
    let result = try await waiting(command) { child in kill(child.pid, SIGINT) }
    #expect(result.signal == SIGINT)
    #expect(result.lines.count == 2 && result.outputText.contains(#""complete":false"#))
  }

  @Test("a signal that comes with the first one, as from timeout(1), is no second one")
  func echo() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    var command = weir("hash", "--report", "r", "a", "-", in: directory)
    command.input = .file(Array("/dev/zero".utf8), O_RDONLY)
    let result = try await waiting(command) { child in
      kill(child.pid, SIGSTOP)
      kill(child.pid, SIGINT)
      kill(child.pid, SIGTERM)
      kill(child.pid, SIGCONT)
    }
    #expect(result.signal == SIGINT && messages(result).first == announcement)
    #expect(contents(ofFile: Array("\(directory.text)/r".utf8))?.isEmpty == false)
  }

  @Test("a signal that is ignored at the start stays ignored", arguments: ["HUP", "INT", "TERM"])
  func ignored(name: String) async throws {
    let numbers: [String: Int32] = ["HUP": SIGHUP, "INT": SIGINT, "TERM": SIGTERM]
    let number = try #require(numbers[name])
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    let command = shell("trap '' \"$1\"; exec \"$0\" hash a -", name, in: directory)
    let result = try await waiting(command) { child in
      kill(child.pid, number)
      #expect(child.inquire { $0.hasPrefix("weir: 1 file, 6 B, ") })  // it is still there
    }
    #expect(result.status == 0 && result.lines.count == 2, "\(result)")
    #expect(messages(result).isEmpty)
  }

  @Test("SIGUSR1 prints a line, also without a terminal and with --progress never")
  func inquiry() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    let command = weir("hash", "--progress", "never", "a", "-", in: directory)
    let result = try await waiting(command) { child in
      for _ in 1...3 { #expect(child.inquire { $0.hasPrefix("weir: 1 file, 6 B, ") }) }
    }
    #expect(result.status == 0 && result.lines.count == 2 && result.errorLines.count >= 4)
    #expect(messages(result).isEmpty)
  }

  @Test("if SIGPIPE is ignored, a closed pipe is a write error")
  func ignoredPipe() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "ignored pipe")
    try directory.fill("tree", files: 2000, using: &random)
    let result = try await shell(
      "trap '' PIPE; { \"$0\" hash tree tree tree; echo $? >status; } | head -n 1", in: directory
    ).run()
    #expect(result.lines.count == 1 && result.errorText == "weir: write error: Broken pipe\n")
    let status = try await other("cat", words("status"), in: directory).run()
    #expect(status.outputText == "2\n")
  }

  private func grouped(_ count: Int) -> String {
    count < 1000 ? "\(count)" : "\(count / 1000),\(String(String(count % 1000 + 1000).dropFirst()))"
  }
}
