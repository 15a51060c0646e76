// weir hash --output: records after gaps, obstacles to the output, and other arguments.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct OutputRecoveryTests {

  @Test("the output does not replace an input")
  func namedInput() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    for name in ["M", "M.mtree", "M.partial"] {
      try directory.write("a\n", to: name)
      for arguments in [
        ["-o", "./M", "--files-from", name], ["-o", "M", name, name],
        ["-o", "M", "--update", "\(directory.text)/\(name)"],
      ] {
        let result = try await weir(
          words("hash") + arguments.map { Array($0.utf8) }, in: directory
        ).run()
        #expect(result.status == 2)
        #expect(
          result.errorText.hasSuffix("\(name): is an input, and --output would replace it\n"))
        #expect(directory.content(name) == Array("a\n".utf8))
      }
      directory.removeOutput()
    }
  }

  @Test("the output among other names, as from the shell's *, is skipped")
  func namedAmongOthers() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    for _ in 0..<2 {
      let result = try await shell("\"$0\" hash --replace -o M *", in: directory).run()
      result.expectSilence()
      #expect(result.status == 0)
      #expect(directory.content("M") == (try await weir("hash", "a", in: directory).run()).output)
    }
  }

  @Test("a foreign file beside the output is reported and left unchanged")
  func foreign() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    let listing = try await weir("hash", "--format", "mtree", "a", in: directory).run().output
    for content in [Array("precious\n".utf8), listing] {
      for name in ["M.mtree", "M.partial", "M.partial.next", "M.partial.text"] {
        try directory.write(content, to: name.utf8)
        for options in [[], ["--resume"], ["--update"]] {
          let result = try await weir(
            words("hash", "-o", "M", "a") + options.map { Array($0.utf8) }, in: directory
          ).run()
          #expect(result.status == 2, "\(name) \(options)")
          #expect(
            result.errorText == "weir: \(name): was not written by weir and is left unchanged; "
              + "choose another name\n")
          #expect(directory.names(beginningWith: "M") == [name])
          #expect(directory.content(name) == content)
        }
        directory.removeOutput()
      }
    }
    // A foreign file that the run does not write does not matter.
    try directory.write("precious\n", to: "M.mtree")
    let result = try await weir("hash", "--format", "mtree", "-o", "M", "a", in: directory).run()
    result.expectSilence()
    #expect(directory.content("M.mtree") == Array("precious\n".utf8))
  }

  @Test("the trace cannot be the output")
  func trace() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    try directory.link("l", to: "M")
    for name in ["M", "./M.partial", "M.mtree", "\(directory.text)/M.partial.next", "l"] {
      let result = try await weir("hash", "-o", "M", "--trace", name, "a", in: directory).run()
      #expect(result.status == 2)
      #expect(
        result.errorText
          == "weir: \(name): is the file of --output; choose another one for --trace\n")
      #expect(directory.names(beginningWith: "M").isEmpty)
    }
  }

  /// Returns the last line of an update.
  private func update(_ arguments: [[UInt8]], in directory: TemporaryDirectory) async throws
    -> (summary: String, lines: [String])
  {
    let result = try await weir(
      words("hash", "--update", "--max-gone", "100%") + arguments, in: directory
    ).run()
    #expect(result.errorText.isEmpty)
    var lines = result.lines.map { String(decoding: $0, as: UTF8.self) }
    return (lines.popLast() ?? "", lines)
  }

  @Test("more arguments than fit the first line are recognized, or found by name")
  func manyArguments() async throws {
    let directory = try TemporaryDirectory()
    let names = (0..<1500).map { Array((String(repeating: "n", count: 50) + "\($0)").utf8) }
    for name in names { try directory.write([], to: name) }
    for options in [words("-o", "M"), words("--format", "mtree", "-o", "M")] {
      directory.removeOutput()
      let made = try await weir(words("hash") + options + names, in: directory).run()
      made.expectSilence()
      let same = try await update(options + names, in: directory)
      #expect(same.summary == "1,500 files not read, 0 read, 0 replaced, 0 new, 0 gone")
      let fewer = try await update(options + names.dropFirst(), in: directory)
      #expect(fewer.summary == "1,499 files not read, 0 read, 0 replaced, 0 new, 1 gone")
      let one = try await update(options + names.suffix(1), in: directory)
      #expect(one.summary == "1 file not read, 0 read, 0 replaced, 0 new, 1,499 gone")
    }
  }

  @Test(
    "a replaced output of another user keeps its mode, but gives no group or user more rights",
    .enabled(if: geteuid() == 0 && isInstalled("setpriv")))
  func otherOwner() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    try directory.setMode(".", 0o777)
    for (owner, mode, now) in [
      ("0:777", "660", "660 65534:777"), ("65534:777", "2660", "660 65534:777"),
      ("0:777", "604", "604 65534:777"), ("0:778", "660", "600 65534:65534"),
      ("65534:778", "664", "644 65534:65534"), ("0:778", "604", "600 65534:65534"),
    ] {
      let result = try await shell(
        """
        rm -f M*; echo > M; chown \(owner) M; chmod \(mode) M; umask 022
        setpriv --reuid 65534 --regid 65534 --groups 777 "$0" hash -o M a; stat -c '%a %u:%g' M M.mtree
        """, in: directory
      ).run()
      #expect(result.outputText == "\(now)\n\(now)\n", "\(owner) \(mode) \(result.errorText)")
    }
  }
}
