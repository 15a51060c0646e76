// weir compare: verdicts against an oracle, and its limits.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(15)))
struct CompareTests {
  @Test("the verdicts on random pairs are those of an oracle", .enabled(if: isInstalled("xxhsum")))
  func oracle() async throws {
    let shared = try TemporaryDirectory()
    let contents = try await ModelContents(in: shared)
    for number in Array(0..<2000).sampled(oneIn: 16, for: "CompareTests.oracle") {
      var random = SeededGenerator(for: "CompareTests.oracle \(number)")
      let pair = ModelPair(&random)
      let directory = try TemporaryDirectory()
      try pair.a.write(to: "A", contents, isZero: pair.isZero, in: directory, &random)
      try pair.b.write(to: "B", contents, isZero: pair.isZero, in: directory, &random)
      let memory = Bool.random(using: &random) ? ["--memory", "8M"] : []
      let result = try await weir(
        ["compare", "A", "B"] + pair.arguments + memory, in: directory
      ).run()
      let expected = pair.expected()
      let what = "\(number): \(pair.a.form) \(pair.b.form) \(pair.arguments)"
      #expect(!result.wasLate && result.status == expected.status, "\(what) \(result.errorText)")
      #expect(
        result.output == expected.output,
        """
        \(what)
        \(String(decoding: result.output, as: UTF8.self))
        expected:
        \(String(decoding: expected.output, as: UTF8.self))
        """)
    }
  }

  /// The first line appears when all moves are known, and the pipe holds no more than some of the rest.
  @Test(
    "the search for moves takes no more memory for 150,000 files than for 30,000",
    .enabled(if: bytesInUse() > 0, "a sanitizer needs room of its own"))
  func movesMemory() async throws {
    let script = """
      mkfifo p
      for count in 30000 150000; do
        for side in a b; do
          awk -v count=$count -v side=$side 'BEGIN {
            step = side == "a" ? 7919 : 104729
            for (i = 0; i < count; i++)
              printf "%08d%024d  %s/%06d/file-%s\\n", i * step % count, 0, side, i, side
          }' >$side
        done
        $0 compare --memory 8M a b >p 2>err & pid=$!
        exec 3<p; read -r line <&3
        sed -n 's/VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$pid/status
        grep -c ': moved to ' <&3; wait
      done
      """
    let directory = try TemporaryDirectory()
    let lines = try await shell(script, in: directory).run().outputText.split(separator: "\n")
      .compactMap { Int($0) }
    try #require(lines.count == 4)
    #expect(lines[1] == 29_999 && lines[3] == 149_999)
    #expect(lines[2] - lines[0] < 4096, "\(lines[0]) and \(lines[2]) KiB")
  }
}
