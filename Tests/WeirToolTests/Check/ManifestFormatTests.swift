// The format of a manifest: no name in it decides how its lines are read.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct ManifestFormatTests {
  private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  private func check(
    _ arguments: [String], input: [UInt8] = [], in directory: TemporaryDirectory
  ) async throws -> Outcome {
    var command = weir([Array("check".utf8)] + arguments.map { Array($0.utf8) }, in: directory)
    command.input = .bytes(input)
    return try await command.run()
  }

  @Test(
    "a digest of any length or prefix, or a tag, begins no line of mtree(5)",
    arguments: [
      "\(empty) ", "\\\(empty) ", "e3b0 ", "2e ", "XXH3_2d06800538d394c2 ", "deadbeef *",
      "DEADBEEF", "SHA256 (", "SHA256(", "{\"path\":{\"text\":\"", "4294967295 0",
    ])
  func beginning(line: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "a")
    try directory.write("changed", to: "b")
    let line = "\(line) x= size=0 type=file\n"
    try directory.write("\(line)\(ManifestFormatTests.empty)  b\n", to: "M")
    let result = try await check(["M"], in: directory)
    #expect(result.outputText.hasSuffix("b: FAILED\n") && result.status == 1)
  }

  @Test("lines that end with NUL, read as if they ended with newlines, are no success")
  func zero() async throws {
    for name in ["a\n#", "a\n\(ManifestFormatTests.empty)  a\nb"] {
      let directory = try TemporaryDirectory()
      try directory.makeDirectory("t")
      try directory.write("", to: "t/\(name)")
      try directory.write("", to: "t/a")
      try directory.write("x", to: "t/z")
      var command = weir("hash", "-z", "-C", "t", "--files0-from", "-", in: directory)
      command.input = .bytes(Array("\(name)\0a\0z\0".utf8))
      let manifest = try await command.run().output
      try directory.write("y", to: "t/z")
      let wrong = try await check(["-C", "t", "-"], input: manifest, in: directory)
      #expect(wrong.status == 1 && wrong.outputText.hasPrefix("a: OK\n"))
      #expect(wrong.errorText.contains("improperly formatted"))
      let right = try await check(
        ["-z", "--quiet", "-C", "t", "-"], input: manifest, in: directory)
      #expect(right.status == 1 && right.outputText == "z: FAILED\n")
    }
  }

  @Test("a comment before lines that end with NUL hides none of them")
  func comment() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "a")
    try directory.write("changed", to: "b")
    let manifest =
      "# made by hand\n\(ManifestFormatTests.empty)  b\0\(ManifestFormatTests.empty)  a\0"
    let result = try await check(["-z", "-"], input: Array(manifest.utf8), in: directory)
    #expect(result.status == 1 && result.outputText == "a: OK\n")
  }

  @Test("a first name that begins with a blank does not make the lines of md5 -r a success")
  func spacing() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", " a"] { try directory.write("", to: name) }
    try directory.write("changed", to: "b")
    let digest = ManifestFormatTests.empty
    try directory.write("\(digest)  a\n\(digest) b\n", to: "M")
    let result = try await check(["M"], in: directory)
    #expect(result.status == 1)
    #expect(result.errorText == "weir: WARNING: 1 line is improperly formatted\n")
    // The first line of another manifest decides for that one.
    try directory.write("\(digest) a\n", to: "one")
    try directory.write("\(digest)  a\n", to: "two")
    for names in [["one", "two"], ["two", "one"]] {
      let both = try await check(["--strict"] + names, in: directory)
      both.expectSilence()
      #expect(both.outputText == "a: OK\na: OK\n")
    }
  }

  @Test("a line of mtree(5) that cannot be read is a difference, also in a shard and its merge")
  func damaged() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in ["a", "b"] { try directory.write(name, to: "t/\(name)") }
    try await shell(
      "$0 hash --format mtree t >M && sed -i '/^..t.a /s/size=/sise/' M && $0 plan --shards 1 -o P t",
      in: directory
    ).run().expectSilence()
    let warning = "weir: WARNING: 1 line is improperly formatted"
    for options in [[], ["--ignore-missing"], ["--shard", "0/2"]] {
      let result = try await check(["--summary"] + options + ["M"], in: directory)
      #expect(result.status == 1 && result.errorLines.first == warning, "\(options)")
      #expect(result.errorText.contains("1 malformed"))
    }
    let shard = try await check(
      ["--plan", "P", "--shard", "0/1", "--out", "parts", "M"], in: directory)
    #expect(shard.status == 1)
    let merged = try await weir("merge", "--plan", "P", "parts", in: directory).run()
    #expect(merged.status == 1 && merged.errorLines == [warning])
    // In lines of checksum tools it is none with --lenient, as in GNU.
    let text = try await weir("hash", "t/a", in: directory).run().output
    let lenient = try await check(
      ["--lenient", "-"], input: text + Array("x\n".utf8), in: directory)
    #expect(lenient.status == 0 && lenient.errorLines == [warning])
  }
}
