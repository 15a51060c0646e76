// A verb in one process and over shards, for the comparison of their output.

import Glibc
import TestSupport
import Testing

/// A verb with its options and operands.
struct ShardedVerb {
  let directory: TemporaryDirectory
  let verb: String
  var options: [[UInt8]] = []
  /// The operands of plan and of the one process; for check, the manifests.
  var operands: [[UInt8]] = []

  /// Runs weir without the powers of root, so that permissions apply.
  func run(_ arguments: [[UInt8]]) async throws -> Outcome {
    if getuid() != 0 || !isInstalled("setpriv") {
      return try await weir(arguments, in: directory).run()
    }
    let powers = "-dac_override,-dac_read_search"
    return try await other(
      "setpriv",
      words("--bounding-set=\(powers)", "--inh-caps=\(powers)") + [weirPath] + arguments,
      in: directory
    ).run()
  }

  /// Runs the verb in one process.
  func runWhole() async throws -> Outcome { try await run(words(verb) + options + operands) }

  /// Runs one shard of the plan `set.plan`.
  func runShard(_ shard: Int, of shards: Int, out: String = "parts", _ more: [[UInt8]] = [])
    async throws -> Outcome
  {
    let manifests = verb == "check" ? operands : []
    return try await run(
      words(verb, "--plan", "set.plan", "--shard", "\(shard)/\(shards)", "--out", out) + options
        + more + manifests)
  }

  func merge(out: String = "parts") async throws -> Outcome {
    try await run(words("merge", "--plan", "set.plan", out))
  }

  /// Runs all shards in a random order, and the merge. The parts are removed afterwards.
  func runShards(_ shards: Int, statuses: Set<Int32?> = [0, 1, 3]) async throws -> Outcome {
    for shard in (0..<shards).shuffled() {
      let outcome = try await runShard(shard, of: shards)
      #expect(statuses.contains(outcome.status), "\(outcome.errorText)")
      #expect(outcome.output.isEmpty)
    }
    let merged = try await merge()
    _ = try await shell("rm -r parts", in: directory).run()
    return merged
  }

  /// Expects that the shards together write what one process writes.
  func expectSame(_ shards: Int, _ location: SourceLocation = #_sourceLocation) async throws {
    let whole = try await runWhole()
    let merged = try await runShards(shards)
    let text = options.map { String(decoding: $0, as: UTF8.self) }
    #expect(
      withoutSeconds(merged.output) == withoutSeconds(whole.output), "\(shards) shards, \(text)",
      sourceLocation: location)
    #expect(merged.errorText == whole.errorText, "\(shards) shards", sourceLocation: location)
    #expect(merged.status == whole.status, "\(shards) shards, \(text)", sourceLocation: location)
  }
}

/// Returns JSON without the seconds of its summary, which differ from run to run.
func withoutSeconds(_ output: [UInt8]) -> [UInt8] {
  let key = Array("\"seconds\":".utf8)
  guard let last = output.dropLast().split(whereSeparator: { $0 == 0x0A || $0 == 0 }).last,
    let begin = last.indices.first(where: { last[$0...].starts(with: key) })
  else { return output }
  return Array(output[..<begin])
}
