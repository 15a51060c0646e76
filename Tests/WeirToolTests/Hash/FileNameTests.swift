// Names are bytes, from the arguments to the output; messages quote them as GNU tools do.

import TestSupport
import Testing

@Suite(.enabled(if: hasOracle), .serialized, .timeLimit(.minutes(10)))
struct FileNameTests {
  @Test("three hundred random names, as arguments and in a tree", arguments: ["C", "C.UTF-8"])
  func randomNames(locale: String) async throws {
    var random = SeededGenerator(for: "names")
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("tree")
    var names = random.names(300)
    for name in names { try directory.write(random.bytes(20), to: Array("tree/".utf8) + name) }
    let paths = names.map { Array("tree/".utf8) + $0 }
    let oracle = try await other("sha256sum", words("--") + paths, in: directory).run()
    try #require(oracle.status == 0)

    var command = weir(words("hash", "tree"), in: directory)
    command.locale = locale
    let walked = try await command.run()
    walked.expectSilence()
    #expect(difference(walked.output, oracle.output) == nil)

    names.shuffle(using: &random)
    var inside = weir(words("hash", "--") + names, in: directory)
    inside.directory = directory.path("tree")
    inside.locale = locale
    let named = try await inside.run()
    var theirs = other("sha256sum", words("--") + names, in: directory)
    theirs.directory = inside.directory
    named.expectSilence()
    let expected = try await theirs.run().output
    #expect(difference(named.output, expected) == nil)

    var check = other("sha256sum", words("-c", "--quiet", "--strict"), in: directory)
    check.input = .bytes(walked.output)
    try await check.run().expectSilence()
  }

  @Test(
    "two thousand random names survive hash and check",
    arguments: [["-a", "sha256"], ["--tag"], ["--zero"], ["--tag", "--zero"]])
  func roundTrip(options: [String]) async throws {
    var random = SeededGenerator(for: "round trip")
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("tree")
    let names = random.names(2000)
    for name in names { try directory.write(name, to: Array("tree/".utf8) + name) }
    let result = try await weir(
      words("hash", "tree") + options.map { Array($0.utf8) }, in: directory
    ).run()
    result.expectSilence()
    if options.contains("--zero") {
      // sha256sum writes these names, but cannot check them.
      var command = other(
        "sha256sum", options.map { Array($0.utf8) } + words("--") + names, in: directory)
      command.directory = directory.path("tree")
      var ours = weir(
        words("hash") + options.map { Array($0.utf8) } + words("--") + names, in: directory)
      ours.directory = command.directory
      #expect(difference(try await ours.run().output, try await command.run().output) == nil)
      return
    }
    #expect(result.lines.count == names.count)
    try directory.write(result.output, to: "manifest".utf8)
    let check = other("sha256sum", words("-c", "--quiet", "--strict", "manifest"), in: directory)
    try await check.run().expectSilence()
  }

  /// Names that are difficult to quote, besides random ones.
  static let awkward: [[UInt8]] =
    [
      "it's", "a b", "~", "~a", "a~", "#x", "x#", "{", "}", "{}", "{a", "a}", "a=b", "", "'", "''",
      "\"", "a'\nb", "'#", "#'", "~'", "'{", "a'b c", "a'=", "a:b", ":'", "'\"", "'$", "'\\", "?",
      "'?", "é'", "'é", "\u{A0}", "\u{200B}", "\u{2028}'", "a\u{301}", "\u{10FF80}", "\u{10FFFF}'",
      "--", "--help", "--version", "-x", "x\n\t'\u{1}", "\u{1}a'\u{1}", "\n'", "'\n", "\n\n",
    ].map { Array($0.utf8) } + [
      [0xC3], [0xC3, 0x27], [0x61, 0xC3, 0x62], [0xE2, 0x82], [0xE2, 0x82, 0xAC, 0xFF],
      [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80, 0x27], [0x27, 0xFF],
    ]

  @Test("messages quote names as GNU tools do", arguments: ["C", "C.UTF-8"])
  func quoting(locale: String) async throws {
    var random = SeededGenerator(for: "quoting")
    let directory = try TemporaryDirectory()  // empty: no name is there
    let singles: [[UInt8]] = (1...255).filter { ![0x2D, 0x2E, 0x2F].contains($0) }.map { [$0] }
    let names = singles + FileNameTests.awkward + (0..<1500).map { _ in random.name() }
    var ours = weir(words("hash", "--") + names, in: directory)
    var theirs = other("sha256sum", words("--") + names, in: directory)
    ours.locale = locale
    theirs.locale = locale
    let said = try await ours.run()
    let expected = try await theirs.run()
    #expect(said.status == 3 && expected.status == 1)
    let lines = said.errors.split(separator: 0x0A)
    let expectedLines = expected.errors.split(separator: 0x0A)
    try #require(expectedLines.count == names.count)
    #expect(lines.count == names.count + 1)  // the last is the count
    for (line, expectedLine) in zip(lines, expectedLines) {
      #expect(
        String(decoding: line.dropFirst("weir: ".utf8.count), as: UTF8.self)
          == String(decoding: expectedLine.dropFirst("sha256sum: ".utf8.count), as: UTF8.self))
    }
  }
}
