// weir run on a shard that is killed, halted or interrupted, and continued.

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

  @Test("kill -9 in the middle: what is recorded is not run again, and nothing is there twice")
  func killed() async throws {
    let script = """
      echo $2 >> log; echo "$1 $2"
      if [ $2 = 25 ] && ! [ -e go ]; then echo ready > ready; read x < gate; fi
      """
    let set = try await set(40, script: script)
    try set.directory.makeFIFO("gate")
    try set.directory.makeFIFO("ready")
    // Number 25 waits, so 26 to 40 may have ended, but none of them is recorded.
    let killed = try await onThread {
      let child = try Child(set.shard(0, ["-j2"]))
      // Open until the line is there: else SIGPIPE may end the command.
      let ready = open(set.directory.text + "/ready", O_RDONLY | O_CLOEXEC)
      defer { close(ready) }
      var byte: UInt8 = 0
      #expect(read(ready, &byte, 1) == 1)
      kill(child.pid, SIGKILL)
      return try child.finish(limit: 40).signal == SIGKILL
    }
    #expect(killed)
    // The command that waits ends.
    let gate = open(set.directory.text + "/gate", O_RDWR | O_CLOEXEC)
    _ = write(gate, "x\n", 2)
    close(gate)
    #expect(parts(set).isEmpty && attempts(set).count == 1)
    try set.directory.write("", to: "go")
    let again = try await set.shard(0, ["-j2", "--resume"]).run()
    #expect(again.status == 0 && attempts(set).isEmpty && parts(set).count == 1)
    let log = numbers(in: "log", of: set.directory)
    #expect(Set(log) == Set(1...40))
    #expect(log.filter { $0 == 25 }.count == 2)
    // At most one more command ran beside each recorded one.
    #expect((1...20).allSatisfy { number in log.filter { $0 == number }.count == 1 })
    set.expectSame(try await set.merge(), try await set.whole())
  }

  @Test("kill -9 at random moments, with output of megabytes")
  func randomKills() async throws {
    var random = SeededGenerator(for: "run kills")
    let script = """
      echo $2 >> log$WEIR_ATTEMPT
      [ $(($2 % 3)) = 0 ] && seq -f "$2 %g and some more of it" 0 30000
      echo "$1 $2"; [ $(($2 % 5)) != 0 ]
      """
    let set = try await set(24, shards: 2, script: script)
    var kills = 0
    for shard in 0..<2 {
      var isDone = false
      var most: useconds_t = 60_000
      while !isDone {
        let delay = useconds_t.random(in: 0...most, using: &random)
        let outcome = try await onThread {
          let child = try Child(set.shard(shard, ["-j2", "--resume"]))
          usleep(delay)
          kill(child.pid, SIGKILL)
          return try child.finish(limit: 40)
        }
        isDone = outcome.signal == nil
        // The time of a run depends on the load of the machine.
        if isDone { #expect(outcome.status == 1, "\(outcome.errorText)") } else { kills += 1 }
        most += 20_000
      }
    }
    print("\(kills) kills")
    // A kill after the link leaves files, which the next start removes.
    for shard in 0..<2 { _ = try await set.shard(shard, ["-j2", "--resume"]).run() }
    #expect(attempts(set).isEmpty)
    #expect(Set(numbers(in: "log1", of: set.directory)) == Set(1...24))
    set.expectSame(try await set.merge(), try await set.whole("-j2"))
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

  @Test("an interrupt ends the commands, keeps what is done, and names the way to continue")
  func interrupted() async throws {
    let script = """
      echo $2 >> log
      if [ $2 = 4 ] && ! [ -e go ]; then echo > ready; exec sleep 1000; fi
      echo $1
      """
    let set = try await set(9, script: script)
    try set.directory.makeFIFO("ready")
    let outcome = try await onThread {
      let child = try Child(set.shard(0, ["-j1"]))
      // Open until the line is there: else SIGPIPE may end the command.
      let ready = open(set.directory.text + "/ready", O_RDONLY | O_CLOEXEC)
      defer { close(ready) }
      var byte: UInt8 = 0
      #expect(read(ready, &byte, 1) == 1)
      kill(child.pid, SIGINT)
      return try child.finish(limit: 40)
    }
    #expect(outcome.signal == SIGINT && parts(set).isEmpty && attempts(set).count == 1)
    #expect(
      outcome.errorText.contains(
        "the results up to the first unfinished file are kept; to continue:"))
    try set.directory.write("", to: "go")
    #expect(try await set.shard(0, ["-j1", "--resume"]).run().status == 0)
    #expect(numbers(in: "log", of: set.directory) == [1, 2, 3, 4, 4, 5, 6, 7, 8, 9])
    set.expectSame(try await set.merge(), try await set.whole())
  }
}
