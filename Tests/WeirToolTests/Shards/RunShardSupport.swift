// A set of files on which weir run runs as one process and in shards.

import TestSupport
import Testing

/// Files, a plan of them, and a command.
struct CommandSet {
  let directory: TemporaryDirectory
  /// The PATHs of the run and of the plan.
  let paths: [[UInt8]]
  let shards: Int
  /// The words after `--`.
  let command: [[UInt8]]

  /// Makes the plan.
  init(
    _ directory: TemporaryDirectory, _ paths: [[UInt8]], shards: Int, command: [[UInt8]]
  ) async throws {
    self.directory = directory
    self.paths = paths
    self.shards = shards
    self.command = command
    try await plan()
  }

  /// `sh -c SCRIPT sh ARGUMENTS`.
  init(
    _ directory: TemporaryDirectory, _ paths: [[UInt8]], shards: Int, script: String,
    _ arguments: [String] = ["{}", "{#}"]
  ) async throws {
    try await self.init(
      directory, paths, shards: shards,
      command: (["sh", "-c", script, "sh"] + arguments).map { Array($0.utf8) })
  }

  func plan() async throws {
    let made = try await weir(
      words("plan", "--shards", "\(shards)", "-o", "set.plan") + paths, in: directory
    ).run()
    try #require([0, 3].contains(made.status), "\(made.errorText)")
  }

  /// The run of one process.
  func whole(_ options: String...) async throws -> Outcome {
    try await weir(
      words("run") + options.map { Array($0.utf8) } + paths + words("--") + command,
      in: directory
    ).run()
  }

  /// The command line of a shard.
  func shard(_ shard: Int, _ options: [String] = [], out: String = "parts") -> Command {
    weir(
      words("run", "--plan", "set.plan", "--shard", "\(shard)/\(shards)", "--out", out)
        + options.map { Array($0.utf8) } + words("--") + command, in: directory)
  }

  /// Runs all shards, in a random order. Returns their statuses by shard.
  @discardableResult
  func runAll(_ options: String..., out: String = "parts") async throws -> [Int32?] {
    var statuses = [Int32?](repeating: nil, count: shards)
    for number in (0..<shards).shuffled() {
      let outcome = try await shard(number, options, out: out).run()
      #expect(outcome.output.isEmpty && !outcome.wasLate, "\(outcome.errorText)")
      statuses[number] = outcome.status
    }
    return statuses
  }

  func merge(_ options: String..., out: String = "parts") async throws -> Outcome {
    try await weir(
      words("merge", "--plan", "set.plan") + options.map { Array($0.utf8) } + words(out),
      in: directory
    ).run()
  }

  /// The names in a directory; none if there is no such directory.
  func names(in name: String) -> [String] {
    TestSupport.names(inDirectory: directory.text + "/" + name)
  }

  /// Expects that a merge has written what one process has written.
  func expectSame(
    _ merged: Outcome, _ whole: Outcome, _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(difference(merged.output, whole.output) == nil, sourceLocation: location)
    #expect(difference(merged.errors, whole.errors) == nil, sourceLocation: location)
    #expect(merged.status == whole.status, sourceLocation: location)
  }
}

/// The lines of JSON without the times of the commands and of the run.
func withoutTimes(_ output: [UInt8]) -> String {
  String(decoding: output, as: UTF8.self)
    .replacing(#/"(start|seconds)":[0-9.]+/#) { "\"\($0.1)\":0" }
}
