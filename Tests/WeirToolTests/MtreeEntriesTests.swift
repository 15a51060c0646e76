// What the entries of a manifest of mtree(5) have to do with each other, and what is
// said where none of them could be verified, or not all.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct MtreeEntriesTests {
  // MARK: - Directories

  @Test(
    "what is in an optional directory that is not there may be missing too, as mtree(8) has it",
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

  @Test("what is beside it, and what is in one that is there, may not")
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
    "what is below a directory whose line is malformed stays there",
    arguments: ["type=dir size=x", "size=x type=dir", "type=dir what", "type=dir md5=0"])
  func malformedDirectory(words: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    for name in ["d/f", "g"] { try directory.write("xy", to: name) }
    try directory.write(
      "#mtree\n. type=dir\nd \(words)\n f type=file size=2\n..\ng type=file size=2\n..\n", to: "m")
    let result = try await weir("check", "m", in: directory).run()
    #expect(result.outputText == "./d/f: OK\n./g: OK\n" && result.status == 0)
    #expect(result.errorText == "weir: WARNING: 1 line is improperly formatted\n")
  }

  // MARK: - Nothing, and not all

  @Test(
    "where there was nothing to verify, it is said so, and not that it is malformed",
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

  @Test("a check that is cut short counts what it has said", arguments: ["text", "json"])
  func cutShort(format: String) async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write("xy", to: name) }
    let lines = [
      "#mtree", ". type=dir", "./a size=2", "./b size=1", "./gone size=1", "./a size=x",
      "#weir bare", "./- md5=5d41402abc4b2a76b9719d911017c592",
    ]
    // More than are ever ahead of the one that is waited for.
    let rest = String(repeating: "./a size=2\n./b size=2\n", count: 5000)
    try directory.write(lines.joined(separator: "\n") + "\n" + rest, to: "m")
    let format = ["--format", format].map { Array($0.utf8) }
    var command = weir(["check", "m"].map { Array($0.utf8) } + format, in: directory)
    command.input = .bytes([])
    let asked = command
    let result = try await onThread {
      let child = try Child(asked, holdsInput: true)
      // Not within #expect: Swift 6.3 takes the closure there, which is in a closure, and
      // the next one of its type for one.
      let hasBegun = child.collect(limit: 40) { output, _ in
        output.filter { $0 == 0x0A }.count >= 3
      }
      #expect(hasBegun)
      kill(child.pid, SIGTERM)
      // Where nothing is open, it is over by then.
      _ = child.collect(limit: 40) { _, errors in
        String(decoding: errors, as: UTF8.self).contains("finishing the open files")
      }
      child.closeInput()
      return try child.finish(limit: 40)
    }
    #expect(result.signal == SIGTERM)
    let said = Set(result.errorLines)
    for warning in [
      "1 line is improperly formatted", "1 listed file could not be read",
    ] { #expect(said.contains("weir: WARNING: \(warning)"), "\(said)") }
    #expect(said.contains { $0.hasSuffix("edited") })
    #expect(!result.errorText.contains("nothing was verified"))
    guard result.outputText.hasPrefix("{") else { return }
    let objects = try result.lines.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    }
    let statuses = objects.compactMap { $0["status"] as? String }
    let last = try #require(objects.last)
    #expect(last["type"] as? String == "summary" && last["complete"] as? Bool == false)
    for (status, name) in [("ok", "ok"), ("edited", "edited"), ("missing", "missing")] {
      #expect(last[name] as? Int == statuses.filter { $0 == status }.count)
    }
    #expect(last["malformed"] as? Int == 1)
  }
}
