// Few descriptors or threads: a run is complete and correct with any number, and stays
// within its budget.

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: hasOracle), .serialized, .timeLimit(.minutes(10)))
struct LimitTests {
  /// Some limits; WEIR_TEST_LIMITS=all for every one.
  static let limits: [Int] =
    getenv("WEIR_TEST_LIMITS") == nil ? [8, 9, 12, 17, 33, 64] : Array(8...64)

  @Test("ulimit -n: complete, correct, silent, and within the budget", arguments: limits)
  func limit(_ limit: Int) async throws {
    var random = SeededGenerator(for: "limit \(limit)")
    let directory = try TemporaryDirectory()
    let paths = try directory.fill("tree", files: 400, using: &random)
    let oracle = try await other("sha256sum", paths, in: directory).run()
    let budget = try await budget(under: limit, in: directory)
    for (jobs, options) in [("1", "--"), ("30", "--progress=always"), ("200", "--trace=trace")] {
      let script = "ulimit -n \(limit); exec \"$0\" hash --jobs \"$1\" \"$2\" tree tree"
      let command = shell(script, jobs, options, in: directory)
      let (result, most) = try await sampled(command)
      #expect(result.status == 0 && difference(result.output, oracle.output + oracle.output) == nil)
      #expect(!result.errorText.contains("weir:"), "it said: \(result.errorText)")
      // The standard descriptors, the trace, and the directory of the walk.
      #expect(most <= budget + 5, "\(most) descriptors, with \(budget) to spend")
    }
  }

  private func sampled(_ command: Command) async throws -> (Outcome, Int) {
    let child = try await onThread { try Child(command) }
    let hasEnded = Shared(false)
    async let most = onThread {
      var most = 0
      while !hasEnded.value {
        most = max(most, names(inDirectory: "/proc/\(child.pid)/fd").count)
        usleep(1000)
      }
      return most
    }
    // Reaped after the last sample: before that, its number could be reused.
    try await onThread { _ = child.collect(limit: 40) { _, _ in false } }
    hasEnded.change { $0 = true }
    let found = try await most
    return (try await onThread { try child.finish(limit: 40) }, found)
  }

  /// Returns the budget that `weir limits` reports.
  private func budget(under limit: Int, in directory: TemporaryDirectory) async throws -> Int {
    let result = try await shell("ulimit -n \(limit); exec \"$0\" limits", in: directory).run()
    let line = try #require(
      result.outputText.split(separator: "\n").first { $0.hasPrefix("descriptors to spend") })
    return try #require(Int(line.split(separator: " ")[3]))
  }
}
