// Random histories of trees, ledgers and time: no good digest ends unseen, a name without a record is
// read, and what is open stays open (docs/architecture.md), with an oracle of the words.
//
// `make test` runs a sample; `make test-model` sets WEIR_TEST_MODEL to the number of histories.
// WEIR_TEST_MODEL_SEED repeats one history. The moment of a kill is not repeated.

import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct LedgerModelTests {
  private static func number(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }

  private static let sampleCount: UInt64 = 40

  private static var seeds: Range<UInt64> {
    if let seed = number("WEIR_TEST_MODEL_SEED") { return seed..<seed + 1 }
    guard let count = number("WEIR_TEST_MODEL") else { return 0..<sampleCount }
    return testSeed * 1_000_000..<testSeed * 1_000_000 + count
  }

  @Test(.timeLimit(.minutes(170))) func theLedgerForgetsNothing() async throws {
    let contents = try LedgerContents()
    let seeds = Array(Self.seeds)
    let table = Shared<[String: Int]>([:])
    try await onThreads(2, seeds) { Self.run($0, contents, into: table) }
    let rows = table.value.sorted { $0.key < $1.key }.map { "\($0.value)\t\($0.key)" }
    print(rows.joined(separator: "\n"))
    #expect(rows.count > 12 || seeds.count == 1, "few kinds of steps were taken")
  }

  private static func run(
    _ seed: UInt64, _ contents: LedgerContents, into table: Shared<[String: Int]>
  ) {
    do {
      let history = try LedgerHistory(seed, contents)
      defer {
        let counts = history.counts
        table.change { $0.merge(counts) { $0 + $1 } }
      }
      do {
        try history.run()
      } catch {
        Issue.record(
          """
          WEIR_TEST_MODEL_SEED=\(seed): \(error)
          \(history.tree.script.joined(separator: "\n"))
          """)
      }
    } catch {
      Issue.record("WEIR_TEST_MODEL_SEED=\(seed): \(error)")
    }
  }
}
