// Parts that are not the whole: each fault is named, has its exit status, and nothing is
// written.

import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MergeFaultTests {
  /// Expects a refusal: the status, the messages, and no output of either kind.
  private func expect(
    _ set: ShardFixture, status: Int32, _ messages: String...,
    from location: SourceLocation = #_sourceLocation
  ) async throws {
    try set.directory.write("old", to: "M")
    for options in [[], words("-o", "M")] {
      let merged = try await set.merge(options)
      #expect(merged.status == status, "\(merged.errorText)", sourceLocation: location)
      #expect(merged.output.isEmpty, sourceLocation: location)
      for message in messages {
        #expect(
          merged.errorText.contains(message), "\(merged.errorText)", sourceLocation: location)
      }
    }
    #expect(set.directory.content("M") == Array("old".utf8), sourceLocation: location)
    #expect(set.directory.names(beginningWith: "M") == ["M"], sourceLocation: location)
  }

  private func shards() async throws -> ShardFixture {
    let set = try await ShardFixture("merge faults", files: 100, shards: 6)
    try await set.runAll("hash")
    return set
  }

  private func remove(_ set: ShardFixture, _ shard: Int) {
    unlink("\(set.directory.text)/\(set.part(shard))")
  }

  @Test("missing shards: 3, and a line that makes them, which is run as printed")
  func missing() async throws {
    let set = try await shards()
    let expected = try await set.merge()
    for shard in [1, 4, 5] { remove(set, shard) }
    try await expect(
      set, status: 3, "shards 1,4-5 of 6 are missing",
      "for k in 1 4 5; do weir hash --plan set.plan --shard $k/6 --out parts --resume; done")
    let refused = try await set.merge()
    let line = try #require(refused.errorText.split(separator: "again: ").last)
    let again = try await shell(
      "weir() { \"$tool\" \"$@\"; }; tool=$0; eval \"$1\"", String(line), in: set.directory
    ).run()
    #expect(again.status == 0, "\(again.errorText)")
    #expect(try await set.merge().output == expected.output)
  }

  @Test("a Slurm array is submitted again with sbatch")
  func missingOfSlurm() async throws {
    let set = try await ShardFixture("merge slurm", files: 40, shards: 6)
    for shard in [0, 2, 3] {
      var command = weir(
        words("hash", "--tag", "--plan", "set.plan", "--shard", "auto", "--out", "parts"),
        in: set.directory)
      command.environment = [
        "SLURM_JOB_ID=20", "SLURM_ARRAY_JOB_ID=20", "SLURM_ARRAY_TASK_ID=\(shard)",
        "SLURM_ARRAY_TASK_COUNT=2", "SLURM_PROCID=0", "PATH=/usr/bin:/bin",
      ]
      let outcome = try await command.run()
      #expect(outcome.status == 0, "\(outcome.errorText)")
    }
    try await expect(
      set, status: 3,
      "sbatch --array=1,4-5 --wrap 'weir hash --tag --plan set.plan --shard auto --out parts --resume'"
    )
  }

  @Test("parts of another plan: 4, also of one with another number of shards")
  func otherPlan() async throws {
    let set = try await shards()
    try set.directory.write("more", to: "t/more")
    try await set.plan()
    try await expect(set, status: 4, "belongs to another plan", "name the plan of these parts")
    let other = try await weir(
      "plan", "--shards", "5", "-o", "set.plan", "t", in: set.directory
    ).run()
    #expect(other.status == 0)
    try await expect(
      set, status: 3, "belongs to no shard of this plan of 5", "shards 0-4 of 5 are missing")
  }

  @Test("a shard refuses to replace the part of another plan")
  func otherPlanInShard() async throws {
    let set = try await shards()
    let before = set.directory.content(set.part(2))
    try set.directory.write("more", to: "t/more")
    try await set.plan()
    let refused = try await set.run("hash", shard: 2)
    #expect(refused.status == 2 && refused.errorText.contains("belongs to another plan"))
    #expect(set.directory.content(set.part(2)) == before)
  }

  @Test("each fault is named, has its status, and several have the lowest")
  func faults() async throws {
    let set = try await shards()
    let whole = try (0..<6).map { try #require(set.directory.content(set.part($0))) }
    var others: [[UInt8]] = []
    for (verb, options) in [("hash", words("--tag")), ("count", [])] {
      _ = try await set.run(verb, options, shard: 3, out: verb)
      others.append(try #require(set.directory.content(set.part(3, in: verb))))
    }
    var flipped = whole[3]
    flipped[flipped.count / 2] ^= 4
    let copy = "parts/shard-00003-of-00006 (copy).part"
    let faults: [([String: [UInt8]?], Int32, [String])] = [
      (
        [set.part(3): whole[3].dropLast(whole[3].count / 3)], 5,
        ["00003-of-00006.part: is cut short after", "for k in 3; do"]
      ),
      ([set.part(3): flipped], 5, ["00003-of-00006.part: is damaged", "for k in 3; do"]),
      (
        [set.part(4): whole[3]], 4,
        ["00004-of-00006.part: is the part of shard 3/6, not of 4/6"]
      ),
      ([copy: whole[3]], 4, ["'\(copy)': belongs to no shard"]),
      ([set.part(3): others[0]], 4, ["another command (weir hash --tag, not weir hash)"]),
      ([set.part(3): others[1]], 4, ["another command (weir count, not weir hash)"]),
      (
        [set.part(3): whole[3].dropLast(9), set.part(1): whole[2], set.part(0): nil], 3,
        [
          "00003-of-00006.part: is cut", "00001-of-00006.part: is the part of shard 2/6",
          "shard 0 of 6 is missing", "for k in 0 1 3; do",
        ]
      ),
    ]
    for (parts, status, messages) in faults {
      for (name, content) in parts {
        if let content {
          try set.directory.write(content, to: name.utf8)
        } else {
          unlink("\(set.directory.text)/\(name)")
        }
      }
      for message in messages { try await expect(set, status: status, message) }
      unlink("\(set.directory.text)/\(copy)")
      for (shard, part) in whole.enumerated() {
        try set.directory.write(part, to: set.part(shard).utf8)
      }
    }
    // A shard does not take a part that is cut for done, and sees that others are of another command.
    try set.directory.write(whole[3].dropLast(9), to: set.part(3).utf8)
    let again = try await set.run("hash", shard: 3)
    #expect(again.status == 2 && again.errorText.contains("is cut short"))
    remove(set, 3)
    let refused = try await set.run("hash", words("--tag"), shard: 3)
    #expect(
      refused.status == 2
        && refused.errorText.contains("another command (weir hash, not weir hash --tag)"),
      "\(refused.errorText)")
  }

  @Test("counts of characters depend on the locale, and digests do not")
  func locale() async throws {
    let set = try await shards()
    remove(set, 3)
    var command = weir(set.arguments("hash", [], shard: 3), in: set.directory)
    command.locale = "C"
    #expect(try await command.run().status == 0)
    #expect(try await set.merge().status == 0)
    for shard in 0..<5 { _ = try await set.run("count", shard: shard, out: "counts") }
    command = weir(set.arguments("count", [], shard: 5, out: "counts"), in: set.directory)
    command.locale = "C"
    #expect(try await command.run().status == 2)
  }

  @Test("a plan that is damaged: 2, and a shard makes no part of it")
  func damagedPlan() async throws {
    let set = try await shards()
    var plan = try #require(set.directory.content("set.plan"))
    plan[plan.count - 3] ^= 1
    try set.directory.write(plan, to: "set.plan".utf8)
    try await expect(set, status: 2, "set.plan: is damaged: its SHA-256 differs")
    remove(set, 2)
    let shard = try await set.run("hash", shard: 2)
    #expect(shard.status == 2 && shard.errorText.contains("set.plan: is damaged"))
    #expect(set.directory.content(set.part(2)) == nil)
    #expect(set.directory.content("\(set.part(2)).tmp") == nil)
  }

  @Test("a node without the files of the plan makes no part")
  func noFiles() async throws {
    let set = try await shards()
    try set.directory.makeDirectory("unmounted")
    let root = set.directory.text
    let shard = try await weir(
      words(
        "hash", "-C", "\(root)/unmounted", "--plan", "\(root)/set.plan", "--shard", "0/6", "--out",
        "\(root)/none"), in: set.directory
    ).run()
    #expect(shard.status == 2 && shard.errorText.contains("none of the first 100 files"))
    #expect(set.directory.content(set.part(0, in: "none")) == nil)
  }

  @Test("--exit-zero: 0 once the part is written, and 3 at the merge")
  func exitZero() async throws {
    let set = try await ShardFixture("exit zero", files: 30, shards: 2)
    unlink("\(set.directory.text)/t/order.txt")
    for _ in 0..<2 {
      for shard in 0..<2 {
        #expect(try await set.run("hash", words("--exit-zero"), shard: shard).status == 0)
      }
    }
    #expect(try await set.merge().status == 3)
  }

  @Test("status: done, begun, missing and unusable shards, and 0 only if all are done")
  func status() async throws {
    let set = try await shards()
    let all = try await weir("status", "--plan", "set.plan", "parts", in: set.directory).run()
    #expect(all.status == 0 && all.outputText.hasPrefix("6 of 6 shards done"))
    for shard in [1, 4] { remove(set, shard) }
    let part = try #require(set.directory.content(set.part(3)))
    try set.directory.write(part.dropLast(1), to: set.part(3).utf8)
    try set.directory.write(part.prefix(300), to: "\(set.part(4)).tmp.host.17.1".utf8)
    let some = try await weir("status", "--plan", "set.plan", "parts", in: set.directory).run()
    #expect(some.status == 3)
    #expect(
      some.lines.map { String(decoding: $0, as: UTF8.self) }.dropFirst() == [
        "shard 4: begun, 0 of \(try await planned(set, 4))", "missing: 1", "unusable: 3",
      ])
    #expect(some.errorText.contains("shard-00003-of-00006.part: is cut short"))
    let json = try await weir(
      "status", "--format", "json", "--plan", "set.plan", "parts", in: set.directory
    ).run()
    #expect(try Schema(of: "status").objects(json.output).count == 7)
    let last = #""done":3,"begun":1,"missing":1,"unusable":1}"#
    #expect(json.outputText.hasSuffix("\(last)\n"))
  }

  /// The number of files of a shard in words.
  private func planned(_ set: ShardFixture, _ shard: Int) async throws -> String {
    let fresh = try await set.run("hash", shard: shard, out: "fresh")
    return fresh.errorText.split(separator: ", ").first { $0.hasSuffix("files") }
      .map(String.init) ?? ""
  }
}
