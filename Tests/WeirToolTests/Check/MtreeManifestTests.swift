// mtree(5) manifests: exchanged with mtree(8) and bsdtar, and of deep trees.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct MtreeManifestTests {
  /// Makes a tree `t` of files with difficult names, and returns the names.
  private func makeTree(
    _ directory: TemporaryDirectory, _ random: inout SeededGenerator, without bytes: String = ""
  ) throws -> [[UInt8]] {
    let files = try directory.fill("t", files: 200, using: &random) { random in
      while true {
        let name = random.name()
        if !name.contains(where: bytes.utf8.contains) { return name }
      }
    }
    try directory.makeDirectory("t/~empty")
    try directory.link("t/~link", to: "a b\n\\#=\u{E9}/..")
    return files
  }

  @Test(
    "mtree(8) and the reader of bsdtar confirm the manifest",
    .enabled(if: isInstalled("mtree") && isInstalled("bsdtar")))
  func written() async throws {
    var random = SeededGenerator(for: "mtree written")
    let directory = try TemporaryDirectory()
    // mtree(8) takes these for patterns even if they are escaped.
    let files = try makeTree(directory, &random, without: "*?[")
    for sources in [["."], ["./"]] {
      let written = try await weir(
        ["hash", "-C", "t", "--format", "mtree", "-asha256,md5,sha1,sha384,sha512"]
          .map { Array($0.utf8) } + sources.map { Array($0.utf8) }, in: directory
      ).run()
      written.expectSilence()
      try directory.write(written.output, to: "m".utf8)
      let result = try await other("mtree", words("-f", "m", "-p", "t"), in: directory).run()
      let said = result.outputText + result.errorText
      #expect(said.isEmpty, "\(said.prefix(400))")
      #expect(result.status == 0)
    }
    let listed = try await other("bsdtar", words("-tf", "m"), in: directory).run()
    #expect(listed.errorText == "" && listed.status == 0)
    #expect(listed.lines.filter { $0.last != UInt8(ascii: "/") }.count >= files.count)
  }

  @Test(
    "mtree(8) also verifies a tree that is not named .",
    .enabled(if: isInstalled("mtree")))
  func roots() async throws {
    let directory = try TemporaryDirectory()
    for path in ["a", "a/b", "a/b/c", "d"] { try directory.makeDirectory(path) }
    for path in ["a/1", "a/b/2", "a/b/c/3", "d/4"] { try directory.write(path, to: path) }
    for sources in [["a", "d"], ["a/b/c", "a/1", "d/4", "a/b/2"], ["a/", "./d"]] {
      let written = try await weir(
        words("hash", "--format", "mtree") + sources.map { Array($0.utf8) }, in: directory
      ).run()
      written.expectSilence()
      var command = other("mtree", words("-e", "-p", "."), in: directory)
      command.input = .bytes(written.output)
      let result = try await command.run()
      #expect(result.outputText + result.errorText == "" && result.status == 0)
    }
    let absolute = try await weir(
      words("hash", "--format", "mtree") + [directory.path("a")], in: directory
    ).run()
    var command = other("mtree", words("-e", "-p", "/"), in: directory)
    command.input = .bytes(absolute.output)
    let result = try await command.run()
    // mtree(8) also examines the entries beside the tree, which other programs change.
    let own = directory.text.drop { $0 == "/" }
    #expect(!(result.outputText + result.errorText).contains(own), "\(result)")
  }

  @Test("files deeper than the longest path are verified too", arguments: [8, 1024])
  func deep(limit: Int) async throws {
    let directory = try TemporaryDirectory()
    let part = String(repeating: "d", count: 100)
    let way = try await directory.makeDeep("t", part, levels: 90, "echo f > f; ln -s f l; mkdir e")
    let made = try await shell(
      "cd t && \"$0\" hash --format mtree . > ../m && cd .. && \"$0\" hash -o O t", in: directory
    ).run()
    made.expectSilence()
    let inside = way.dropFirst("t".count)
    for (arguments, name) in [
      ("-C t m", ".\(inside)"), ("--audit t m", ".\(inside)"), ("O.mtree", way),
    ] {
      let script = "ulimit -n \(limit); exec \"$0\" check \(arguments)"
      let result = try await shell(script, in: directory).run()
      result.expectSilence()
      #expect(result.outputText == "\(name)/f: OK\n")
    }
    // A link with another target, and a directory that was replaced.
    let change =
      "cd t && for i in $(seq 90); do cd -P d*; done; ln -sf e/g l && rm -r e && echo > e"
    (try await shell(change, in: directory).run()).expectSilence()
    let changed = try await weir("check", "O.mtree", in: directory).run()
    #expect(changed.status == 1)
    #expect(
      changed.lines.map { String(decoding: $0, as: UTF8.self) } == [
        "\(way)/e: FAILED (is a regular file)", "\(way)/f: OK",
        "\(way)/l: FAILED (points elsewhere)",
      ])
  }
}
