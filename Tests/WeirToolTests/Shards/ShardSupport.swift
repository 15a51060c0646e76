// Plans, parts and merges for the tests of shards.

import Glibc
import TestSupport
import Testing

/// A tree with a plan and a directory of parts.
struct ShardFixture {
  let directory: TemporaryDirectory
  let shards: Int

  /// Makes a tree of small files with awkward names, directories, links and special files, and
  /// a plan of it.
  init(
    _ name: String, files: Int = 150, shards: Int = 5, plan: [[UInt8]] = []
  ) async throws {
    directory = try TemporaryDirectory()
    self.shards = shards
    var random = SeededGenerator(for: name)
    try directory.fill("t", files: files, using: &random) { $0.name() }
    try directory.makeDirectory("t/empty")
    try directory.makeDirectory("t/order")
    try directory.write("1", to: "t/order/x")
    try directory.write("2", to: "t/order.txt")
    try directory.link("t/link", to: "nowhere")
    try directory.makeFIFO("t/fifo")
    try await self.plan(plan)
  }

  /// Makes the plan.
  func plan(_ options: [[UInt8]] = [], of paths: [[UInt8]] = words("t")) async throws {
    let made = try await weir(
      words("plan", "--shards", "\(shards)", "-o", "set.plan") + options + paths, in: directory
    ).run()
    #expect(made.status == 0, "\(made.errorText)")
  }

  /// The arguments of a shard.
  func arguments(_ verb: String, _ options: [[UInt8]], shard: Int, out: String = "parts")
    -> [[UInt8]]
  {
    words(verb, "--plan", "set.plan", "--shard", "\(shard)/\(shards)", "--out", out) + options
  }

  /// Runs a verb on one shard.
  func run(_ verb: String, _ options: [[UInt8]] = [], shard: Int, out: String = "parts")
    async throws -> Outcome
  {
    try await weir(arguments(verb, options, shard: shard, out: out), in: directory).run()
  }

  /// Runs a verb on all shards, in a random order.
  func runAll(_ verb: String, _ options: [[UInt8]] = [], out: String = "parts") async throws {
    for shard in (0..<shards).shuffled() {
      let outcome = try await run(verb, options, shard: shard, out: out)
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome.errorText)")
    }
  }

  func merge(_ options: [[UInt8]] = [], out: String = "parts") async throws -> Outcome {
    try await weir(
      words("merge", "--plan", "set.plan") + options + words(out), in: directory
    ).run()
  }

  /// The name of a part.
  func part(_ shard: Int, in out: String = "parts") -> String {
    let digits = { (number: Int) in
      String(repeating: "0", count: 5 - "\(number)".count) + "\(number)"
    }
    return "\(out)/shard-\(digits(shard))-of-\(digits(shards)).part"
  }
}

/// The lines of JSON without the last one, the summary, which has the seconds of the run.
func withoutSummary(_ output: [UInt8]) -> [UInt8] {
  let lines = output.split(separator: 0x0A)
  return Array(lines.dropLast().joined(separator: [0x0A]))
}
