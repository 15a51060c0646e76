// weir check with mtree(5): entries that depend on directories, and incomplete checks.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct MtreeEntriesTests {
  // MARK: - Directories

  @Test(
    "the entries of a missing optional directory may be missing too, as in mtree(8)",
    arguments: [
      "./opt type=dir optional\n./opt/f type=file size=2\n./opt/d type=dir\n./opt/d/l type=link",
      "opt type=dir optional\n  f type=file size=2\n  d type=dir\n    l type=link\n  ..\n..\n..",
      "./opt type=dir optional\n./opt/d type=dir optional\n./opt/d/f type=file\n./opt/g type=file",
    ])
  func optional(lines: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("#mtree\n. type=dir\n\(lines)\n", to: "m")
    let result = try await weir("check", "m", in: directory).run()
    result.expectSilence()
    #expect(result.outputText == "")
    if isInstalled("mtree") {
      let theirs = try await other("mtree", words("-e", "-f", "m", "-p", "."), in: directory).run()
      #expect(!theirs.outputText.contains("opt/"))
    }
  }

  @Test("entries beside it, and entries of an existing one, may not be missing")
  func notOptional() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("here")
    let lines = [
      "#mtree", ". type=dir", "./opt type=dir optional", "./opt/f type=file", "./option type=file",
      "./here type=dir optional", "./here/f type=file", "./opt type=file", "./opt/g type=file",
    ]
    try directory.write(lines.joined(separator: "\n") + "\n", to: "m")
    let result = try await weir("check", "m", in: directory).run()
    #expect(result.status == 1)
    #expect(
      result.outputText == """
        ./option: FAILED (missing)
        ./here/f: FAILED (missing)
        ./opt: FAILED (missing)

        """)
  }

  @Test(
    "entries below a directory with a malformed line stay below it",
    arguments: ["type=dir size=x", "size=x type=dir", "type=dir what", "type=dir md5=0"])
  func malformedDirectory(words: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    for name in ["d/f", "g"] { try directory.write("xy", to: name) }
    try directory.write(
      "#mtree\n. type=dir\nd \(words)\n f type=file size=2\n..\ng type=file size=2\n..\n", to: "m")
    let result = try await weir("check", "m", in: directory).run()
    #expect(result.outputText == "./d/f: OK\n./g: OK\n" && result.status == 1)
    #expect(
      result.errorLines == [
        "weir: WARNING: 1 line is improperly formatted",
        "weir: WARNING: 2 listed files have no digest: the content was NOT verified",
      ])
  }

  // MARK: - Incomplete checks

  @Test(
    "a manifest with nothing to verify is reported as such, and not as malformed",
    arguments: [
      ("./gone type=file optional\n", "weir: m: nothing was verified\n", 1),
      ("./gone type=dir optional\n./gone/f size=1\n", "weir: m: nothing was verified\n", 1),
      ("./f type=file ignore\n", "weir: m: nothing was verified\n", 1),
      ("", "weir: m: nothing was verified\n", 1),
      (
        "./f ignore\n./f size=x\n",
        "weir: m: nothing was verified\nweir: WARNING: 1 line is improperly formatted\n", 1
      ),
      ("./f size=x\n", "weir: m: no properly formatted checksum lines found\n", 1),
      (
        "./f type=file rmd160=00\n",
        "weir: m: 2: rmd160 is not supported\nweir: WARNING: 1 line could not be verified\n", 3
      ),
    ])
  func nothing(lines: String, message: String, status: Int) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "f")
    try directory.write("#mtree\n\(lines)", to: "m")
    let result = try await weir("check", "m", in: directory).run()
    #expect(result.outputText == "")
    #expect(result.errorText == message && result.status == Int32(status))
  }

  @Test("files without a digest are counted, and differ under --strict")
  func undigested() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in ["a", "b", "c"] { try directory.write(name, to: "t/\(name)") }
    try await shell(
      "$0 hash --format mtree t >M && sed -i '/^..t.[ab] /s/ sha256=.*//' M && $0 plan --shards 1 -o P t",
      in: directory
    ).run().expectSilence()
    let usual = try await weir("check", "--summary", "M", in: directory).run()
    #expect(usual.status == 0 && usual.outputText == "t/a: OK\nt/b: OK\nt/c: OK\n")
    let warning = "weir: WARNING: 2 listed files have no digest: the content was NOT verified"
    #expect(usual.errorLines.first == warning)
    #expect(usual.errorText.contains("5 lines: 3 right (2 without a digest), 2 directories"))
    let strict = try await weir("check", "--strict", "M", in: directory).run()
    #expect(strict.status == 1 && strict.errorLines == [warning])
    let shard = try await weir(
      "check", "--plan", "P", "--shard", "0/1", "--out", "parts", "--strict", "M", in: directory
    ).run()
    #expect(shard.status == 1)
    let merged = try await weir("merge", "--plan", "P", "parts", in: directory).run()
    #expect(merged.status == 1 && merged.errorLines == [warning])
  }
}
