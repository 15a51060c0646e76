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
}
