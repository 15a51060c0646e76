// weir hash --output: the manifest appears complete or not at all, whatever fails.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct OutputFileTests {
  private func tree(_ files: Int, for test: String) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: test)
    try directory.fill("t", files: files, using: &random) { $0.name() }
    // Longer than a random name, which can be any.
    try directory.link("t/link to nowhere", to: "no where")
    return directory
  }

  @Test(
    "the manifest equals standard output byte for byte, and nothing is reported",
    arguments: [[], ["--tag"], ["-z"], ["-amd5,sha1"], ["-axxh3", "-j1"], ["--format", "mtree"]])
  func same(options: [String]) async throws {
    let directory = try tree(300, for: "same output")
    let arguments = options.map { Array($0.utf8) } + words("t", "t/link to nowhere/..")
    let expected = try await weir(words("hash") + arguments, in: directory).run()
    let result = try await weir(words("hash", "--output", "M") + arguments, in: directory).run()
    #expect(result.status == expected.status && result.output.isEmpty)
    #expect(result.errors == expected.errors)
    let isMtree = options.contains("mtree")
    var made = try #require(directory.content("M"))
    if isMtree {
      // Except comments for a later run.
      made =
        Array(
          made.split(separator: 0x0A).filter {
            !$0.starts(with: "#weir source".utf8) && !$0.starts(with: "#weir run".utf8)
          }
          .joined(separator: [0x0A])) + [0x0A]
    }
    #expect(made == expected.output)
    #expect(directory.names(beginningWith: "M") == (isMtree ? ["M"] : ["M", "M.mtree"]))
  }

  @Test("of two runs on one output, the second names the first and ends")
  func held() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    var command = weir("hash", "-o", "M", "a", "-", in: directory)
    command.input = .bytes(Array("hello".utf8))
    let asked = command
    let second = weir("hash", "-o", "M", "a", in: directory)
    let resumed = weir("hash", "-o", "M", "--resume", "a", in: directory)
    let (pid, results) = try await onThread {
      let child = try Child(asked, holdsInput: true)
      #expect(eventuallyBlocking { directory.content("M.partial")?.isEmpty == false })
      #expect(child.inquire { !$0.contains(", 1 B, ") })
      let results = [try second.runBlocking(), try resumed.runBlocking()]
      child.closeInput()
      #expect(try child.finish(limit: 40).status == 0)
      return (child.pid, results)
    }
    let tool = String(decoding: weirPath, as: UTF8.self)
    for result in results {
      #expect(result.status == 2)
      #expect(
        result.errorText
          == "weir: M.partial: another run is writing it: process \(pid), \(tool) hash -o M a -\n")
    }
    #expect(directory.names(beginningWith: "M.partial").isEmpty && directory.content("M") != nil)
  }

  @Test("works at ulimit -n 8", arguments: [["-j1"], ["-j4"]])
  func fewDescriptors(options: [String]) async throws {
    let directory = try tree(100, for: "few descriptors")
    // The shell has no descriptor left for a redirection.
    func hash(_ words: String) async throws -> Outcome {
      let jobs = options.joined(separator: " ")
      let script = "ulimit -n 8; exec \"$0\" hash -o M \(words) \(jobs) t"
      return try await shell(script, in: directory).run()
    }
    var report = ""
    for words in ["", "--resume", "--update", "--resume --update"] {
      if words.contains("--resume") {
        let records = try #require(directory.content("M.mtree"))
        let end = records[..<(records.count / 2)].lastIndex(of: 0x0A) ?? 0
        let begun = String(decoding: records[...end], as: UTF8.self)
          .replacing(" path=", with: words.contains("--update") ? " update=yes path=" : " path=")
        try directory.write(begun, to: "M.partial")
      }
      let result = try await hash(words)
      result.expectSilence()
      report = result.outputText
    }
    let expected = try await weir("hash", "t", in: directory).run()
    #expect(directory.content("M") == expected.output)
    #expect(report == "100 files not read, 0 read, 0 replaced, 0 new, 0 gone\n")
  }
}
