// Little memory and few threads: a run is complete, or ends with a sentence; it never stands
// still, and never crashes.

import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ExhaustionTests {
  /// Files of more than 8 MiB, which several threads count, and their manifest.
  private func makeFiles() async throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    let script = """
      for i in 1 2 3; do yes "line $i" | head -c 10000000 > t/$i; done; cp t/1 t/4
      sha256sum t/* > M; wc t/* > W; chmod -R a+rX .; cp "$0" weir; ln -s weir wc
      """
    try await shell(script, in: directory).run().expectSilence()
    return directory
  }

  private static let verbs = [
    "hash t", "count t", "duplicates t", "duplicates --verify t", "check --quiet M",
    "check --audit . M", "run -j2 t -- true",
  ]

  @Test(
    "ulimit -v: complete or a sentence",
    arguments: [40_000, 50_000, 80_000, 200_000])
  func memory(kilobytes: Int) async throws {
    let directory = try await makeFiles()
    for verb in ExhaustionTests.verbs {
      let script = "ulimit -v \(kilobytes); exec \"$0\" \(verb)"
      let result = try await shell(script, in: directory).run()
      // A shared library may not fit.
      if result.status == 127 { continue }
      #expect(!result.wasLate, "\(verb) stands still")
      #expect(result.signal == nil, "\(verb): signal \(result.signal ?? 0)")
      #expect((0...4).contains(result.status ?? -1))
      if result.status == 2 || result.status == 3 {
        #expect(result.errorText.contains("weir: "), "\(verb) is silent")
      }
    }
  }

  @Test("out of memory is a sentence and status 2")
  func noMemory() async throws {
    let directory = try TemporaryDirectory()
    // The names of an audit stay in memory.
    let line = String(repeating: "0", count: 64) + "  "
    let name = String(repeating: "n", count: 200)
    try directory.write((0..<400_000).map { "\(line)\(name)\($0)\n" }.joined(), to: "M")
    // Above what a start takes, below what the names take.
    var sentences = 0
    for kilobytes in stride(from: 60_000, through: 140_000, by: 20_000) {
      let result = try await shell(
        "ulimit -v \(kilobytes); exec \"$0\" check --status --audit . M", in: directory
      ).run()
      if result.status == 127 { continue }
      #expect(result.signal == nil && !result.wasLate)
      if result.status == 2, result.errorLines.last == "weir: Cannot allocate memory" {
        sentences += 1
      }
    }
    #expect(sentences > 0)
  }

  /// Another user, whom the limit applies to, and who has no other processes: each suite
  /// that sets the limit has a user of its own.
  private static let bare = """
    bare() {
      if [ "$(id -u)" != 0 ]; then bash -c "ulimit -u $1; shift; exec \\"\\$@\\"" bash "$@"
      else setpriv --reuid 64997 --clear-groups \\
        bash -c "ulimit -u $1; shift; exec \\"\\$@\\"" bash "$@"; fi
    }
    bare 1 ./weir --version > /dev/null 2>&1 || exit 77

    """

  // One after another: the cases share a user.
  @Test(
    "ulimit -u: big files are counted, compared and hashed", .serialized, arguments: [1, 2, 4])
  func threads(processes: Int) async throws {
    let directory = try await makeFiles()
    let script =
      ExhaustionTests.bare + """
        bare \(processes) ./weir count t | tail -n 1
        bare \(processes) ./wc t/* | cmp - W
        bare \(processes) ./weir hash t | cmp - M
        bare \(processes) ./weir check --quiet M
        bare \(processes) ./weir duplicates --verify t | wc -l
        bare \(processes) ./weir demo loops --count 100 > /dev/null
        """
    let result = try await shell(script, in: directory).run()
    if result.status == 77 { return print("skipped: no other user may run the tool here") }
    #expect(!result.wasLate)
    let expected = try await shell("tail -n 1 W", in: directory).run().outputText
    let numbers = { (text: Substring) in text.split(separator: " ").prefix(3).map(String.init) }
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.first.map(numbers) == numbers(expected[...]))
    #expect(result.errorText.isEmpty, "\(result.errorText)")
  }
}
