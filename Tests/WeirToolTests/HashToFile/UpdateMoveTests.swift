// weir hash --update with files that moved.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)))
struct UpdateMoveTests {
  @Test("the report and the records of random trees are as an oracle says")
  func randomTrees() async throws {
    let directory = try TemporaryDirectory()
    let digests = try await digests(in: directory)
    let seeds = Array(0..<2_000).sampled(oneIn: 50, for: "moved trees")
    for seed in seeds {
      var random = SeededGenerator(for: "moved tree \(seed)")
      let before = MoveTree.random(&random)
      var after = before
      after.change(&random)
      let isInStep = Int.random(in: 0..<4, using: &random) > 0
      let acceptsRot = Int.random(in: 0..<4, using: &random) == 0
      let readsAll = acceptsRot || Int.random(in: 0..<4, using: &random) == 0
      let oracle = UpdateOracle(
        before: before, after: after, readsAll: readsAll, acceptsRot: acceptsRot, inStep: isInStep)
      directory.removeOutput()
      try await before.write(to: "t", in: directory)
      let form = ["-z", "-a", "sha256"]
      try await weir(["hash", "-o", "M", "t"] + form, in: directory).run().expectSilence()
      try await after.write(to: "t", in: directory)
      // An algorithm that the records lack: all files are read.
      let more = readsAll && !acceptsRot ? ["-a", "md5", "--tag"] : []
      let update =
        ["hash", "-o", "M", "--update", isInStep ? "t" : "./t", "--max-gone", "100%"] + form + more
        + (acceptsRot ? ["--accept-rot"] : [])
      let isEmpty = after.files.isEmpty
      let dry = try await weir(update + ["--dry-run", "--format", "json"], in: directory).run()
      if isEmpty { continue }
      let label: Comment = "tree \(seed): \(before.files) -> \(after.files)"
      let rot = oracle.lines.contains { $0.status == "rot" } && !acceptsRot
      try #require(dry.status == (rot ? 1 : 0), "\(label) \(dry.errorText)")
      let objects = try Schema(of: "hash-update").objects(dry.output)
      let lines = try objects.dropLast().map { object in
        try UpdateOracle.Line(
          name: name(object["path"]), status: #require(object["status"] as? String),
          from: object["from"].map { try name($0) })
      }
      try #require(lines == oracle.lines, label)
      #expect(objects.last?["read"] as? Int == oracle.read, label)
      let real = try await weir(update, in: directory).run()
      #expect(real.status == dry.status)
      #expect(
        real.lines.count == oracle.lines.count + 1, "\(real.outputText)")
      var recorded: [String: String] = [:]
      for line in (directory.content("M") ?? "").split(separator: "\0") {
        let parts = more.isEmpty ? split(plain: line) : split(tagged: line)
        guard let (digest, name) = parts, let content = digests[digest] else { continue }
        recorded[try strip(name)] = content
      }
      #expect(recorded == oracle.manifest, label)
    }
  }

  private func split(plain line: Substring) -> (String, String)? {
    (String(line.prefix(64)), String(line.dropFirst(66)))
  }

  private func split(tagged line: Substring) -> (String, String)? {
    guard let end = line.range(of: ") = ", options: .backwards), let begin = line.range(of: " (")
    else { return nil }
    return (String(line[end.upperBound...]), String(line[begin.upperBound..<end.lowerBound]))
  }

  /// Returns a name below the root of the tree.
  private func strip(_ name: String) throws -> String {
    let root = try #require(["t/", "./t/"].first { name.hasPrefix($0) })
    return String(name.dropFirst(root.count))
  }

  private func name(_ value: Any?) throws -> String {
    try strip(#require((value as? [String: String])?["text"]))
  }

  /// Returns the contents of files by their digests, as GNU's tools make them.
  private func digests(in directory: TemporaryDirectory) async throws -> [String: String] {
    var digests: [String: String] = [:]
    for content in MoveTree.contents {
      let sums = try await shell(
        "printf %s \"$1\" >c; sha256sum <c; md5sum <c; rm c", content, in: directory
      ).run().lines
      for line in sums { digests[String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self)] = content }
    }
    return digests
  }
}
