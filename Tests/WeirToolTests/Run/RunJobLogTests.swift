// weir run --joblog and --resume: a logged command has run, and does not run again.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct RunJobLogTests {
  /// Returns the numbers of the logged commands, which are in the order of their ends.
  private func logged(_ directory: TemporaryDirectory) -> [Int] {
    text(of: "L", in: directory).split(separator: "\n").dropFirst()
      .compactMap { $0.split(separator: "\t").first.flatMap { Int($0) } }
  }

  @Test("the log has the columns of GNU parallel, and a line for each command")
  func columns() async throws {
    let directory = try TemporaryDirectory()
    let script = "printf abc; exit $1"
    let result = try await weirRun(
      ["-j1", "--joblog", "L", "0", "3", "it's\n"], script, ["{#}"], in: directory
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
    // The command as a shell reads it.
    let odd = try await weir("run", "--joblog", "M", "it's\n", "--", "echo", in: directory).run()
    odd.expectSilence()
    let last = text(of: "M", in: directory).split(separator: "\t").last ?? ""
    #expect(last == "echo $'it\\'s\\012'\n")
  }

  @Test("a FIFO is refused as a log, since it keeps nothing")
  func fifo() async throws {
    let result = try await scripted("mkfifo L; $0 run --joblog L a -- touch {}; echo $?; ls")
    #expect(result.outputText == "2\nL\n")
    #expect(result.errorText == "weir: L: is a FIFO, which keeps no log; choose another name\n")
  }

  @Test("--resume continues, --resume-failed also repeats failed commands")
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
    #expect(refused.errorText == "weir: L: exists; continue it with --resume\n")
    #expect(numbers(in: "ran", of: directory) == [1, 2, 3])
    // The command failed, and fails again.
    let second = try await run(["--resume"], 5)
    #expect(second.status == 1 && numbers(in: "ran", of: directory) == [1, 2, 3, 4, 5])
    #expect(second.errorText == "weir: 2 commands run, 3 done before, 1 of these failed\n")
    #expect(try await run(["--resume-failed"], 6).status == 1)
    #expect(numbers(in: "ran", of: directory) == [1, 2, 3, 4, 5, 2, 6])
    #expect(logged(directory) == [1, 2, 3, 4, 5, 2, 6])
    // The two lines of item 2 are of one command.
    _ = try await weirRun(["--joblog", "L", "--resume", "2", "2"], script, in: directory).run()
    #expect(numbers(in: "ran", of: directory) == [1, 2, 3, 4, 5, 2, 6, 2])
  }

  @Test("a command that a signal has killed is a failed one")
  func killed() async throws {
    let directory = try TemporaryDirectory()
    _ = try await weirRun(["--joblog", "L", "a"], "kill -9 $$", in: directory).run()
    let again = try await weirRun(
      ["--joblog", "L", "--resume-failed", "a"], "echo again", in: directory
    ).run()
    #expect(again.status == 0 && again.outputText == "again\n")
  }

  @Test("--resume runs the added items, wherever they come, and no others")
  func additions() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "additions to runs")
    try directory.makeDirectory("d")
    // The next walk finds the files that the commands made.
    let script = "echo $1 >> ran; [ -e $1.new ] || : > $1.new"
    var ran: Set<String> = []
    var names = ["k"]
    for round in 0..<4 {
      for name in names { try directory.write("", to: "d/\(name)") }
      let options = ["-j3", "--joblog", "L", "--include", "*[a-z]", "--exclude", "*.new"]
      _ = try await weirRun(
        options + (round > 0 ? ["--resume"] : []) + ["d"], script, in: directory
      ).run().expectSilence()
      let all = text(of: "ran", in: directory).split(separator: "\n").map(String.init)
      ran.formUnion(names.map { "d/\($0)" })
      #expect(Set(all) == ran && all.count == ran.count, "round \(round)")
      names = (0..<5).map { _ in
        String(decoding: plainName(&random), as: UTF8.self) + "\(round)z"
      }
    }
    // Without the filter the new files are passed on, and the finished items are not.
    let last = try await weirRun(
      ["--joblog", "L", "--resume", "--summary", "d"], script, in: directory
    ).run()
    #expect(last.status == 0)
    #expect(last.errorText.hasPrefix("weir: \(ran.count) commands run, \(ran.count) done before;"))
  }

  @Test("a name that was chosen for the hash of a logged command runs")
  func collidingNames() async throws {
    let directory = try TemporaryDirectory()
    // `true -l` with the two names has one FNV-1a hash, but for the last bit.
    let names = ["t/ka1tdacjdf5we", "t/4tizf54mdnqcd"]
    try directory.makeDirectory("t")
    for name in names { try directory.write("", to: name) }
    func run(_ names: [String]) async throws -> String {
      let begin = ["run", "--joblog", "L", "--resume", "--summary"]
      let words = begin + names + ["--", "true", "-l"]
      return try await weir(words.map { Array($0.utf8) }, in: directory).run().errorText
    }
    #expect(try await run([names[0]]).hasPrefix("weir: 1 command run;"))
    #expect(try await run([names[1]]).hasPrefix("weir: 1 command run;"))
    #expect(try await run(names).hasPrefix("weir: 0 commands run, 2 done before;"))
  }

  @Test("an item that is listed twice runs twice, and is logged twice")
  func twice() async throws {
    let directory = try TemporaryDirectory()
    func run(_ option: String, _ items: String...) async throws -> Outcome {
      try await weirRun(
        ["-j1", "--joblog", "L", option, "--summary"] + items, "echo $1 >> ran; [ $1 != 2 ]",
        in: directory
      ).run()
    }
    _ = try await run("--resume", "1", "1", "2", "2")
    #expect(numbers(in: "ran", of: directory) == [1, 1, 2, 2])
    let more = try await run("--resume", "2", "1", "3", "1", "2", "1")
    #expect(more.errorText.hasPrefix("weir: 2 commands run, 4 done before, 2 of these failed;"))
    #expect(numbers(in: "ran", of: directory) == [1, 1, 2, 2, 3, 1])
    let failed = try await run("--resume-failed", "2", "1", "3", "1", "2", "1")
    let end = failed.errorLines.last ?? ""
    #expect(end.hasPrefix("weir: 2 commands run, 2 failed, 4 done before;"))
    // Any number is possible.
    let log = text(of: "L", in: directory)
    let far = log.replacing("\n1\t:", with: "\n18446744073709551615\t:")
    try directory.write(far, to: "L")
    let again = try await run("--resume", "1", "1", "1", "3")
    #expect(again.errorText.hasPrefix("weir: 0 commands run, 4 done before;"))
  }

  @Test("every command is recognised, whatever its items are")
  func anyItems() async throws {
    let directory = try TemporaryDirectory()
    let items = ["", " ", "'", "\\", "\n'\\1", "$'x'", "a b", "é.c", "-x", "x.png.png", "\u{7F}0"]
    try directory.write(items.map { $0 + "\0" }.joined(), to: "N")
    func run(_ words: [String], _ options: [String] = []) async throws -> Outcome {
      let begin = ["run", "--joblog", "L", "--resume", "--summary", "--files0-from", "N"]
      return try await weir(
        (begin + options + ["--", "true"] + words).map { Array($0.utf8) }, in: directory
      ).run()
    }
    let commands = [
      ["a", "{}", "b"], ["a", "{.}.png", "b"], ["{}"], ["x{}y{/}z", "{#}"], ["", "it's", "{//}"],
    ]
    for (options, count) in [([String](), items.count), (["-n4", "-j2"], 3)] {
      for words in commands {
        unlink(directory.text + "/L")
        _ = try await run(words, options)
        let again = try await run(words, options)
        #expect(
          again.errorText.hasPrefix("weir: 0 commands run, \(count) done before;"), "\(words)")
      }
    }
  }

  @Test("an incomplete line runs again; a file that is not a log stays unchanged")
  func damage() async throws {
    let directory = try TemporaryDirectory()
    let options = ["-j1", "--joblog", "L", "--resume", "1", "2", "3"]
    _ = try await weirRun(options, "echo $1 >> ran", in: directory).run().expectSilence()
    let whole = directory.content("L") ?? []
    #expect(logged(directory) == [1, 2, 3])
    for cut in [whole.count - 1, whole.count - 30, 60, 20, 0] {
      try directory.write(whole.prefix(cut), to: "L".utf8)
      _ = try await weirRun(options, "echo $1 >> ran", in: directory).run().expectSilence()
      #expect(logged(directory) == [1, 2, 3], "cut at \(cut)")
    }
    // No command ran: a mistyped command line can be typed again.
    unlink(directory.text + "/L")
    let mistyped = try await weir(
      "run", "--joblog", "L", "1", "--", "./not-there", in: directory
    ).run()
    #expect(mistyped.status == 2 && logged(directory) == [] && directory.content("L") != [])
    let correct = Array(options.filter { $0 != "--resume" })
    _ = try await weirRun(correct, "echo $1", in: directory).run().expectSilence()
    #expect(logged(directory) == [1, 2, 3])
    #expect(try await weirRun(correct, "echo never", in: directory).run().output.isEmpty)
    try directory.write("some text\nof mine\n", to: "L")
    let result = try await weirRun(options, "echo $1 >> ran", in: directory).run()
    #expect(result.status == 2 && result.errorText == "weir: L: is not a log of commands: line 1\n")
    #expect(text(of: "L", in: directory) == "some text\nof mine\n")
  }

  @Test("the trace cannot be the log, under any name")
  func trace() async throws {
    let directory = try TemporaryDirectory()
    for (log, trace) in [("L", "L"), ("L", "./L"), ("L", "link"), ("new", "new")] {
      try directory.write("mine\n", to: "L")
      if trace == "link" { try directory.link("link", to: "L") }
      let result = try await weirRun(
        ["--joblog", log, "--trace", trace, "a"], "echo never", in: directory
      ).run()
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(
        result.errorText
          == "weir: \(trace): is the file of --joblog; choose another one for --trace\n")
      #expect(text(of: "L", in: directory) == "mine\n")
    }
  }

  @Test("the output of the run cannot be the log", arguments: [">", "2>"])
  func output(redirection: String) async throws {
    let directory = try TemporaryDirectory()
    let script = "\"$0\" run --joblog L a -- echo \(redirection) L; echo $?"
    let result = try await shell(script, in: directory).run()
    let message = "weir: L: is the output of the run; choose another one for --joblog\n"
    #expect(result.outputText == "2\n")
    #expect(result.errorText + text(of: "L", in: directory) == message)
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
    #expect(second.status == 2 && second.errorText == "weir: L: another run is writing it\n")
    try directory.write("", to: "end")
    #expect(try await onThread { try child.finish(limit: 40) }.status == 0)
  }
}
