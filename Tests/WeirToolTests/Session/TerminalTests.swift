// What people see on a terminal: progress, interrupts, the keyboard, colors.

import Foundation
import Glibc
import TestSupport
import Testing

@testable import WeirTool

@Suite(.serialized, .timeLimit(.minutes(10)))
struct TerminalTests {
  /// A run with standard error on a terminal: `$0` is weir, `$1` the terminal.
  private func run(
    _ script: String, on terminal: Terminal, in directory: TemporaryDirectory
  ) -> Command {
    shell("export TERM=xterm; " + script, terminal.nameText, in: directory)
  }

  @Test("progress has a bar and a time, names a slow file, fits the terminal, and wipes itself")
  func progress() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for number in 0..<10 { try directory.write("hello", to: "t/\(number)") }
    try await onThread {
      let terminal = try Terminal(columns: 60)
      var command = run("exec \"$0\" hash t - 2>\"$1\"", on: terminal, in: directory)
      command.input = .bytes(Array("x".utf8))
      let child = try Child(command, holdsInput: true)
      #expect(terminal.collect { $0.contains(/\d:\d\d \[#/) && $0.contains(" %, ") })
      // The lane that waits for the input has no other file.
      #expect(terminal.collect { $0.contains(", - for ") })
      #expect(terminal.progressLines.allSatisfy { $0.count < 60 })
      let before = terminal.progressLines.count
      terminal.resize(columns: 30, rows: 20)
      #expect(terminal.collect { (_: String) in terminal.progressLines.count > before + 2 })
      #expect(terminal.progressLines.last.map { $0.count < 30 } == true)
      // The cursor waits at the beginning, so that no echo wraps and a reflowed line is cleared.
      let drawn = terminal.text.components(separatedBy: "\r\u{1B}[J").dropFirst()
      #expect(drawn.dropLast().allSatisfy { $0.isEmpty || $0.hasSuffix("\r") })
      let result = try child.finish()
      #expect(result.status == 0 && result.lines.count == 11)
      #expect(terminal.collect { $0.hasSuffix("\r\u{1B}[J") })
    }
  }

  @Test("without inputs on a terminal, the tool says what it waits for, and Ctrl-C ends it at once")
  func keyboard() async throws {
    let directory = try TemporaryDirectory()
    for (verb, missing) in [("hash", "PATH"), ("count", "PATH"), ("check", "MANIFEST")] {
      try await onThread {
        let terminal = try Terminal()
        let child = try Child(
          run("exec \"$0\" \(verb) <\"$1\" 2>\"$1\"", on: terminal, in: directory))
        #expect(terminal.collect { $0.contains("no \(missing): reading what you type; Ctrl-D ") })
        kill(child.pid, SIGINT)
        let result = try child.finish()
        #expect(result.signal == SIGINT)
        // At once: a stalled run would have announced first what it waits for.
        #expect(terminal.collect { $0.contains("interrupted: 0 files read") })
        #expect(!terminal.text.contains("finishing"), "\(terminal.text)")
        // The next line is for the next program.
        try terminal.type("next\n")
        var reader = other("head", words("-n", "1"), in: directory)
        reader.input = .file(terminal.name, O_RDONLY | O_NOCTTY)
        let next = try reader.runBlocking().outputText
        #expect(next == "next\n")
      }
    }
  }

  @Test("no progress erases what is typed as input")
  func typedInput() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    try await onThread {
      let terminal = try Terminal()
      let child = try Child(
        run("exec \"$0\" hash a - <\"$1\" 2>\"$1\"", on: terminal, in: directory))
      #expect(child.collect { output, _ in output.contains(0x0A) })
      try terminal.type("hello\n")
      // Progress would have begun after half a second.
      var asked = 0
      #expect(
        terminal.collect { text in
          if text.components(separatedBy: ", after ").count > asked {
            asked += 1
            kill(child.pid, SIGUSR1)
          }
          return text.contains(/, after ([2-9]|\d\d)/)
        })
      #expect(!terminal.text.contains("\u{1B}"))
      try terminal.type("\u{04}")
      #expect(try child.finish().outputText.hasSuffix("  -\n"))
    }
  }

  /// Returns what a terminal has after a later run on another one has drawn progress, and after an
  /// answer of the run to SIGUSR1. (Answers one after the other would leave no time for progress.)
  private func textAfterProgressElsewhere(
    of pid: pid_t, on terminal: Terminal, in directory: TemporaryDirectory
  ) throws -> String {
    let elsewhere = try Terminal()
    var command = run("exec \"$0\" hash a - 2>\"$1\"", on: elsewhere, in: directory)
    command.input = .bytes(Array("x".utf8))
    let witness = try Child(command, holdsInput: true)
    #expect(elsewhere.collect { (_: String) in elsewhere.progressLines.count > 3 })
    kill(pid, SIGUSR1)
    #expect(terminal.collect { $0.contains(", after ") })
    #expect(try witness.finish().status == 0)
    return terminal.text
  }

  @Test("progress is not written over a pager, which reads single keys, and comes after it")
  func pager() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    try await onThread {
      let terminal = try Terminal()
      var command = run(
        "stty -icanon <\"$1\"; echo >&2; exec \"$0\" hash a - 2>\"$1\"", on: terminal, in: directory
      )
      command.input = .bytes(Array("x".utf8))
      let child = try Child(command, holdsInput: true)
      #expect(child.collect { _, errors in !errors.isEmpty })
      #expect(child.collect { output, _ in output.contains(0x0A) })
      let text = try textAfterProgressElsewhere(of: child.pid, on: terminal, in: directory)
      #expect(!text.contains("\u{1B}"), "\(text)")
      let end = try shell("stty icanon <\"$1\"", terminal.nameText, in: directory).runBlocking()
      #expect(end.status == 0)
      #expect(terminal.collect { $0.contains("\r\u{1B}[J") })
      #expect(try child.finish().status == 0)
    }
  }

  @Test(
    "a run in the background writes no progress, and writes it once it is in the foreground",
    .enabled(if: isInstalled("setsid"), "setsid is not installed"))
  func background() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    try await onThread {
      let terminal = try Terminal()
      // A shell with job control on a terminal of its own; the run has the held input.
      let jobs = """
        "$0" hash a - <&3 2>"$1" & echo "pid $!"; read -r line; fg %1 >fg 2>&1
        """
      var command = run(
        "exec 3<&0; exec setsid -w -c sh -mc '\(jobs)' \"$0\" \"$1\" <\"$1\"", on: terminal,
        in: directory)
      command.input = .bytes(Array("x".utf8))
      let child = try Child(command, holdsInput: true)
      var pid: pid_t?
      #expect(
        child.collect { output, _ in
          // The line of the first file comes once signals are taken.
          let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
          let line = lines.first { $0.hasPrefix("pid ") }
          pid =
            output.last == 0x0A && lines.count == 2 ? line.flatMap { pid_t($0.dropFirst(4)) } : nil
          return pid != nil
        })
      let run = try #require(pid)
      let text = try textAfterProgressElsewhere(of: run, on: terminal, in: directory)
      #expect(!text.contains("\u{1B}"), "\(text)")
      try terminal.type("\n")
      #expect(terminal.collect { $0.contains("\r\u{1B}[J") })
      #expect(try child.finish().status == 0)
    }
  }

  @Test("an interrupt says what comes next, in lines that end between two words")
  func interrupt() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    try await onThread {
      let terminal = try Terminal(columns: 60)
      var command = run("exec \"$0\" hash --output M a - 2>\"$1\"", on: terminal, in: directory)
      command.input = .bytes(Array("x".utf8))
      let child = try Child(command, holdsInput: true)
      #expect(terminal.collect { $0.contains("\u{1B}[J") })
      kill(child.pid, SIGINT)
      let next =
        "finishing the open files, for at most 2 s; a second signal ends the process at once"
      #expect(terminal.collect { $0.replacing("\r\n  ", with: " ").contains(next) })
      #expect(terminal.collect { $0.contains("to continue:") && $0.hasSuffix("a -\r\n") })
      child.closeInput()
      _ = try child.finish()
      let lines = terminal.text.components(separatedBy: "\r\n").map {
        $0.components(separatedBy: "\u{1B}[J").last ?? ""
      }
      #expect(lines.allSatisfy { $0.count < 60 }, "\(lines)")
      #expect(terminal.text.contains("\r\n  weir hash --resume --output M a -\r\n"))
    }
  }

  @Test("FAILED has a color on a terminal, as --color, NO_COLOR and TERM say")
  func colors() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    try directory.write("\(String(repeating: "0", count: 64))  a\n", to: "M")
    let red = "a: \u{1B}[1;31mFAILED\u{1B}[0m"
    for (options, environment, isColored) in [
      ("", "TERM=xterm", true), ("", "TERM=xterm NO_COLOR=1", false), ("", "TERM=dumb", false),
      ("--color never", "TERM=xterm", false), ("--color=always", "TERM=dumb NO_COLOR=1", true),
    ] {
      try await onThread {
        let terminal = try Terminal()
        let script = "\(environment) exec \"$0\" check \(options) M >\"$1\" 2>\"$1\""
        let child = try Child(run(script, on: terminal, in: directory))
        let text = terminal.text(until: "did NOT match")
        #expect(try child.finish().status == 1)
        #expect(text.contains(red) == isColored, "\(options) \(environment): \(text)")
        #expect(text.contains("\u{1B}[1;31mWARNING\u{1B}[0m: 1 ") == isColored)
        #expect(isColored || text.hasPrefix("a: FAILED\r\n"))
      }
    }
    for (when, isColored) in [("auto", false), ("always", true)] {
      let result = try await weir("check", "--color", when, "M", in: directory).run()
      #expect(result.outputText == (isColored ? "\(red)\n" : "a: FAILED\n"))
    }
  }

  @Test("the summary has no lanes, which --verbose prints, and breaks between two words")
  func summary() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write("hello", to: name) }
    let plain = try await weir("hash", "--summary", "a", "b", "none", in: directory).run()
    let line = try #require(plain.errorLines.last)
    #expect(line.hasPrefix("weir: 2 files read, 1 could not be read; 10 B in "))
    #expect(line.hasSuffix(" files/s)") && line.count < 90, "\(line)")
    let verbose = try await weir("hash", "--verbose", "a", in: directory).run()
    #expect(verbose.errorText.contains("\nweir: used ") && verbose.errorText.contains(" lane"))
    try await onThread {
      let terminal = try Terminal(columns: 40)
      let child = try Child(
        run("exec \"$0\" hash --summary a b 2>\"$1\"", on: terminal, in: directory))
      let text = terminal.text(until: "files/s)")
      _ = try child.finish()
      let lines = text.components(separatedBy: "\r\n").dropLast()
      #expect(lines.count > 1 && lines.allSatisfy { $0.count < 40 })
      #expect(lines.joined(separator: " ").contains("2 files read; "))
    }
  }
}
