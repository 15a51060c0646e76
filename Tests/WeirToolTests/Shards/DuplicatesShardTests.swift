// weir duplicates over shards: the bytes of one process, and the quick form.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct DuplicatesShardTests {
  /// Makes a tree of copies, near copies, hard links, links, and things that cannot be read.
  private func plant(_ name: String, files: Int = 200) async throws -> TemporaryDirectory {
    var random = SeededGenerator(for: name)
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    var places = ["t/"].map { Array($0.utf8) }
    let sizes = [1, 2, 2, 7, 40, 41, 900, 5000, 66_000, 70_000, 70_000, 140_000]
    let contents = (0..<24).map { random.bytes(sizes[$0 % sizes.count]) }
    var made: [[UInt8]] = []
    for name in Set(random.names(files)).sorted(by: precedesInWalk) {
      let place = places[Int.random(in: 0..<places.count, using: &random)]
      let path = place + name
      switch Int.random(in: 0..<14, using: &random) {
      case 0:
        try directory.makeDirectory(path)
        places.append(path + [UInt8(ascii: "/")])
        continue
      case 1, 2:
        guard let from = made.randomElement(using: &random) else { continue }
        _ = Glibc.link(terminated(directory.path(from)), terminated(directory.path(path)))
      case 3:
        _ = symlink("nowhere", terminated(directory.path(path)))
        continue
      case 4, 5:
        var content = contents.randomElement(using: &random) ?? []
        content[content.count / 2] ^= 1
        try directory.write(content, to: path)
      case 6:
        try directory.write([UInt8](), to: path)
      default:
        try directory.write(contents.randomElement(using: &random) ?? [], to: path)
      }
      if Int.random(in: 0..<25, using: &random) == 0 {
        chmod(terminated(directory.path(path)), 0)
      }
      made.append(path)
    }
    try directory.makeFIFO("t/fifo")
    try directory.makeFIFO("named-fifo")
    try directory.makeDirectory("t/closed")
    try directory.write(contents[4], to: "t/closed/copy".utf8)
    try directory.setMode("t/closed", 0)
    try directory.write(contents[8], to: "beside".utf8)
    try directory.link("link", to: "beside")
    return directory
  }

  private func search(
    _ directory: TemporaryDirectory, _ options: String, _ operands: String = "t"
  ) -> ShardedVerb {
    ShardedVerb(
      directory: directory, verb: "duplicates",
      options: options.split(separator: " ").map { Array($0.utf8) },
      operands: operands.split(separator: " ").map { Array($0.utf8) })
  }

  private func plan(_ verb: ShardedVerb, shards: Int, by strategy: String = "size-class")
    async throws
  {
    let made = try await verb.run(
      words("plan", "--by", strategy, "--shards", "\(shards)", "-o", "set.plan") + verb.operands)
    #expect(made.status == 0 || made.status == 3, "\(made.errorText)")
  }

  @Test(
    "a merge writes what one process writes, for any number of shards",
    arguments: [
      "", "-z --hard-links", "--format json", "--format json -z --min-size 0 --verify",
      "--min-size 41 --hard-links --format json", "--verify",
    ])
  func same(options: String) async throws {
    let directory = try await plant("duplicates shards \(options)")
    let verb = search(directory, options, "t nothing named-fifo link beside t")
    for shards in [1, 3, 9].sampled(oneIn: 3, for: "duplicates in shards, \(options)") {
      try await plan(verb, shards: shards)
      try await verb.expectSame(shards)
    }
  }

  @Test("groups with the same saving come in the order of the plan, whatever their shards")
  func ties() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    var random = SeededGenerator(for: "duplicates ties")
    // 6 bytes can be saved in many ways: groups of different sizes, in different shards.
    for round in 0..<30 {
      let (size, count) = [(6, 2), (3, 3), (2, 4), (1, 7)][round % 4]
      let content = size == 1 ? [UInt8(round)] : random.bytes(size)
      for _ in 0..<count {
        let name = Array("t/\(random.next() % 1_000_000)".utf8)
        try directory.write(content, to: name)
      }
    }
    for shards in 2...6 {
      let verb = search(directory, "", "t")
      try await plan(verb, shards: shards)
      try await verb.expectSame(shards)
    }
  }

  @Test("a group of more names than a record holds")
  func large() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    let long = String(repeating: "n", count: 200)
    for number in 0..<900 { try directory.write("same", to: "t/\(long)\(number)") }
    for number in 0..<50 { try directory.write("other", to: "t/a\(number)") }
    for options in ["", "--format json"] {
      let verb = search(directory, options, "t")
      try await plan(verb, shards: 3)
      try await verb.expectSame(3)
    }
  }

  @Test("a file that changed since the plan is in no group, and the status is 3")
  func changed() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in ["a", "b", "c", "d", "e"] { try directory.write("same", to: "t/\(name)") }
    let verb = search(directory, "--format json", "t nothing")
    try await plan(verb, shards: 2)
    try directory.write("longer", to: "t/b")
    try directory.write("same", to: "nothing")  // no file in the plan, so of no size
    #expect(unlink(terminated(directory.path("t/d"))) == 0)
    let merged = try await verb.runShards(2, statuses: [0, 3])
    #expect(merged.status == 3)
    #expect(
      merged.errorLines.dropLast() == [
        "weir: t/b: has changed since the plan was made",
        "weir: t/d: No such file or directory",
        "weir: nothing: has changed since the plan was made",
      ])
    #expect(merged.outputText.contains("\"changed\":2"))
    #expect(merged.outputText.contains("\"duplicates\":2"))
  }

  @Test("options and plans that do not apply are refused, and nothing is written")
  func refused() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.write("1", to: "t/a")
    let verb = search(directory, "", "t")
    try await plan(verb, shards: 2, by: "size")
    let other = try await verb.runShard(0, of: 2)
    #expect(other.status == 2)
    #expect(other.errorText.contains("use weir plan --by size-class"))
    try await plan(verb, shards: 2)
    for (option, message) in [
      ("--unordered", "--unordered does not apply"),
      ("--allow-changed", "--allow-changed does not apply"), ("t", "the plan names the files"),
      ("--max-depth=2", "belongs to weir plan"),
    ] {
      let result = try await verb.runShard(0, of: 2, words(option))
      #expect(result.status == 2 && result.errorText.contains(message), "\(result.errorText)")
    }
    #expect(try await weir("duplicates", "--resume", "t", in: directory).run().status == 2)
  }

  @Test("the quick form finds each group in exactly one shard", arguments: [1, 2, 7])
  func quick(shards: Int) async throws {
    let directory = try await plant("duplicates quick")
    let whole = search(directory, "--hard-links --format json", "t beside")
    let expected = try await whole.runWhole()
    var groups: [[UInt8]] = []
    var small = 0
    for shard in 0..<shards {
      var one = whole
      one.options += words("--shard", "\(shard)/\(shards)")
      let outcome = try await one.runWhole()
      #expect(outcome.status == expected.status)
      groups += outcome.output.split(separator: 0x0A).map(Array.init).filter(isGroup)
      small += number("small", in: outcome)
    }
    let found = expected.output.split(separator: 0x0A).map(Array.init).filter(isGroup)
    #expect(groups.count == found.count && Set(groups) == Set(found) && !found.isEmpty)
    #expect(small == number("small", in: expected) && small > 0)
  }

  private func isGroup(_ line: [UInt8]) -> Bool { line.starts(with: "{\"type\":\"group\"".utf8) }

  private func number(_ key: String, in outcome: Outcome) -> Int {
    let last = outcome.outputText.split(separator: "\n").last ?? ""
    let value = last.split(separator: "\"\(key)\":").dropFirst().first ?? ""
    return Int(value.prefix { $0.isNumber }) ?? -1
  }
}
