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
    let read = try readPlan(path).entries.map { entry in
      var entry = entry
      entry.shard = nil
      return entry
    }
    #expect(read == Self.entries)
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
}
