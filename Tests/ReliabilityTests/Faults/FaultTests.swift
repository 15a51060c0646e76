// A fault in every call of every verb: `make test-faults` injects all of them, `make test` a random
// part, and those that found defects (FaultRegressionTests).

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60)))
struct FaultTests {
  private static let isWhole =
    getenv("WEIR_TEST_FAULTS").map { String(cString: $0) == "all" } ?? false

  @Test(
    "no fault ends in a crash, a hang, a wrong result or a silence", .enabled(if: canInterpose()))
  func faults() async throws {
    let directory = try TemporaryDirectory()
    let campaign = FaultCampaign(
      library: try await directory.faultLibrary(), sample: Self.isWhole ? nil : 7)
    let tally = try await campaign.run(FaultScenario.all, threads: 4)
    for problem in tally.problems { Issue.record("\(problem)") }
    #expect(tally.injected.count > (Self.isWhole ? 20_000 : 100))
    // A run whose threads came in another order does not meet its fault.
    #expect(tally.missed * 20 < tally.runs)
    print(
      "\(tally.injected.count) faults in \(FaultScenario.all.count) commands,",
      "\(tally.missed) not met, \(tally.problems.count) problems")
  }
}
