// weir run: failures, timeouts, retries and signals; no child is left behind.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct RunFailureTests {
  @Test("--timeout ends a command with all its children, and reports it")
  func timeout() async throws {
    let directory = try TemporaryDirectory()
    let marker = "987654.\(getpid())1"
    // Neither the command nor its child reacts to SIGTERM.
    let deaf = "trap '' TERM; sleep \(marker) & sleep \(marker)"
    // The command ends, and leaves a child that does not react.
    let left = "(trap '' TERM; exec sleep \(marker)) > /dev/null 2>&1 & wait"
    let script = """
      echo begun; case $1 in deaf) \(deaf);; slow) sleep \(marker);; left) \(left);; esac
      echo done
      """
    let result = try await weirRun(
      ["-j4", "--timeout", "0.3", "deaf", "slow", "left", "fast"], script, in: directory
    ).run()
    #expect(result.status == 1)
    #expect(result.outputText == "begun\nbegun\nbegun\nbegun\ndone\n")
    #expect(
      result.errorLines.prefix(2) == [
        "weir: deaf: sh was ended because it took more than 0.30 s",
        "weir: slow: sh was ended because it took more than 0.30 s",
      ])
    #expect(areGone(marker))
    let ungrouped = try await weirRun(
      ["--ungroup", "--timeout", "0.1s", "slow"], script, in: directory
    ).run()
    #expect(ungrouped.status == 1 && areGone(marker))
  }

  /// The process is out of reach, and holds the pipe.
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

  /// A read from the terminal would block: there is none.
  @Test("a command leads a session and a group of its own", arguments: [[], ["--ungroup"]])
  func session(_ options: [String]) async throws {
    let directory = try TemporaryDirectory()
    // The name contains no blank: "(sh)".
    let script = """
      read -r id name state parent group session rest </proc/$$/stat
      echo $id $group $session
      : </dev/tty
      """
    let result = try await weirRun(options + ["a"], script, in: directory).run()
    let ids = result.outputText.split(whereSeparator: \.isWhitespace)
    #expect(ids.count == 3 && Set(ids).count == 1, "\(result.outputText)")
    #expect(result.status == 1)
  }

  @Test("a command that was sent a signal is not done, even if it ends with 0")
  func endsWell() async throws {
    let directory = try TemporaryDirectory()
    let marker = "987654.\(getpid())8"
    let script = """
      trap 'exit 0' TERM; : > begun$1; [ -e again ] || { sleep \(marker) & wait; }; echo $1
      """
    let options = ["-j2", "--joblog", "L", "x", "y"]
    let command = weirRun(options, script, in: directory)
    let result = try await onThread {
      let child = try Child(command)
      for name in ["begunx", "beguny"] {
        eventuallyBlocking { directory.content(name) != nil }
      }
      kill(child.pid, SIGINT)
      return try child.finish(limit: 40)
    }
    #expect(result.signal == SIGINT && result.outputText.isEmpty)
    #expect(text(of: "L", in: directory).split(separator: "\n").count == 1)
    try directory.write("", to: "again")
    let resumed = try await weirRun(options + ["--resume"], script, in: directory).run()
    #expect(resumed.status == 0 && resumed.outputText == "x\ny\n")
    #expect(areGone(marker))
  }

  @Test("--retries runs failed commands again, and the last attempt counts")
  func retries() async throws {
    let directory = try TemporaryDirectory()
    let script = "echo x >> $1.runs; echo try $(wc -l < $1.runs); [ $(wc -l < $1.runs) -gt $2 ]"
    let table = [(0, 0, true), (2, 2, true), (3, 5, false)]
    for (retries, failures, isFine) in table {
      let name = "f\(failures)"
      let result = try await weirRun(
        ["--retries", "\(retries)", name], script, ["{}", "\(failures)"], in: directory
      ).run()
      #expect(result.status == (isFine ? 0 : 1))
      #expect(result.outputText == "try \(min(failures, retries) + 1)\n")
      if !isFine {
        #expect(result.errorLines.first == "weir: \(name): sh ended with status 1, 4 times")
      }
    }
  }

  @Test("--halt soon starts no more commands, --halt now also ends running ones")
  func halt() async throws {
    let directory = try TemporaryDirectory()
    let marker = "987654.\(getpid())2"
    try writeNumbers(200, to: "N", in: directory)
    // The second command fails while the first one runs.
    let script = """
      echo $1 >> ran; if [ $1 = 1 ]; then $2; fi; [ $1 -ne 2 ] && echo $1
      """
    let soon = try await weirRun(
      ["-j2", "--halt", "soon", "--files-from", "N"], script, ["{}", "sleep 0.5"], in: directory
    ).run()
    #expect(soon.status == 1 && soon.outputText.hasPrefix("1\n"))
    #expect(numbers(in: "ran", of: directory).count < 20)
    #expect(soon.errorText.contains("; stopped after the first failure"))
    let now = try await weirRun(
      ["-j2", "--halt", "now", "--files-from", "N"], script, ["{}", "sleep \(marker)"],
      in: directory
    ).run()
    #expect(now.status == 1 && !now.outputText.hasPrefix("1\n"))
    #expect(areGone(marker))
  }

  @Test("a signal leaves no child behind", arguments: [SIGINT, SIGTERM, SIGHUP])
  func interrupt(signal: Int32) async throws {
    let directory = try TemporaryDirectory()
    let marker = "987654.\(getpid())3"
    try writeNumbers(100, to: "N", in: directory)
    let script = "echo $1; [ $1 -lt 4 ] || { sleep \(marker) & sleep \(marker); }"
    let command = weirRun(
      ["-j3", "--files-from", "N", "--joblog", "L\(signal)"], script, in: directory)
    let result = try await onThread {
      let child = try Child(command)
      // The output of the fourth command, which runs: the others before it have ended.
      #expect(child.collect(limit: 40) { output, _ in output.count >= 8 })
      kill(child.pid, signal)
      return try child.finish(limit: 40)
    }
    #expect(result.signal == signal && result.outputText == "1\n2\n3\n4\n")
    #expect(result.errorText.contains("weir: interrupted: 3 commands run"), "\(result.errorText)")
    #expect(areGone(marker))
    // An interrupted command is not done.
    let log = text(of: "L\(signal)", in: directory).split(separator: "\n")
    #expect(log.dropFirst().map { $0.prefix(2) }.sorted() == ["1\t", "2\t", "3\t"])
  }

  @Test("after an interrupt, what had ended is written and logged, and does not run again")
  func endsAfterASlowCommand() async throws {
    let directory = try TemporaryDirectory()
    let marker = "987654.\(getpid())6"
    // The turn of the second command has come, and the later ones have ended.
    let script = "echo $1; [ $1 = 2 ] && sleep \(marker); [ $1 = 9 ]"
    let command = weirRun(
      ["-j2", "--joblog", "L", "1", "2", "3", "4", "5", "6", "7", "8", "9"], script, in: directory)
    let result = try await onThread {
      let child = try Child(command)
      eventuallyBlocking { text(of: "L", in: directory).contains("\n9\t") }
      kill(child.pid, SIGTERM)
      return try child.finish(limit: 40)
    }
    #expect(result.signal == SIGTERM)
    #expect(result.outputText == (1...9).map { "\($0)\n" }.joined())
    // The command of the message continues the run.
    let begin =
      "weir: interrupted: 8 commands run, 7 failed; L lists the finished commands; to continue: "
    let line = result.errorLines.first { $0.hasPrefix(begin) } ?? ""
    #expect(line.dropFirst(begin.count).hasPrefix("weir run --resume -j2 --joblog L 1 2 3 "))
    let log = text(of: "L", in: directory).split(separator: "\n")
    #expect(
      log.dropFirst().map { $0.prefix(1) }.sorted() == ["1", "3", "4", "5", "6", "7", "8", "9"])
    #expect(directory.content("L.waiting") == nil)
    #expect(areGone(marker))
    let typed = line.dropFirst(begin.count + "weir".count).replacing(marker, with: "0")
    let corrected = text(of: "L", in: directory).replacing(marker, with: "0")
    try directory.write(corrected, to: "L")
    let again = try await other(
      "/bin/sh", [Array("-c".utf8), Array("exec \"$0\" \(typed)".utf8), weirPath], in: directory
    ).run()
    #expect(again.outputText == "2\n", "\(typed)")
  }

  @Test("children that ignore a signal are ended all the same; a second signal does not wait")
  func deafChildren() async throws {
    let directory = try TemporaryDirectory()
    let marker = "987654.\(getpid())4"
    for signals in [1, 2] {
      let script = "trap '' TERM; echo; sleep \(marker); sleep \(marker)"
      let command = weirRun(["-j2", "--ungroup", "a", "b", "c"], script, in: directory)
      let result = try await onThread {
        let child = try Child(command)
        #expect(child.collect(limit: 40) { output, _ in output.count >= 2 })
        for _ in 0..<signals {
          kill(child.pid, SIGINT)
          usleep(50_000)
        }
        return try child.finish(limit: 40)
      }
      #expect(result.signal == SIGINT && !result.wasLate)
      let words =
        "weir: interrupted: ending the running commands; a second signal ends the process at once"
      #expect(signals == 2 || result.errorLines.contains(words), "\(result.errorText)")
      #expect(areGone(marker))
    }
  }

  @Test("a reader that closes the pipe ends the run and its children, silently")
  func brokenPipe() async throws {
    let marker = "987654.\(getpid())5"
    let script = """
      { "$0" run -j2 1 2 3 4 -- sh -c 'echo $1; [ $1 -lt 3 ] || sleep \(marker)' sh; echo $? >&2; } | :
      """
    let result = try await scripted(script)
    #expect(result.errorText == "141\n", "\(result.errorText)")
    #expect(areGone(marker))
  }
}
