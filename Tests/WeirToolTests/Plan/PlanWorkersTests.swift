// weir plan --shard: the lists of several workers give the plan of one walk.

import FileJobs
import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct PlanWorkersTests {
  /// Lists a tree by several workers. Returns the highest status.
  @discardableResult
  private func list(
    _ arguments: [String], workers: Int, in directory: TemporaryDirectory
  ) async throws -> Int32 {
    var status: Int32 = 0
    for worker in 0..<workers {
      let words = ["plan"] + arguments + ["--shard", "\(worker)/\(workers)", "--out", "lists"]
      let result = try await weir(words.map { Array($0.utf8) }, in: directory).run()
      status = max(status, result.status ?? 99)
    }
    return status
  }

  private func merge(in directory: TemporaryDirectory) async throws -> Outcome {
    try await weir("plan", "--from", "lists", "--shards", "6", "-o", "many", in: directory).run()
  }

  @Test(
    "the merged plan has the bytes of one walk, with filters, links and errors",
    arguments: [
      [], ["--split-depth", "1"], ["--split-depth", "3", "--exclude", "*1"],
      ["--exclude", "n*", "--max-depth", "2"], ["--follow", "gone"], ["a.txt", "./t", "t/"],
    ])
  func same(options: [String]) async throws {
    var random = SeededGenerator(for: "PlanWorkersTests.same")
    let directory = try TemporaryDirectory()
    try directory.fill("t", files: 300, using: &random) {
      Bool.random(using: &$0) ? $0.name() : plainName(&$0)
    }
    try directory.fill("t/deep", files: 100, using: &random)
    // A random name has at most 12 bytes.
    try directory.write("1", to: "t/none of them.txt")
    try directory.makeDirectory("t/none of them")
    try directory.write("2", to: "t/none of them/x")
    try directory.write("3", to: "a.txt")
    try directory.link("t/none of them/loop", to: "..")
    try directory.makeFIFO("t/deep/pipe")
    let arguments = ["t"] + options
    let split = options.first == "--split-depth" ? 2 : 0
    let one = try await weir(
      (["plan", "t"] + options.dropFirst(split) + ["--shards", "6", "-o", "one"]).map {
        Array($0.utf8)
      },
      in: directory
    ).run()
    for workers in [1, 3, 8].sampled(oneIn: 3, for: "workers, \(options)") {
      try? FileManager.default.removeItem(atPath: directory.text + "/lists")
      let status = try await list(arguments, workers: workers, in: directory)
      #expect(status == one.status)
      let many = try await merge(in: directory)
      #expect(many.status == one.status && many.outputText == one.outputText)
      #expect(many.errorText.isEmpty)
      let isSame = content("many", in: directory) == content("one", in: directory)
      #expect(isSame, "\(workers) workers")
    }
    let isWritten = content("one", in: directory) != nil
    #expect(isWritten)
  }

  @Test("lists that are missing, foreign or damaged are named, and no plan is written")
  func faults() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "PlanWorkersTests.faults")
    try directory.fill("t", files: 400, using: &random)
    try directory.fill("u", files: 40, using: &random)
    try await list(["t"], workers: 3, in: directory)
    let names = (0..<3).map { "lists/list-0000\($0)-of-00003.part" }
    let good = try names.map { try #require(content($0, in: directory)) }
    func expect(_ status: Int32, _ message: String) async throws {
      let result = try await merge(in: directory)
      #expect(result.status == status && result.output.isEmpty)
      #expect(result.errorText.contains(message), "\(result.errorText)")
      #expect(content("many", in: directory) == nil)
    }
    try FileManager.default.removeItem(atPath: directory.text + "/" + names[1])
    try await expect(3, "weir: \(names[1]): No such file or directory\n")
    let indices = Array(stride(from: 0, to: good[1].count, by: 41))
    for index in indices.sampled(oneIn: 4, for: "damage of a list") {
      var bad = good[1]
      bad[index] ^= 1
      try directory.write(bad, to: names[1].utf8)
      let result = try await merge(in: directory)
      #expect([4, 5].contains(result.status), "byte \(index): \(result.errorText)")
      #expect(result.errorText.contains(names[1]) && content("many", in: directory) == nil)
    }
    try directory.write(good[1].dropLast(), to: names[1].utf8)
    try await expect(5, "weir: \(names[1]): is damaged: it is too short by 1 bytes\n")
    try directory.write(good[2], to: names[1].utf8)
    try await expect(4, "weir: \(names[1]): is the list of worker 2 of 3\n")
    try FileManager.default.removeItem(atPath: directory.text + "/" + names[1])
    _ = try await weir("plan", "u", "--shard", "1/3", "--out", "lists", in: directory).run()
    try await expect(4, "weir: \(names[1]): was made with other PATHs or options\n")
    try directory.write(good[1], to: names[1].utf8)
    #expect(try await merge(in: directory).status == 0)
  }

  @Test("a list that exists stays, and one of other arguments is an error")
  func again() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try await list(["t"], workers: 1, in: directory)
    let name = "lists/list-00000-of-00001.part"
    let before = content(name, in: directory)
    try directory.write("1", to: "t/new")
    let again = try await weir("plan", "t", "--shard", "0/1", "--out", "lists", in: directory).run()
    #expect(
      again.status == 0 && again.errorText == "weir: \(name): exists already; nothing to do\n")
    #expect(content(name, in: directory) == before)
    let other = try await weir(
      "plan", "t", "--follow", "--shard", "0/1", "--out", "lists", in: directory
    ).run()
    #expect(other.status == 2)
    #expect(
      other.errorText
        == "weir: \(name): was made with other PATHs or options; remove it first\n")
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.text + "/lists")
    #expect(left == ["list-00000-of-00001.part"])
  }
}
