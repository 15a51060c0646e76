// Names of random bytes through all verbs, on a terminal.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(30)))
struct RandomNamesTests {
  /// The commands, for a tree t whose names are random.
  private static let script = #"""
    w() { "$W" "$@" </dev/null; }
    w hash t >M 2>/dev/null; w hash t; w hash -z t; w hash --tag --summary t; w hash --format json t
    w hash --format mtree t; w count t; w count -z --format json t
    w duplicates t; w duplicates -z t
    w duplicates --format json t; w check M; w check --format json M; w hash -o O t
    w run t -- false; w run --joblog L --format json t -- true; w plan t --shards 2 -o P
    for s in 0 1; do w hash --plan P --shard $s/2 --out R --verbose; done; w merge --plan P R
    w status --plan P R
    for f in t/*; do
      w limits "$f"; w "$f"; w hash "--$f"; w hash --jobs "$f"; w check "$f"; w hash -o "$f" M
      w hash --trace "$f/x" M; w merge --plan "$f" "$f"; w hash -C "$f"
    done
    for tool in sha256sum md5sum wc; do
      ln -s "$W" $tool; ./$tool t/*; ./$tool -z t/*; ./$tool -c t/*; ./$tool --tag t/*
      for f in t/*; do ./$tool -"$f"; ./$tool --"$f"; ./$tool "$f/x"; done
      ./$tool t/* >S 2>/dev/null; ./$tool -c S
    done
    for f in t/*; do printf x >"$f"; done 2>/dev/null
    w check M; w check --audit t M; w hash -o O --update t; ./sha256sum -c M
    for f in t/*; do mv "$f" "$f+"; done; w check M; w check --audit t M
    w hash -o O --update t; w run --joblog L --resume t -- true; w hash --plan P --shard 0/2 --out Q
    printf '\nend-of-the-row\n'
    """#

  /// The number of trees: WEIR_TEST_RANDOM_NAMES, or 1.
  private static let trees =
    getenv("WEIR_TEST_RANDOM_NAMES").flatMap { Int(String(cString: $0)) } ?? 1

  @Test("no byte of a random name commands the terminal", arguments: 0..<trees)
  func names(tree: Int) async throws {
    var random = SeededGenerator(for: "names \(tree)")
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    var names = random.names(2) + [RandomNamesTests.control(&random)]
    names.append(Array("d".utf8))
    for name in Set(names) { try directory.write("same".utf8, to: Array("t/".utf8) + name) }
    let locale = Bool.random(using: &random) ? "C.UTF-8" : "C"
    let arrived = try await onThread {
      let terminal = try Terminal(columns: 120)
      var command = Command(
        Array("sh".utf8),
        [
          Array("-c".utf8), Array("W=$1; exec >\"$2\" 2>&1\n\(RandomNamesTests.script)".utf8),
          Array("sh".utf8), weirPath, terminal.name,
        ])
      command.directory = directory.path
      command.locale = locale
      let child = try Child(command)
      let isWhole = terminal.collect(untilBytes: {
        $0.suffix(16).elementsEqual("end-of-the-row\r\n".utf8)
      })
      _ = try child.finish(limit: 40)
      #expect(isWhole)
      return terminal.bytes
    }
    // NUL ends a record.
    let faults = ArrivedBytes.faults(onTerminal: arrived.filter { $0 != 0 })
    if !faults.isEmpty {
      Issue.record("tree \(tree), locale \(locale): \(faults.count) faults: \(faults.prefix(3))")
    }
  }

  /// Returns a name of control characters between letters.
  private static func control(_ random: inout SeededGenerator) -> [UInt8] {
    let all: [[UInt8]] =
      (1..<0x20).map { [$0] } + (0x7F...0xFF).map { [$0] }
      + (0x80...0x9F).map { [0xC2, $0] }
      + [0xA8, 0xA9, 0xAA, 0xAE].map { [0xE2, 0x80, $0] } + [[0xE2, 0x81, 0xA6], [0x1B, 0x5D]]
    return (0..<12).flatMap { _ in all[Int.random(in: 0..<all.count, using: &random)] + [0x61] }
  }
}
