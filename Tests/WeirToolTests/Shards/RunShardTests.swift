// weir run on shards of a plan: the merge writes what one process writes.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct RunShardTests {
  /// Writes the item and its number, and on the other stream too; long output for some, and
  /// each kind of end.
  private static let script = """
    case $(($2 == 3 || $2 == 70 ? 11 : $2 % 11)) in
    11) seq -f "$2 %g and some more of it so that it is long" 0 40000;;
    4) printf 'no newline';;
    5) ;;
    6) echo "$2 complains" >&2;;
    7) seq -f "error $2 %g" 0 3000 >&2;;
    *) printf '%s\\n' "$@";;
    esac
    case $(($2 % 13)) in 4) exit 3;; 5) kill -9 $$;; 6) exec ./nothing 2> /dev/null;; esac
    """

  /// Random files with odd names, special files and links, and names of files.
  private func set(_ name: String, shards: Int, files: Int = 90) async throws -> CommandSet {
    var random = SeededGenerator(for: name)
    let directory = try TemporaryDirectory()
    try directory.fill("t", files: files, using: &random) { $0.name() }
    try directory.fill("-u", files: 10, using: &random) { Array("-\($0.next() % 1000).x".utf8) }
    try directory.makeDirectory("t/a directory of its own")
    try directory.write("1", to: "t/a directory of its own/-x")
    try directory.write("2", to: "t/a directory of its own.txt")
    try directory.makeFIFO("t/fifo")
    try directory.makeFIFO("named fifo")
    try directory.makeSocket("t/socket")
    try directory.link("t/link", to: "nowhere")
    try directory.link("link", to: "t/a directory of its own.txt")
    let dash = Array("t/a directory of its own/-x".utf8)
    let paths =
      [dash] + words("t", "./-u", "missing", "named fifo", "link", "t/a directory of its own.txt")
    return try await CommandSet(
      directory, paths, shards: shards, script: Self.script,
      ["{}", "{#}", "{/}", "{//}", "{.}", "{/.}", "a{/}"])
  }

  @Test("text on both streams, messages, status and summary", arguments: [1, 2, 5, 9])
  func streams(shards: Int) async throws {
    let set = try await set("run shards \(shards)", shards: shards)
    let whole = try await set.whole("-j3")
    #expect(whole.status == 1 && whole.output.count > 200_000)
    let statuses = try await set.runAll("-j\(shards % 4 + 1)")
    #expect(statuses.contains(1))
    set.expectSame(try await set.merge(), whole)
    // The summary differs in the times alone.
    let lines = try await [set.merge("--summary"), set.whole("--summary")].map { outcome in
      String(outcome.errorText.split(separator: "\n").last ?? "").split(separator: " in ").first
    }
    #expect(lines[0] == lines[1] && lines[0]?.contains("commands run") == true)
    // A shard that is done returns at once, with its status.
    for shard in 0..<shards {
      let again = try await set.shard(shard, ["-j2"]).run()
      #expect(again.status == statuses[shard])
      #expect(again.errorText.contains("is done already"))
    }
  }

  @Test("JSON, except times", arguments: [1, 4])
  func json(shards: Int) async throws {
    let set = try await set("run shards in JSON", shards: shards)
    let whole = try await set.whole("--format", "json")
    try await set.runAll("--format=json")
    let merged = try await set.merge()
    #expect(difference(withoutTimes(merged.output), withoutTimes(whole.output)) == nil)
    #expect(merged.errors == whole.errors && merged.status == whole.status)
    #expect(withoutTimes(whole.output) != String(decoding: whole.output, as: UTF8.self))
  }

  @Test("retries, timeouts, and names that cannot be arguments")
  func failures() async throws {
    let directory = try TemporaryDirectory()
    for number in 1...30 { try directory.write("", to: "f\(number)") }
    // The files of attempts are of one process or of the shards.
    let script = """
      d=tries${WEIR_SHARD:+-shards}; mkdir -p $d
      case $1 in
      f7) echo before; exec sleep 1000;;
      f*[05]) exit 1;;
      f*[369]) echo x >> $d/$1; t=$(wc -l < $d/$1); echo "$1 try $t"; [ $t -ge 3 ];;
      *) echo $1;;
      esac
      """
    let paths = (1...30).map { Array("f\($0)".utf8) }
    let set = try await CommandSet(directory, paths, shards: 4, script: script, ["{}"])
    let whole = try await set.whole("--retries", "2", "--timeout", "2")
    #expect(whole.errorText.contains("took more than 2.00 s, 3 times"))
    #expect(whole.errorText.contains("run again") && whole.outputText.contains("f3 try 3"))
    try await set.runAll("--retries=2", "--timeout=2")
    set.expectSame(try await set.merge(), whole)
    // Other options are another command.
    let other = try await set.shard(0, ["--retries", "3"]).run()
    #expect(other.status == 2 && other.errorText.contains("another command"))
  }

  @Test("groups: every file once, in the place of the group's first file", arguments: [1, 3, 8])
  func groups(shards: Int) async throws {
    var random = SeededGenerator(for: "run groups")
    let directory = try TemporaryDirectory()
    let files = try directory.fill("t", files: 100, using: &random) { $0.name() }
    let set = try await CommandSet(
      directory, words("t"), shards: shards, script: "printf '%s\\0' \"$@\"", ["{}"])
    try await set.runAll("-n7")
    let merged = try await set.merge()
    let names = merged.output.split(separator: 0, omittingEmptySubsequences: false)
      .dropLast().map(Array.init)
    #expect(names.sorted(by: precedesInWalk) == files)
    #expect(merged.errors.isEmpty && merged.status == 0)
    if shards == 1 { set.expectSame(merged, try await set.whole("-n7")) }
    // The numbers of the commands are the places of their first files.
    try await set.runAll("-n7", "--format=json", out: "json")
    let lines = try await set.merge(out: "json").outputText.split(separator: "\n")
    let numbers = lines.compactMap { line in
      line.hasPrefix("{\"type\":\"command\"")
        ? line.firstMatch(of: #/"command":(\d+)/#).flatMap { Int($0.1) } : nil
    }
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    #expect(numbers.first == 1 && numbers.count >= 100 / 7)
  }

  @Test("no command for a file that has changed or is gone, unless that is allowed")
  func changes() async throws {
    let directory = try TemporaryDirectory()
    for number in 1...20 { try directory.write("\(number)", to: "f\(number)") }
    let paths = (1...20).map { Array("f\($0)".utf8) }
    let set = try await CommandSet(
      directory, paths, shards: 3, script: "echo \"$@\"; echo \"$@\" >> log", ["{}"])
    try directory.write("another size", to: "f3")
    #expect(unlink(directory.text + "/f5") == 0)
    // The same size at another time.
    var times = [timespec(tv_sec: 1, tv_nsec: 7), timespec(tv_sec: 1, tv_nsec: 7)]
    #expect(utimensat(AT_FDCWD, directory.text + "/f9", &times, 0) == 0)
    let statuses = try await set.runAll()
    #expect(statuses.contains(3) && statuses.allSatisfy { $0 == 0 || $0 == 3 })
    let merged = try await set.merge()
    let rest = (1...20).filter { ![3, 5, 9].contains($0) }.map { "f\($0)" }
    #expect(merged.outputText == rest.map { "\($0)\n" }.joined() && merged.status == 3)
    #expect(
      merged.errorLines.dropLast() == [
        "weir: f3: has changed since the plan was made; --allow-changed reads it",
        "weir: f5: No such file or directory",
        "weir: f9: has changed since the plan was made; --allow-changed reads it",
      ])
    let log = text(of: "log", in: directory).split(separator: "\n").map(String.init)
    #expect(Set(log) == Set(rest) && log.count == rest.count)
    // A group runs without such a file.
    try await set.runAll("-n20", out: "groups")
    let groups = try await set.merge(out: "groups")
    let grouped = groups.outputText.split { $0 == " " || $0 == "\n" }.map(String.init)
    #expect(grouped.sorted() == rest.sorted() && groups.status == 3)
    #expect(groups.errorLines.filter { $0.contains("has changed") }.count == 2)
    try await set.runAll("--allow-changed", out: "allowed")
    set.expectSame(try await set.merge(out: "allowed"), try await set.whole())
  }

  @Test("the shard and the attempt are in the environment of the commands")
  func environment() async throws {
    let directory = try TemporaryDirectory()
    for number in 1...6 { try directory.write("", to: "f\(number)") }
    let set = try await CommandSet(
      directory, (1...6).map { Array("f\($0)".utf8) }, shards: 2,
      script: "env | grep -c WEIR_; echo $WEIR_SHARD $WEIR_ATTEMPT $OTHER", ["{}"])
    for shard in 0..<2 {
      var command = set.shard(shard)
      command.environment = [
        "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "OTHER=x y", "WEIR_SHARD=7/9", "WEIR_ATTEMPT=5",
      ]
      #expect(try await command.run().status == 0)
    }
    let lines = try await set.merge().outputText.split(separator: "\n")
    #expect(lines.count == 12)
    #expect(Set(lines) == ["2", "0/2 5 x y", "1/2 5 x y"])
  }

  @Test("options that do not apply are errors, which name the way")
  func usage() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "f")
    let set = try await CommandSet(directory, words("f"), shards: 1, command: words("echo"))
    for (option, way) in [
      (["--joblog", "L"], "the part is the log"), (["--resume-failed"], "--resume"),
      (["--ungroup"], "the part"), (["--unordered"], "weir merge"),
      (["--max-depth", "1"], "weir plan"), (["f"], "weir plan"), (["--exclude", "x"], "weir plan"),
    ] {
      let outcome = try await set.shard(0, option).run()
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(option)")
      #expect(outcome.errorText.contains(way), "\(outcome.errorText)")
    }
    for line in [
      "--out o f", "--allow-changed f", "--resume f", "--shard auto f", "--shard 3 f",
      "--shard 3/3 f", "--plan set.plan --shard 0/1", "--plan set.plan --out o",
    ] {
      let outcome = try await weir(
        words("run") + line.split(separator: " ").map { Array($0.utf8) } + words("--", "echo"),
        in: directory
      ).run()
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(line): \(outcome.errorText)")
    }
    #expect(set.names(in: "parts").isEmpty)
    #expect(directory.names(beginningWith: "L").isEmpty)
  }

  @Test("without a plan, the shards by the hash of the name share the items", arguments: [1, 2, 5])
  func quick(shards: Int) async throws {
    var random = SeededGenerator(for: "run quick")
    let directory = try TemporaryDirectory()
    let files = try directory.fill("t", files: 120, using: &random) { $0.name() }
    try directory.makeFIFO("t/fifo")
    let items = files.map { $0 + [0] } + [Array("no file\0".utf8)]
    var found: [[UInt8]] = []
    var skipped = 0
    for shard in 0..<shards {
      let outcome = try await weir(
        words("run", "--shard", "\(shard)/\(shards)", "t", "no file", "--", "sh", "-c")
          + words("printf '%s\\0' \"$1\"; echo $2 $WEIR_SHARD >&2", "sh", "{}", "{#}"),
        in: directory
      ).run()
      #expect(outcome.status == 0)
      let mine = outcome.output.split(separator: 0).map { Array($0) + [0] }
      #expect(mine == items.filter { mine.contains($0) })
      let numbers = outcome.errorLines.filter { !$0.hasPrefix("weir: ") }
      #expect(numbers == mine.indices.map { "\($0 + 1) \(shard)/\(shards)" })
      if outcome.errorText.contains("is a FIFO") { skipped += 1 }
      found += mine
    }
    #expect(found.count == items.count && Set(found) == Set(items) && skipped == 1)
  }
}
