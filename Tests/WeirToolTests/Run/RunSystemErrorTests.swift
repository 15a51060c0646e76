// weir run when a system call of its own fails: the command that is concerned fails, and all
// others are complete.

import Glibc
import TestSupport
import Testing

/// True if strace can make system calls fail here.
let canInject: Bool = {
  guard isInstalled("strace") else { return false }
  let command = Command(
    "strace", "-f", "-o", "/dev/null", "-e", "inject=sync:error=EIO:when=1", "true")
  let works = (try? command.runBlocking().status) == 0
  if !works { print("skipped: strace may not trace here") }
  return works
}()

@Suite(.enabled(if: canInject, "strace has to work"), .serialized, .timeLimit(.minutes(10)))
struct RunSystemErrorTests {
  private func run(
    injecting fault: String, _ arguments: [String], in directory: TemporaryDirectory
  ) -> Command {
    let call = fault.prefix { $0 != ":" }
    let begin = ["-f", "-o", "trace", "-e", "trace=\(call)", "-e", "inject=\(fault)"]
    var command = other(
      "strace",
      begin.map { Array($0.utf8) } + [weirPath] + (["run"] + arguments).map { Array($0.utf8) },
      in: directory)
    // Each command is traced: beside eight busy processes 150 of them took 30 s, alone 2.5 s.
    command.limit *= 4
    return command
  }

  // strace counts the calls of each thread, so the numbers are beyond those of a start.
  @Test(
    "an error of the system fails one command",
    arguments: [
      ("poll:error=ENOMEM:when=100", "Cannot allocate memory"),
      ("read:error=EIO:when=250", "Input/output error"),
      ("wait4:error=ECHILD:when=100", "No child processes"),
    ])
  func oneCommand(fault: String, reason: String) async throws {
    let directory = try TemporaryDirectory()
    let items = (1...150).map { "\($0)" }
    let result = try await run(
      injecting: fault, ["-j1", "--joblog", "L"] + items + ["--", "echo"], in: directory
    ).run()
    #expect(text(of: "trace", in: directory).contains("(INJECTED)"))
    #expect(result.status == 1)
    let lost = result.errorLines.first.map { String($0.dropFirst(6).prefix { $0 != ":" }) } ?? ""
    #expect(
      result.errorLines == [
        "weir: \(lost): echo was ended because its output or its status could not be read: "
          + reason,
        "weir: 150 commands run, 1 failed",
      ])
    // The output of the one may be cut.
    let written = Set(result.outputText.split(separator: "\n").map(String.init))
    #expect(written.isSuperset(of: Set(items).subtracting([lost])))
    let log = text(of: "L", in: directory).split(separator: "\n")
    #expect(log.count == 151)
    #expect(log.filter { $0.contains("\t-1\t0\techo \(lost)") }.count == 1)
  }

  @Test("a lack of descriptors in the child is an error after few attempts", arguments: ["", "x"])
  func descriptorsInChild(prefix: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    let program = prefix.isEmpty ? "echo" : "./{}"
    let result = try await run(
      injecting: "dup2:error=EMFILE", ["-j1", "a", "--", program], in: directory
    ).run()
    let failure =
      prefix.isEmpty
      ? "weir: echo: cannot be run: its output needs four descriptors, and fewer are free; use "
        + "--ungroup or raise ulimit -n"
      : "weir: a: ./a could not be started: Too many open files; use --ungroup or a smaller -j, "
        + "or raise ulimit -n"
    #expect(result.errorLines.first == failure)
    #expect(result.status == (prefix.isEmpty ? 2 : 1) && !result.wasLate)
    let attempts = text(of: "trace", in: directory).split(separator: "\n")
      .count { $0.contains("(INJECTED)") }
    #expect(attempts < 200, "\(attempts) attempts")
  }
}

@Suite(.timeLimit(.minutes(10)))
struct RunTimeoutTests {
  @Test("a command that ended in time has not timed out because another process writes on")
  func endedInTime() async throws {
    let directory = try TemporaryDirectory()
    let script = "echo run >> runs; (for i in $(seq 100); do echo x; sleep 0.2; done) & exit 0"
    let result = try await weirRun(
      ["--timeout", "4", "--retries", "2", "a"], script, in: directory
    ).run()
    result.expectSilence()
    #expect(text(of: "runs", in: directory) == "run\n")
    #expect(result.outputText.hasPrefix("x\n"))
  }
}
