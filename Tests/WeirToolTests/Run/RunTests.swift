// weir run: each command runs once with its arguments, and outputs are whole and in order.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct RunTests {
  @Test("the output of commands is whole, in order, and on its stream", arguments: [1, 2, 9])
  func order(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    let count = 100
    try writeNumbers(count, to: "N", in: directory)
    // Some commands take longer, and some write more than a pipe takes.
    let script = """
      n=$(( ($1 * 7919) % 50 )); [ $n -eq 0 ] && n=3000
      [ $(( $1 % 13 )) -eq 0 ] && sleep 0.05
      seq -f "out $1 %g and some more of it so that it is long" 0 $((n-1))
      echo "err $1" >&2
      """
    let result = try await weirRun(["-j\(jobs)", "--files-from", "N"], script, in: directory).run()
    #expect(result.status == 0)
    var expected = ""
    for number in 1...count {
      let lines = number * 7919 % 50 == 0 ? 3000 : number * 7919 % 50
      for line in 0..<lines {
        expected += "out \(number) \(line) and some more of it so that it is long\n"
      }
    }
    #expect(difference(result.output, expected.utf8) == nil)
    #expect(result.errorLines == (1...count).map { "err \($0)" })
    let unordered = try await weirRun(
      ["-j\(jobs)", "--unordered", "--files-from", "N"], script, in: directory
    ).run()
    #expect(unordered.errorLines.sorted() == result.errorLines.sorted())
    #expect(unordered.lines.count == result.lines.count)
  }

  @Test("batches have every item once, in order, and fit the system's limit")
  func batches() async throws {
    let directory = try TemporaryDirectory()
    let long = String(repeating: "x", count: 200)
    let names = (1...3000).map { "\($0)\(long)" }
    try directory.write(names.map { "\($0)\n" }.joined(), to: "N")
    for most in [2, 7, 1000, 1_000_000] {
      let result = try await weirRun(
        ["-n", "\(most)", "--files-from", "N"], "echo $#; printf '%s\\n' \"$@\"", in: directory
      ).run()
      result.expectSilence()
      let lines = result.outputText.split(separator: "\n")
      #expect(lines.filter { $0.hasSuffix("x") }.elementsEqual(names.map { $0[...] }))
      let sizes = lines.compactMap { Int($0) }
      #expect(sizes.reduce(0, +) == names.count)
      #expect(sizes.allSatisfy { $0 <= most })
      // The arguments of one command take at most 128 KiB.
      let least = most < 500 ? most : 128 << 10 / (200 + 4 + 9 + 2) - 1
      #expect(sizes.dropLast().allSatisfy { $0 >= least }, "\(sizes)")
    }
    // The long items come last, so that an equal share of the items has too many of them.
    try directory.write(
      (1...3000).map { $0 < 2000 ? "x\n" : "\(names[$0 - 1])\n" }.joined(), to: "U")
    let uneven = try await weirRun(
      ["-j4", "-n", "1000000", "--files-from", "U"], "printf %s \"$*\" | wc -c", in: directory
    ).run()
    let bytes = uneven.outputText.split(separator: "\n").compactMap { Int($0) }
    #expect(bytes.count > 1 && bytes.allSatisfy { $0 < 128 << 10 }, "\(bytes)")
    // An item too long for a command is reported, and the others run.
    for count in [131_072, 140_000, 200_000] {
      let huge = String(repeating: "y", count: count)
      try directory.write("a\n\(huge)\nb\n", to: "H")
      let result = try await weirRun(["--files-from", "H"], "echo $1", in: directory).run()
      #expect(result.outputText == "a\nb\n" && result.status == 3)
      #expect(result.errorLines.first?.hasSuffix("yyy: Argument list too long") == true)
    }
  }

  @Test("items are bytes; no file is examined, and a leading dash is kept")
  func items() async throws {
    let directory = try TemporaryDirectory()
    let items: [[UInt8]] = [
      Array("-rf".utf8), Array("no such".utf8), [0xFF, 0x0A, 0x27], [], Array("--".utf8),
      Array("a\\b\t".utf8), Array("-".utf8), Array("/".utf8), Array("{}".utf8),
    ]
    try directory.write(items.flatMap { $0 + [0] }, to: "N".utf8)
    let script = "printf '%s\\0' \"$@\""
    let result = try await weirRun(["--files0-from", "N"], script, in: directory).run()
    result.expectSilence()
    #expect(result.output == items.flatMap { $0 + [0] })
    var piped = weirRun(["--files0-from", "-"], script, in: directory)
    piped.input = .bytes(items.flatMap { $0 + [0] })
    #expect(try await piped.run().output == result.output)
    // As PATHs that are not directories.
    let paths = items.filter { $0.first != UInt8(ascii: "-") && $0 != Array("/".utf8) }
    let named = try await weir(
      words("run") + paths + words("--", "printf", "%s\\0"), in: directory
    ).run()
    #expect(named.output == paths.flatMap { $0 + [0] })
  }

  @Test("a directory is walked as by weir hash")
  func walk() async throws {
    var random = SeededGenerator(for: "run walks")
    let directory = try TemporaryDirectory()
    try directory.fill("t", files: 200, using: &random)
    try directory.makeFIFO("t/fifo")
    try directory.link("t/link", to: "..")
    for options in [[], ["--max-depth", "1"], ["--exclude", "*a*", "--include", "*b*"]] {
      let hashed = try await weir(
        (["hash", "-z"] + options + ["t"]).map { Array($0.utf8) }, in: directory
      )
      .run()
      let result = try await weirRun(
        options + ["-n50", "t"], "printf '%s\\0' \"$@\"", ["{}"], in: directory
      )
      .run()
      var names: [UInt8] = []
      for line in hashed.output.split(separator: 0) { names += line.dropFirst(66) + [0] }
      #expect(difference(result.output, names) == nil)
      #expect(result.errorLines.first == hashed.errorLines.first)
      #expect(result.status == 0)
    }
    try directory.makeDirectory("closed")
    try directory.setMode("closed", 0)
    if geteuid() != 0 {
      let result = try await weir("run", "closed", "x", "--", "echo", in: directory).run()
      #expect(result.status == 3 && result.outputText == "x\n")
      #expect(result.errorLines.first == "weir: closed: Permission denied")
    }
  }

  @Test("the exit status follows from the commands")
  func statuses() async throws {
    let directory = try TemporaryDirectory()
    let table: [([String], Int32, String)] = [
      (["a", "--", "true"], 0, ""),
      (["a", "b", "--", "false"], 1, "weir: a: false ended with status 1"),
      (
        ["-n2", "-j1", "a", "b", "--", "false"], 1, "weir: a and 1 other: false ended with status 1"
      ),
      (["a", "--", "sh", "-c", "kill -9 $$"], 1, "weir: a: sh was ended by signal 9 (Killed)"),
      (["a", "b", "--", "weir no such"], 2, "weir: 'weir no such': cannot be run: No such file"),
      (["a", "--", "/"], 2, "weir: /: cannot be run: Permission denied"),
      (["/weir/no", "--", "{}"], 1, "weir: /weir/no: /weir/no could not be started: No such file"),
      (["a", "--files-from", "no", "--", "true"], 2, "weir: no: No such file"),
      (["--files-from", ".", "--", "true"], 3, "weir: .: Is a directory"),
      (["--files-from", ".", "a", "--", "false"], 1, "weir: .: Is a directory"),
      (["a"], 2, "weir: no command is given"),
      (["a", "--"], 2, "weir: no command is given"),
      (["--", "true"], 2, "weir: no input is given"),
      (["a", "--", ""], 2, "weir: the command is an empty word"),
      (["-n", "2", "a", "--", "{}"], 2, "weir: with -n the program itself"),
      (["--resume", "a", "--", "true"], 2, "weir: --resume needs --joblog"),
      (["--timeout", "x", "a", "--", "true"], 2, "weir: --timeout takes a time"),
      (["--timeout", "0", "a", "--", "true"], 2, "weir: --timeout takes a time"),
      (["--halt", "later", "a", "--", "true"], 2, "weir: --halt takes never, soon or now"),
      (
        ["--ungroup", "--format", "json", "a", "--", "true"], 2,
        "weir: --ungroup cannot be combined"
      ),
      (["-n0", "a", "--", "true"], 2, "weir: --max-args takes a number of at least 1"),
    ]
    for (arguments, status, message) in table {
      let result = try await weir((["run"] + arguments).map { Array($0.utf8) }, in: directory).run()
      #expect(result.status == status, "\(arguments): \(result.errorText)")
      #expect(
        (result.errorLines.first ?? "").hasPrefix(message), "\(arguments): \(result.errorText)")
      let mentions = result.errorLines.filter { $0.contains("cannot be run") }
      #expect(mentions.count <= 1, "it is reported once")
    }
  }

  @Test("a command starts with default signals and descriptors")
  func surroundings() async throws {
    let directory = try TemporaryDirectory()
    let script = """
      sed -n 's/^Sig[BIC][lg][knt]:.//p' /proc/self/status; readlink /proc/self/fd/0
      ls /proc/self/fd | wc -l; ulimit -n; [ $(ps -o pgid= $$) -eq $$ ] && echo leads
      """
    let plain = try await shell("ulimit -n", in: directory).run().outputText
    let result = try await shell(
      "trap '' INT PIPE; exec \"$0\" run -j3 a b c -- sh -c \"$1\"", script, in: directory
    ).run()
    #expect(result.status == 0, "\(result.errorText)")
    let zeros = String(repeating: "0", count: 16)
    // Its three, and the one by which ls reads the directory.
    let one = [zeros, zeros, zeros, "/dev/null", "4", String(plain.dropLast()), "leads"]
    #expect(result.outputText.split(separator: "\n").map(String.init) == one + one + one)
  }

  @Test("--ungroup lets commands write directly")
  func ungrouped() async throws {
    let directory = try TemporaryDirectory()
    let result = try await weirRun(
      ["-j2", "--ungroup", "1", "2"], "echo $1; echo $1 >&2", in: directory
    ).run()
    #expect(result.status == 0)
    #expect(result.outputText.split(separator: "\n").sorted() == ["1", "2"])
    // Either command may come first.
    #expect(result.errorLines.sorted() == ["1", "2"])
    let failed = try await weir("run", "--ungroup", "a", "--", "false", in: directory).run()
    #expect(failed.status == 1 && failed.errorLines.count == 2)
  }

  @Test("few descriptors are enough", arguments: [8, 16, 33])
  func limits(limit: Int) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for number in 100..<300 { try directory.write("x", to: "t/\(number)") }
    let script =
      "ulimit -n \(limit); exec \"$0\" run -j20 --joblog L t -- echo"
    let result = try await shell(script, in: directory).run()
    let expected = (100..<300).map { "t/\($0)" }
    #expect(result.status == 0)
    #expect(result.outputText.split(separator: "\n").map(String.init) == expected)
    #expect(result.errorText.isEmpty)
  }

  @Test("if the pipes of one command are too many, the message names the remedy, and it works")
  func tooFewDescriptors() async throws {
    let directory = try TemporaryDirectory()
    try writeNumbers(20, to: "N", in: directory)
    // A shell at its limit has no descriptor for a redirection: standard input comes first.
    for (words, works) in [
      ("--files-from N", false), ("--files-from N --ungroup", true), ("--files-from -", true),
    ] {
      let script = """
        exec <N; ulimit -n 8; rm -f L
        exec "$0" run -j1 --joblog L \(words) -- echo
        """
      let result = try await shell(script, in: directory).run()
      #expect(result.status == (works ? 0 : 2), "\(words)")
      #expect(result.outputText == (works ? (1...20).map { "\($0)\n" }.joined() : ""), "\(words)")
      #expect(
        result.errorLines
          == (works
            ? []
            : [
              "weir: echo: cannot be run: its output needs four descriptors, and fewer are free; "
                + "use --ungroup or raise ulimit -n"
            ]),
        "\(words)")
    }
  }

  @Test("output that waits does not fill memory, and leaves no file")
  func memory() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("tmp")
    // The first command holds back the others.
    let script = """
      export TMPDIR=tmp; exec "$0" run -j4 a b c d e l -- sh -c '
      [ $1 = a ] && sleep 0.5; [ $1 = l ] && grep VmHWM /proc/$PPID/status
      head -c 9000000 /dev/zero' sh
      """
    let result = try await shell(script, in: directory).run()
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.output.count { $0 == 0 } == 6 * 9_000_000)
    let peak = result.output.split(separator: 0).last { $0.starts(with: "VmHWM".utf8) } ?? []
    let kilobytes = String(decoding: peak, as: UTF8.self).split(separator: " ").compactMap {
      Int($0)
    }
    #expect((kilobytes.first ?? .max) < 64 << 10)
    #expect(try await shell("ls -A tmp", in: directory).run().output.isEmpty)
    let nowhere = try await shell(
      "TMPDIR=none \"$0\" run --retries 1 a -- head -c 200000 /dev/zero -- ", in: directory
    )
    .run()
    #expect(
      nowhere.status == 2 && nowhere.errorText.contains("none: cannot hold the output of commands"))
  }

  @Test("a walk skips the files that weir writes: the log, the trace, its output")
  func ownFiles() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("b")
    for name in ["a", "b/c", "d", "b/out"] { try directory.write("x", to: name) }
    // A second name of the output is the output.
    try #require(link(directory.text + "/b/out", directory.text + "/b/two") == 0)
    let script = """
      exec "$0" run -j2 --joblog b/L --trace T --summary "$@" . -- echo > b/out 2> err
      """
    for options in [[String](), ["--follow"]] {
      unlink(directory.text + "/b/L")
      let words = [Array("-c".utf8), Array(script.utf8), weirPath]
      let shell = other("/bin/sh", words + options.map { Array($0.utf8) }, in: directory)
      #expect(try await shell.run().status == 0)
      #expect(text(of: "b/out", in: directory) == "./a\n./b/c\n./d\n")
      #expect(text(of: "err", in: directory).contains("3 commands run, the output skipped;"))
    }
  }

  @Test("--placeholder: another text stands for the item, and {} for itself")
  func placeholder() async throws {
    let directory = try TemporaryDirectory()
    let table: [(String, [String], String)] = [
      ("@", ["s/interface{}/@/", "{/}", "{#}"], "s/interface{}/a/b.c/ {/} {#}"),
      ("[]", ["[]", "[/]", "[//]", "[.]", "[/.]", "[#]", "{}"], "a/b.c b.c a a/b b 1 {}"),
      ("@@", ["x@@", "@/@", "@"], "xa/b.c b.c @"),
      ("%1", ["{{.}}"], "{{.}} a/b.c"),
      ("{}", ["{/}"], "b.c"),
    ]
    for (text, words, expected) in table {
      let result = try await weir(
        (["run", "--placeholder", text, "a/b.c", "--", "echo"] + words).map { Array($0.utf8) },
        in: directory
      ).run()
      #expect(result.outputText == expected + "\n", "\(text)")
    }
    let empty = try await weir(
      "run", "--placeholder", "", "a", "--", "echo", in: directory
    ).run()
    #expect(empty.status == 2)
    #expect(empty.errorText.hasPrefix("weir: --placeholder takes a text that is not empty"))
  }

  @Test("-n gives each command a share if there are fewer items than the commands at once take")
  func shares() async throws {
    let directory = try TemporaryDirectory()
    let table: [(items: Int, most: Int, jobs: Int, sizes: [Int])] = [
      (20, 1000, 4, [5, 5, 5, 5]), (21, 1000, 4, [6, 6, 6, 3]), (3, 10, 4, [1, 1, 1]),
      (20, 5, 4, [5, 5, 5, 5]), (21, 5, 4, [5, 5, 5, 5, 1]), (12, 5, 1, [5, 5, 2]),
    ]
    for row in table {
      try writeNumbers(row.items, to: "N", in: directory)
      for options in [["--files-from", "N"], ["--joblog", "L", "--files-from", "-"]] {
        var command = weirRun(
          ["-n\(row.most)", "-j\(row.jobs)"] + options, "echo $#", in: directory)
        command.input = .file(directory.path("N"), O_RDONLY)
        let result = try await command.run()
        #expect(result.outputText == row.sizes.map { "\($0)\n" }.joined(), "\(row)")
      }
      unlink(directory.text + "/L")
    }
  }

  @Test("-n does not wait for more items than one command takes")
  func slowItems() async throws {
    let directory = try TemporaryDirectory()
    var command = weirRun(["-n2", "-j4", "--files-from", "-"], "echo $*", in: directory)
    command.input = .bytes(Array("1\n2\n".utf8))
    let result = try await onThread { [command] in
      let child = try Child(command, holdsInput: true)
      #expect(
        child.collect(limit: 40) { output, _ in
          String(decoding: output, as: UTF8.self) == "1 2\n"
        })
      return try child.finish(limit: 40)
    }
    #expect(result.status == 0 && result.outputText == "1 2\n")
  }

  @Test("--dry-run prints what a shell would run, and runs nothing")
  func dry() async throws {
    let directory = try TemporaryDirectory()
    let items = ["a", "it's", "", "b c", "$x", "\n'\\1", "é", "-e", "x=y", "\u{7F}", "*", "~"]
    try directory.write(items.map { $0 + "\0" }.joined(), to: "N")
    for options in [[String](), ["-n5", "-j2"]] {
      let words =
        ["run", "--files0-from", "N"] + options + ["--dry-run", "--", "printf", "<%s>", "{}"]
      let result = try await weir(words.map { Array($0.utf8) }, in: directory).run()
      result.expectSilence()
      try directory.write(result.outputText, to: "script")
      let printed = try await other(
        "/bin/sh", [Array("script".utf8)], in: directory
      ).run().outputText
      #expect(printed == items.map { "<\($0)>" }.joined())
    }
    let ran = try await weirRun(["-j1", "--joblog", "L", "1", "2"], "exit $1", in: directory).run()
    #expect(ran.status == 1)
    let log = text(of: "L", in: directory)
    for (option, expected) in [("--resume", ["3"]), ("--resume-failed", ["1", "2", "3"])] {
      let dry = try await weirRun(
        ["--dry-run", "--joblog", "L", option, "1", "2", "3"], "exit $1", in: directory
      ).run()
      #expect(dry.outputText == expected.map { "sh -c 'exit $1' sh \($0)\n" }.joined())
      #expect(text(of: "L", in: directory) == log)
    }
    _ = try await weirRun(["--dry-run", "--joblog", "M", "1"], "exit $1", in: directory).run()
    #expect(directory.content("M") == nil)
  }
}
