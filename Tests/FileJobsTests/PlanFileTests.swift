// The file of a plan: what is written is read, and nothing else is accepted.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir

@Suite(.timeLimit(.minutes(10)))
struct PlanFileTests {
  private static let entries: [PlannedEntry] = [
    PlannedEntry(.directory, Array("d".utf8)),
    PlannedEntry(Array("d/a\tb\nc".utf8), size: 5, modified: -1),
    PlannedEntry([0x64, 0x2F, 0xFF, 0xFE], size: .max >> 1, modified: .min),
    PlannedEntry(.link, Array("d/l".utf8), target: Array("\tto\n".utf8)),
    PlannedEntry(.link, Array("d/m".utf8), target: []),
    PlannedEntry(.special(.fifo), Array("d/p".utf8)),
    PlannedEntry(.special(.socket), Array("d/s".utf8)),
    PlannedEntry(.special(.characterDevice), Array("d/t".utf8)),
    PlannedEntry(.special(.blockDevice), Array("d/u".utf8)),
    PlannedEntry(.unreadable(.permissionDenied), Array("d/x".utf8)),
    PlannedEntry(.named, Array("missing".utf8)),
    PlannedEntry(.named, []),
    PlannedEntry(Array("z".utf8), size: 0, modified: 1_234_567_890_123_456_789),
  ]

  @Test("records and header are read as they were written", arguments: ShardStrategy.allCases)
  func roundTrip(strategy: ShardStrategy) throws {
    let directory = try TemporaryDirectory()
    let root = Array("/srv/\"\\\n\u{7F}".utf8) + [0xFF]
    try writePlan(Self.entries, to: directory.path("p"), shards: 3, by: strategy, root: root)
    let (header, entries) = try readPlan(directory.path("p"))
    let withoutShards = entries.map { entry in
      var entry = entry
      entry.shard = nil
      return entry
    }
    #expect(withoutShards == Self.entries)
    for entry in entries {
      let hasShard = entry.kind == .file || entry.kind == .named
      #expect((entry.shard != nil) == hasShard && (entry.shard ?? 0) < 3, "\(entry)")
    }
    #expect(header.root == root && header.strategy == strategy && header.shards == 3)
    #expect(header.files == 3 && header.entries == UInt64(Self.entries.count))
    #expect(header.unreadable == 1 && header.filtered == 3 && header.excluded == 0)
    #expect(header.named == PlanNamedInputs(bytes: 17, hasOther: true, isSingle: false))
    #expect(header.shardFiles.reduce(0, +) == 3 && header.id.count == 64)
  }

  @Test("a plan without entries, and names longer than a buffer")
  func extremes() throws {
    let directory = try TemporaryDirectory()
    try writePlan([], to: directory.path("p"), shards: 1)
    #expect(try readPlan(directory.path("p")).entries.isEmpty)
    let long = [
      PlannedEntry(Array(repeating: 0x61, count: 200_000), size: 1),
      PlannedEntry(.link, [0x62], target: Array(repeating: 0x63, count: 70_000)),
    ]
    try writePlan(long, to: directory.path("p"), shards: 2)
    #expect(try readPlan(directory.path("p")).entries.map(\.path) == long.map(\.path))
  }

  private func reason(_ path: [UInt8]) -> Fault.Reason? {
    do {
      _ = try readPlan(path)
      return nil
    } catch {
      return (error as? Fault)?.reason
    }
  }

  @Test("each changed byte, each cut and each extension is found")
  func damage() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("p")
    try writePlan(Self.entries, to: path, shards: 3)
    let good = try #require(directory.bytes("p"))
    #expect(reason(path) == nil)
    var random = SeededGenerator(for: "PlanFileTests.damage")
    for index in good.indices {
      var bad = good
      bad[index] ^= UInt8.random(in: 1...255, using: &random)
      try directory.write(bad, to: "p".utf8)
      #expect(reason(path) != nil, "byte \(index), from \(good[index]) to \(bad[index])")
    }
    for count in good.indices {
      try directory.write(good.prefix(count), to: "p".utf8)
      #expect(reason(path) != nil, "cut after \(count) bytes")
    }
    for more in [[0], [0x20], good] as [[UInt8]] {
      try directory.write(good + more, to: "p".utf8)
      #expect(reason(path) == .damaged("is damaged: it has bytes after its end"))
    }
    try directory.write(good.dropLast(7), to: "p".utf8)
    #expect(reason(path) == .damaged("is damaged: it is too short by 7 bytes"))
    // Two records exchanged: all totals are right.
    let begin = try #require(good.firstIndex(of: 0x0A)) + 1
    let records = good[begin...].split(separator: 0, omittingEmptySubsequences: false)
    let exchanged = [records[1], records[0]] + records[2...]
    try directory.write(good[..<begin] + exchanged.joined(separator: [0]), to: "p".utf8)
    #expect(reason(path) == .damaged("is damaged: its SHA-256 differs"))
  }

  @Test("other files are no plans")
  func others() throws {
    let directory = try TemporaryDirectory()
    for text in ["", "x", "{\"format\":\"weir part\",\"version\":1}\n", "\n"] {
      try directory.write(text, to: "p")
      #expect(reason(directory.path("p")) == .isNo("plan"), "\(text)")
    }
    try directory.write("{\"format\":\"weir plan\",\"version\":2}\n", to: "p")
    #expect(
      reason(directory.path("p")) == .refused("is a plan of version 2, which this weir cannot read")
    )
    #expect(reason(directory.path("none")) == .system(.noSuchFileOrDirectory))
    #expect(reason(directory.path) == .system(.isDirectory))
  }

  @Test("only plans are replaced, and nothing is left of one that fails")
  func replacement() throws {
    let directory = try TemporaryDirectory()
    try directory.write("a letter", to: "p")
    #expect(throws: Fault.self) { try writePlan([], to: directory.path("p"), shards: 1) }
    #expect(directory.bytes("p") == Array("a letter".utf8))
    #expect(throws: Fault.self) { try writePlan([], to: directory.path("no/p"), shards: 1) }
    try writePlan([], to: directory.path("q"), shards: 1)
    let old = directory.bytes("q")
    let writer = try PlanWriter(
      directory.path("q"), shards: 1, strategy: .size, root: [0x2F], memory: 1 << 20)
    for _ in 0..<5000 { try PlannedEntry([0x61], size: 1).add(to: writer) }
    #expect(throws: Errno.canceled) {
      try writer.finish(filtered: 0, named: PlanNamedInputs(), isCanceled: { true })
    }
    #expect(directory.bytes("q") == old)
  }
}
