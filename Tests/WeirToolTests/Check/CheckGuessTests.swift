// Lines of 64 digits without an algorithm: SHA-256 or BLAKE3.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: isInstalled("b3sum")))
struct CheckGuessTests {
  private let directory: TemporaryDirectory
  private let sha: String
  private let blake: String

  init() async throws {
    directory = try TemporaryDirectory()
    for name in ["a", "b", "c", "d"] { try directory.write("content of \(name)", to: name) }
    sha = try await other("sha256sum", words("a", "b"), in: directory).run().outputText
    blake = try await other("b3sum", words("c", "d"), in: directory).run().outputText
  }

  private func check(_ arguments: String...) async throws -> Outcome {
    try await weir([Array("check".utf8)] + arguments.map { Array($0.utf8) }, in: directory).run()
  }

  @Test("a line matches by either digest, alone or mixed, on any number of lanes")
  func either() async throws {
    for (manifest, lines) in [(sha, 2), (blake, 2), (sha + blake + sha, 6), (blake + sha, 4)] {
      for name in ["M", "B3SUMS", "list.b3"] {
        try directory.write(manifest, to: name)
        for jobs in ["1", "4"] {
          let result = try await check("-j", jobs, name)
          result.expectSilence()
          #expect(result.lines.count == lines)
          #expect(result.lines.allSatisfy { $0.suffix(4).elementsEqual(": OK".utf8) })
        }
      }
    }
    var command = weir("check", in: directory)
    command.input = .bytes(Array((blake + sha).utf8))
    let result = try await command.run()
    result.expectSilence()
    #expect(result.lines.count == 4)
  }

  @Test("-a allows no other algorithm")
  func given() async throws {
    try directory.write(sha + blake, to: "M")
    for (algorithm, wrong) in [("sha256", ["c", "d"]), ("blake3", ["a", "b"])] {
      let result = try await check("--quiet", "-a", algorithm, "M")
      #expect(result.status == 1)
      #expect(
        result.lines.map { String(decoding: $0, as: UTF8.self) } == wrong.map { "\($0): FAILED" })
    }
    try await check("--quiet", "-a", "sha256,blake3", "M").expectSilence()
  }

  @Test("the summary and the JSON tell by which algorithm a line matched")
  func told() async throws {
    try directory.write(sha + blake, to: "M")
    let result = try await check("--quiet", "--summary", "M")
    #expect(result.status == 0)
    #expect(
      result.errorText.contains(
        "weir: 4 lines: 4 right (2 by BLAKE3, as their files show); "))
    let json = try await check("--format", "json", "M").outputText
    let lines = json.split(separator: "\n").filter { $0.contains("\"type\":\"file\"") }
    let found = lines.map { line in
      line.contains("\"algorithm\":\"sha256\"")
        ? "sha256" : line.contains("\"algorithm\":\"blake3\"") ? "blake3" : "none"
    }
    #expect(found == ["sha256", "sha256", "blake3", "blake3"])
    // A tagged line names its algorithm: there is nothing to tell.
    let tagged = try await weir("hash", "-a", "blake3", "c", in: directory).run().output
    try directory.write(tagged, to: "T".utf8)
    let named = try await check("--summary", "T")
    #expect(!named.errorText.contains("by BLAKE3"))
    #expect(try await !check("--format", "json", "T").outputText.contains("algorithm"))
  }

  @Test("names of one file take no digest over by the wrong algorithm")
  func links() async throws {
    for name in ["c1", "c2", "c3"] {
      try await other("ln", words("c", name), in: directory).run().expectSilence()
    }
    let line = blake.prefix(64)
    try directory.write(["c", "c1", "c2", "c3"].map { "\(line)  \($0)\n" }.joined(), to: "M")
    for jobs in ["1", "3"] {
      let result = try await check("-j", jobs, "M")
      result.expectSilence()
      #expect(result.lines.count == 4)
    }
  }

  @Test("an audit finds moved files of either digest, whatever the other lines and the name are")
  func movedByEither() async throws {
    let result = try await shell(
      """
      mkdir t; mv a b c d t; cd t; sha256sum a b > ../S; b3sum c d > ../M; cat ../S ../M > ../B3SUMS
      for f in *; do mv $f new-$f; done; cd ..
      for m in S M B3SUMS; do "$0" check --audit t $m; done
      """, in: directory
    ).run()
    func moves(_ names: String...) -> String {
      names.map { "\($0): moved to new-\($0)\n" }.joined()
    }
    func new(_ names: String...) -> String { names.map { "new-\($0): new\n" }.joined() }
    #expect(
      result.outputText == new("c", "d") + moves("a", "b") + new("a", "b") + moves("c", "d")
        + moves("a", "b", "c", "d"))
  }
}
