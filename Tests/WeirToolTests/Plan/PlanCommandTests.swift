// weir plan: its records against the lines of weir hash, its options and its errors.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir

/// Reads all records of a plan.
func planRecords(_ path: [UInt8]) throws -> [(shard: Int?, kind: PlanEntry.Kind, path: [UInt8])] {
  let reader = try PlanReader(path)
  var all: [(shard: Int?, kind: PlanEntry.Kind, path: [UInt8])] = []
  while let record = try reader.next() {
    all.append((record.shard, record.kind, Array(record.path)))
  }
  return all
}

/// The names in lines of `weir hash -z`.
private func hashedNames(_ output: [UInt8]) -> [[UInt8]] {
  output.split(separator: 0).map { Array($0.dropFirst(66)) }
}

@Suite(.serialized, .timeLimit(.minutes(10)))
struct PlanCommandTests {
  private static let strategies = ShardStrategy.allCases.map(\.rawValue)

  @Test("a plan has every file once, in the order of weir hash", arguments: strategies)
  func order(strategy: String) async throws {
    var random = SeededGenerator(for: "PlanCommandTests.order")
    let directory = try TemporaryDirectory()
    for index in 0..<4 {
      try directory.fill("t\(index)", files: 150, using: &random) { $0.name() }
    }
    try directory.link("t0/the-link", to: "nowhere")
    try directory.makeFIFO("t1/the-pipe")
    let inputs = words("t1", "t3/", "./t0", "t2")
    let hashed = try await weir(words("hash", "-z") + inputs, in: directory).run()
    let names = hashedNames(hashed.output)
    #expect(names.count == 600)
    var first: [UInt8]?
    for options in [[], ["-j", "1"], ["-j", "7"], ["--descriptors", "3"]] as [[String]] {
      let plan = try await weir(
        words("plan", "--by", strategy, "--shards", "5", "-o", "p") + inputs
          + options.map { Array($0.utf8) }, in: directory
      ).run()
      #expect(plan.status == 0 && plan.errorText == "weir: t1/the-pipe: skipped: is a FIFO\n")
      let bytes = try #require(directory.content("p"))
      #expect(first ?? bytes == bytes, "\(options)")
      first = bytes
    }
    let records = try planRecords(directory.path("p"))
    #expect(records.filter { $0.kind == .file }.map(\.path) == names)
    #expect(records.filter { $0.kind == .file }.allSatisfy { $0.shard.map { $0 < 5 } ?? false })
    #expect(records.contains { $0.kind == .link && $0.path == Array("./t0/the-link".utf8) })
    #expect(records.contains { $0.kind == .special(.fifo) && $0.path == Array("t1/the-pipe".utf8) })
  }

  @Test("the names of a list are recorded in its order, also those that are no files")
  func list() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    try directory.write("1", to: "d/a")
    try directory.write("2", to: "n\nl\t")
    try directory.write("3".utf8, to: [0xFF, 0x62])
    try directory.write(
      "n\nl\t\0missing\0d\0\u{0}n\nl\t\0".utf8.map { $0 } + [0xFF, 0x62], to: "L".utf8)
    var plan = weir("plan", "--files0-from", "-", "--shards", "2", "-o", "p", in: directory)
    plan.input = .bytes(try #require(directory.content("L")))
    let piped = try await plan.run()
    let bytes = directory.content("p")
    let named = try await weir(
      "plan", "--files0-from", "L", "--shards", "2", "-o", "p", in: directory
    ).run()
    #expect(piped.status == 3 && named.status == 3)
    #expect(
      named.errorText.hasPrefix(
        "weir: missing: No such file or directory\nweir: '': No such file or directory\n"))
    let records = try planRecords(directory.path("p"))
    #expect(
      records.map(\.path)
        == [
          Array("n\nl\t".utf8), Array("missing".utf8), Array("d".utf8), Array("d/a".utf8), [],
          Array("n\nl\t".utf8), [0xFF, 0x62],
        ])
    #expect(
      records.map(\.kind) == [.file, .named, .directory, .file, .named, .file, .file])
    // A list in a file decides on the width of the columns of count; one in a pipe does not.
    #expect(bytes != nil && bytes != directory.content("p"))
  }

  @Test("what cannot be read is recorded, and the status is 3")
  func unreadable() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.makeDirectory("t/no")
    try directory.write("1", to: "t/a")
    try directory.makeFIFO("pipe")
    // A loop of directories, which root cannot read either.
    try directory.link("t/no/up", to: "..")
    let result = try await weir(
      "plan", "t", "pipe", "gone", "--follow", "--shards", "3", "-o", "p", in: directory
    ).run()
    #expect(result.status == 3)
    #expect(
      result.errorLines == [
        "weir: t/no/up: Too many levels of symbolic links", "weir: pipe: is a FIFO",
        "weir: gone: No such file or directory",
        "weir: 1 file listed, 2 could not be read, 1 special file not opened",
      ])
    let records = try planRecords(directory.path("p"))
    #expect(
      records.map(\.kind) == [
        .directory, .file, .directory, .unreadable(.tooManySymbolicLinkLevels), .named, .named,
      ])
    #expect(try PlanReader(directory.path("p")).header.unreadable == 1)
  }
}
