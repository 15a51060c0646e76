// The promise of weir merge: the bytes that one process would have written.

import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MergeTests {
  @Test(
    "hash: the same manifest in every format",
    arguments: [
      "", "--tag", "-z", "-a blake3", "-a sha256,md5", "--format mtree", "--format json",
      "-a xxh128 --format json -z",
    ])
  func hash(options: String) async throws {
    let set = try await ShardFixture("merge \(options)")
    let options = options.split(separator: " ").map { Array($0.utf8) }
    try await set.runAll("hash", options)
    let merged = try await set.merge()
    let expected = try await weir(words("hash") + options + words("t"), in: set.directory).run()
    if options.contains(Array("json".utf8)) {
      #expect(withoutSummary(merged.output) == withoutSummary(expected.output))
      #expect(!merged.output.isEmpty)
    } else {
      #expect(merged.output == expected.output)
    }
    #expect(merged.errors == expected.errors && merged.status == 0)
    // Also into a file.
    let toFile = try await set.merge(words("-o", "M"))
    #expect(toFile.output.isEmpty && toFile.status == 0)
    #expect(set.directory.content("M").map(withoutSummary) == withoutSummary(merged.output))
    #expect(set.directory.names(beginningWith: "M") == ["M"])
    if options.contains(Array("json".utf8)) { return }
    // A baseline is not lost by a forgotten word, and a ledger not by any.
    let again = try await set.merge(words("-o", "M"))
    #expect(again.status == 2 && again.errorText.contains("M: is a manifest and is left unchanged"))
    #expect(try await set.merge(words("-o", "M", "--replace")).status == 0)
    _ = try await weir(words("hash", "-o", "other", "t"), in: set.directory).run()
    let ledger = try #require(set.directory.content("other.mtree"))
    try set.directory.write(ledger, to: "M.mtree".utf8)
    let beside = try await set.merge(words("-o", "M", "--replace"))
    #expect(beside.status == 2 && beside.errorText.contains("M.mtree: is the ledger of"))
    try set.directory.write("dear diary", to: "M")
    let refused = try await set.merge(words("-o", "M"))
    #expect(refused.status == 2 && refused.errorText.contains("M: is not a manifest"))
    #expect(set.directory.content("M") == Array("dear diary".utf8))
  }

  @Test(
    "count: the same lines, columns and total",
    arguments: ["", "-l", "-c", "-mL", "-z", "--format json"])
  func count(options: String) async throws {
    let set = try await ShardFixture("merge count \(options)")
    let options = options.split(separator: " ").map { Array($0.utf8) }
    try await set.runAll("count", options)
    let merged = try await set.merge()
    let expected = try await weir(words("count") + options + words("t"), in: set.directory).run()
    if options.contains(Array("json".utf8)) {
      #expect(withoutSummary(merged.output) == withoutSummary(expected.output))
    } else {
      #expect(merged.output == expected.output)
    }
    #expect(merged.errors == expected.errors && merged.status == 0)
  }

  @Test("any number of shards, strategy, order of arguments, and lists of names")
  func inputs() async throws {
    var random = SeededGenerator(for: "merge inputs")
    for shards in [1, 3, 17] {
      let set = try await ShardFixture("merge inputs", files: 60, shards: shards)
      let names = try await weir("hash", "-z", "t", in: set.directory).run().output
        .split(separator: 0).map { Array($0.dropFirst(66)) }
      let list = names.shuffled(using: &random).prefix(20).map { $0 + [0] }
      try set.directory.write(list.flatMap(\.self), to: "list".utf8)
      for strategy in shards == 3 ? ["size", "count", "hash", "size-class"] : ["size"] {
        let inputs = words("t/order.txt", "--files0-from", "list", "t", "t/order")
        try await set.plan(words("--by", strategy), of: inputs)
        let out = "parts-\(strategy)"
        try await set.runAll("hash", out: out)
        let merged = try await set.merge(out: out)
        let expected = try await weir(words("hash") + inputs, in: set.directory).run()
        #expect(merged.output == expected.output, "\(shards) by \(strategy)")
        #expect(merged.errors == expected.errors)
      }
    }
  }

  @Test("the plan's directory is entered, and -C DIR replaces it")
  func root() async throws {
    let set = try await ShardFixture("merge root")
    try set.directory.makeDirectory("elsewhere")
    let here = set.directory.text
    let expected = try await weir("hash", "t", in: set.directory).run().output
    for shard in 0..<set.shards {
      let outcome = try await shell(
        """
        cd elsewhere && "$0" hash --plan ../set.plan --shard \(shard)/\(set.shards) --out parts
        """, in: set.directory
      ).run()
      #expect(outcome.status == 0, "\(outcome.errorText)")
    }
    #expect(try await set.merge(out: "elsewhere/parts").output == expected)
    // The same files below another root.
    let copied = try await shell("mkdir copy && cp -a t copy", in: set.directory).run()
    #expect(copied.status == 0)
    for shard in 0..<set.shards {
      let options = words(
        "hash", "-C", "\(here)/copy", "--plan", "\(here)/set.plan", "--shard",
        "\(shard)/\(set.shards)", "--out", "\(here)/moved")
      let outcome = try await weir(options, in: set.directory).run()
      #expect(outcome.status == 0, "\(outcome.errorText)")
    }
    #expect(try await set.merge(out: "moved").output == expected)
  }

  @Test("changed and removed files are reported, exit 3, and are not in the manifest")
  func changed() async throws {
    let set = try await ShardFixture("merge changed")
    let before = try await weir("hash", "t", in: set.directory).run().output
    try set.directory.write("22", to: "t/order.txt")
    unlink(set.directory.text + "/t/order/x")
    // New files are not in the set.
    try set.directory.write("new", to: "t/new")
    var statuses: [Int32?] = []
    for shard in 0..<set.shards {
      statuses.append(try await set.run("hash", shard: shard).status)
    }
    #expect(statuses.filter { $0 == 3 }.count >= 1)
    let merged = try await set.merge()
    #expect(merged.status == 3)
    let expected = before.split(separator: 0x0A).filter {
      !$0.suffix(12).hasText(" t/order.txt") && !$0.suffix(10).hasText(" t/order/x")
    }
    #expect(merged.output.split(separator: 0x0A) == expected)
    #expect(merged.errorText.contains("weir: t/order.txt: has changed since the plan was made; "))
    #expect(merged.errorText.contains("weir: t/order/x: No such file or directory\n"))
    #expect(merged.errorText.contains("2 could not be read"))
  }

  @Test("--shard K/N without a plan: each file in exactly one shard, in the order of the run")
  func quickForm() async throws {
    let set = try await ShardFixture("merge quick")
    for (verb, options) in [("hash", words("-z")), ("count", words("-z", "-c"))] {
      let whole = try await weir([Array(verb.utf8)] + options + words("t"), in: set.directory).run()
      let all = whole.output.split(separator: 0)
      for count in [1, 3, 16] {
        var seen: [ArraySlice<UInt8>] = []
        for shard in 0..<count {
          let part = try await weir(
            [Array(verb.utf8)] + options + words("--shard", "\(shard)/\(count)", "t"),
            in: set.directory
          ).run()
          #expect(part.status == 0)
          let lines = part.output.split(separator: 0)
            .filter { verb == "hash" || !$0.suffix(6).hasText(" total") }
          #expect(verb != "hash" || lines == all.filter { lines.contains($0) })
          seen += lines.map { $0.drop { $0 == 0x20 } }
        }
        let expected = all.filter { verb == "hash" || !$0.suffix(6).hasText(" total") }
          .map { $0.drop { $0 == 0x20 } }
        #expect(Set(seen) == Set(expected) && seen.count == expected.count)
      }
    }
  }
}

extension ArraySlice<UInt8> {
  /// Returns true if the bytes are those of a text.
  fileprivate func hasText(_ text: String) -> Bool { elementsEqual(text.utf8) }
}
