// weir run --joblog and --resume: what is logged was done, and is not done again.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct RunLogTests {
  private func logged(_ directory: TemporaryDirectory) -> [Int] {
    text(of: "L", in: directory).split(separator: "\n").dropFirst()
      .compactMap { $0.split(separator: "\t").first.flatMap { Int($0) } }
  }

  @Test("the log has the columns of parallel's, and a line for each command")
  func columns() async throws {
    let directory = try TemporaryDirectory()
    let script = "printf abc; exit $1"
    let result = try await weirRun(
      ["--joblog", "L", "0", "3", "it's\n"], script, ["{#}"], in: directory
    ).run()
    #expect(result.status == 1)
    let log = text(of: "L", in: directory)
    let lines = log.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
    #expect(
      lines[0] == [
        "Seq", "Host", "Starttime", "JobRuntime", "Send", "Receive", "Exitval", "Signal", "Command",
      ])
    for (number, line) in lines.dropFirst().enumerated() {
      #expect(line[0] == "\(number + 1)" && line[1] == ":" && line[5] == "3")
      #expect(line[6] == "\(number + 1)" && line[7] == "0" && line.count == 9)
      #expect(Double(line[2]) != nil && line[3].count == 10)
      #expect(line[8] == "sh -c 'printf abc; exit $1' sh \(number + 1)")
    }
    #expect(lines.count == 4 && log.hasSuffix("\n"))
    // What a shell would read.
    let odd = try await weir("run", "--joblog", "M", "it's\n", "--", "echo", in: directory).run()
    odd.expectSilence()
    let last = text(of: "M", in: directory).split(separator: "\t").last ?? ""
    #expect(last == "echo $'it\\'s\\012'\n")
  }

  @Test("--resume goes on, --resume-failed too with what failed")
  func resume() async throws {
    let directory = try TemporaryDirectory()
    let script = "echo $1 >> ran; [ $1 != 2 ] && [ ! -e fail$1 ]"
    func run(_ options: [String], _ count: Int) async throws -> Outcome {
      try writeNumbers(count, to: "N", in: directory)
      return try await weirRun(
        ["-j1", "--joblog", "L", "--files-from", "N"] + options, script, in: directory
      ).run()
    }
    #expect(try await run([], 3).status == 1)
    let refused = try await run([], 3)
    #expect(refused.status == 2)
    #expect(refused.errorText == "weir: L: is there already; --resume goes on with it\n")
    #expect(numbers(in: "ran", of: directory) == [1, 2, 3])
    // It has failed, and has not become better.
    let second = try await run(["--resume"], 5)
    #expect(second.status == 1 && numbers(in: "ran", of: directory) == [1, 2, 3, 4, 5])
    #expect(second.errorText == "weir: 2 commands run, 3 done before, 1 of these failed\n")
    #expect(try await run(["--resume-failed"], 6).status == 1)
    #expect(numbers(in: "ran", of: directory) == [1, 2, 3, 4, 5, 2, 6])
    #expect(logged(directory) == [1, 2, 3, 4, 5, 2, 6])
    let other = try await weirRun(
      ["--joblog", "L", "--resume", "--files-from", "N"], "echo never", in: directory
    ).run()
    #expect(other.status == 2 && other.output.isEmpty)
    #expect(other.errorText.hasPrefix("weir: L: has another command as number 1;"))
  }

  @Test("a line that was cut short is run again; what is no log stays as it is")
  func damage() async throws {
    let directory = try TemporaryDirectory()
    let options = ["--joblog", "L", "--resume", "1", "2", "3"]
    _ = try await weirRun(options, "echo $1 >> ran", in: directory).run().expectSilence()
    let whole = directory.content("L") ?? []
    #expect(logged(directory) == [1, 2, 3])
    for cut in [whole.count - 1, whole.count - 30, 60, 20, 0] {
      try directory.write(whole.prefix(cut), to: "L".utf8)
      _ = try await weirRun(options, "echo $1 >> ran", in: directory).run().expectSilence()
      #expect(logged(directory) == [1, 2, 3], "cut at \(cut)")
    }
    try directory.write("some text\nof mine\n", to: "L")
    let result = try await weirRun(options, "echo $1 >> ran", in: directory).run()
    #expect(result.status == 2 && result.errorText == "weir: L: is no log of commands: line 1\n")
    #expect(text(of: "L", in: directory) == "some text\nof mine\n")
  }

  @Test("two runs do not write one log")
  func lock() async throws {
    let directory = try TemporaryDirectory()
    let command = weirRun(
      ["--joblog", "L", "--ungroup", "a"], "echo; while [ ! -e end ]; do sleep 0.01; done",
      in: directory)
    let child = try await onThread { try Child(command) }
    #expect(try await onThread { child.collect(limit: 40) { output, _ in !output.isEmpty } })
    let second = try await weirRun(["--joblog", "L", "--resume", "a"], "echo", in: directory).run()
    #expect(second.status == 2 && second.errorText == "weir: L: another run writes to it\n")
    try directory.write("", to: "end")
    #expect(try await onThread { try child.finish(limit: 40) }.status == 0)
  }

  @Test("kill -9 at any moment: what is logged was run, and is not run again")
  func kills() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "kills of runs")
    let count = 400
    try writeNumbers(count, to: "N", in: directory)
    // Each writes behind the others, in one piece, and ends.
    let command = weirRun(
      ["-j3", "--joblog", "L", "--resume", "--files-from", "N"], "echo $1 >> ran; echo $1",
      in: directory)
    var kills = 0
    for _ in 0..<60 {
      let before = Set(logged(directory))
      let ranBefore = numbers(in: "ran", of: directory).count
      let wait = UInt32.random(in: 1000...300_000, using: &random)
      let isKilled = try await onThread {
        let child = try Child(command)
        usleep(wait)
        kill(child.pid, SIGKILL)
        return try child.finish(limit: 40).signal == SIGKILL
      }
      kills += isKilled ? 1 : 0
      let ran = numbers(in: "ran", of: directory)
      #expect(Set(ran).isSuperset(of: logged(directory)), "what is logged was run")
      #expect(before.isDisjoint(with: ran[ranBefore...]), "it was run again")
      if !isKilled { break }
    }
    #expect(try await command.run().status == 0)
    #expect(Set(logged(directory)) == Set(1...count) && logged(directory).count == count)
    #expect(kills > 2, "it was killed \(kills) times")
  }
}
