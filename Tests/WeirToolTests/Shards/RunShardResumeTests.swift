// weir run on a shard that is halted or interrupted, and continued; KillTests has kills.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct RunShardResumeTests {
  /// Files f1 to fN, and a command that logs each start and writes much for some.
  private func set(
    _ count: Int, shards: Int = 1, script: String
  ) async throws -> CommandSet {
    let directory = try TemporaryDirectory()
    for number in 1...count { try directory.write("\(number)", to: "f\(number)") }
    return try await CommandSet(
      directory, (1...count).map { Array("f\($0)".utf8) }, shards: shards, script: script)
  }

  private func attempts(_ set: CommandSet) -> [String] {
    set.names(in: "parts").filter { $0.contains(".part.tmp.") }
  }

  private func parts(_ set: CommandSet) -> [String] {
    set.names(in: "parts").filter { $0.hasSuffix(".part") }
  }

  @Test("a halted shard is not done, and --resume continues it", arguments: ["soon", "now"])
  func halted(when: String) async throws {
    let script = "echo $2 >> log; echo $1; [ $2 != 5 ] || [ -e fixed ]"
    let set = try await set(12, script: script)
    let first = try await set.shard(0, ["-j1", "--halt", when]).run()
    #expect(first.status == 1 && parts(set).isEmpty && attempts(set).count == 1)
    #expect(first.errorText.contains("shard 0/1 is not done; to continue:"))
    #expect(first.errorText.contains("--resume"))
    #expect(first.errorLines.contains("weir: f5: sh ended with status 1"))
    let before = numbers(in: "log", of: set.directory)
    #expect(before.contains(5) && before.count < 12)
    let missing = try await set.merge()
    #expect(missing.status == 3 && missing.output.isEmpty)
    // The failure is recorded: it is not run again, and it counts.
    let rest = try await set.shard(0, ["-j1", "--resume"]).run()
    #expect(rest.status == 1 && parts(set).count == 1)
    #expect(numbers(in: "log", of: set.directory).sorted() == Array(1...12))
    set.expectSame(try await set.merge(), try await set.whole())
  }

  @Test("a failure is reported, but not recorded, after a command that --halt now has ended")
  func gap() async throws {
    let script = """
      echo $2 >> log
      if [ $2 = 1 ] && ! [ -e go ]; then echo > ready; exec sleep 1000; fi
      if [ $2 = 2 ] && ! [ -e go ]; then read x < ready; exit 1; fi
      echo $1
      """
    let set = try await set(6, script: script)
    try set.directory.makeFIFO("ready")
    let halted = try await set.shard(0, ["-j2", "--halt", "now"]).run()
    #expect(halted.status == 1 && parts(set).isEmpty)
    #expect(halted.errorLines.contains("weir: f2: sh ended with status 1"))
    try set.directory.write("", to: "go")
    let resumed = try await set.shard(0, ["-j2", "--resume", "--halt", "now"]).run()
    #expect(resumed.status == 0, "\(resumed.errorText)")
    let log = numbers(in: "log", of: set.directory)
    #expect(log.filter { $0 < 3 }.sorted() == [1, 1, 2, 2])
    set.expectSame(try await set.merge(), try await set.whole())
  }
}
