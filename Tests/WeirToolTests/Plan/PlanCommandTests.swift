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

  @Test("the plan is in none of its walks, and has the same bytes again")
  func ownFile() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.write("1", to: "t/a")
    try directory.write("2", to: "t/z")
    var plans: [[UInt8]] = []
    for _ in 0..<3 {
      let result = try await weir(
        "plan", ".", "--shards", "2", "-o", "t/p", in: directory
      ).run()
      result.expectSilence()
      plans.append(try #require(directory.content("t/p")))
    }
    #expect(plans[0] == plans[1] && plans[1] == plans[2])
    let names = try planRecords(directory.path("t/p")).map(\.path)
    #expect(names == [".", "./t", "./t/a", "./t/z"].map { Array($0.utf8) })
    #expect(TestSupport.names(inDirectory: directory.text + "/t") == ["a", "p", "z"])
  }

  @Test("the report has the balance and the number of useful shards")
  func report() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Array(repeating: 0x61, count: 1_000_000), to: "big".utf8)
    for index in 0..<6 { try directory.write("xyz", to: "s\(index)") }
    let result = try await weir("plan", ".", "--shards", "8", "-o", "p", in: directory).run()
    result.expectSilence()
    #expect(
      result.outputText == """
        shards         8
        files          7
        bytes          1,000,018 (1.0 MB)
        largest shard  1 file, 1.0 MB
        mean shard     0.9 files, 125.0 kB
        max/mean       1.143 files, 8.000 bytes, 3.562 cost

        """)
    let classes = try await weir(
      "plan", ".", "--shards", "2", "--by", "size-class", "-o", "p", in: directory
    ).run()
    #expect(
      classes.outputText.contains(
        "\nmax/mean       1.714 files, 2.000 bytes, 2.000 bytes to read\n"))
  }

  @Test("mistakes are named, and nothing is written")
  func usage() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a letter", to: "a")
    try directory.makeDirectory("d")
    let cases: [([String], String)] = [
      (["--shards", "2", "-o", "p"], "no input is given"),
      (["-", "--shards", "2", "-o", "p"], "and not -;"),
      (["/dev/stdin", "--shards", "2", "-o", "p"], "and not /dev/stdin;"),
      (["a", "-o", "p"], "plan needs --shards N"),
      (["a", "--shards", "2"], "plan needs --output FILE"),
      (["a", "--shards", "0", "-o", "p"], "--shards takes a number from 1 to 99999, not 0"),
      (["a", "--shards", "2", "-o", "-"], "--output takes the name of a file"),
      (
        ["a", "--shards", "2", "--by", "x", "-o", "p"], "--by takes size, count, hash or size-class"
      ),
      (["d", "--shards", "2", "-o", "a"], "weir: a: was not written by weir"),
      (["a", "--shards", "2", "-o", "d"], "weir: d: Is a directory"),
      (["a", "--shards", "2", "-o", "no/p"], "weir: no/p: No such file or directory"),
      (["--files-from", "none", "--shards", "2", "-o", "p"], "weir: none: No such file"),
    ]
    for (arguments, message) in cases {
      let words = (["plan"] + arguments).map { Array($0.utf8) }
      let result = try await weir(words, in: directory).run()
      #expect(result.status == 2 && result.output.isEmpty, "\(arguments)")
      #expect(result.errorText.contains(message), "\(arguments): \(result.errorText)")
    }
    let left = directory.names(beginningWith: "")
    #expect(left == ["a", "d"] && directory.content("a") == Array("a letter".utf8))
  }
}
