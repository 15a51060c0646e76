// A fault in every call of every verb: `make test-faults` injects all of them, `make test` a random
// part, and those that found defects (FaultRegressionTests).

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60)))
struct FaultTests {
  /// `all`, or a part of the names of some commands; `nil` for a sample.
  private static let chosen = getenv("WEIR_TEST_FAULTS").map { String(cString: $0) }

  @Test(
    "no fault ends in a crash, a hang, a wrong result or a silence", .enabled(if: canInterpose()))
  func faults() async throws {
    let campaign = FaultCampaign(
      library: try await Compiled.faultLibrary, sample: Self.chosen == nil ? 7 : nil)
    let isAll = Self.chosen == nil || Self.chosen == "all"
    let scenarios = FaultScenario.all.filter { isAll || $0.name.contains(Self.chosen ?? "") }
    let tally = try await campaign.run(scenarios, threads: 4)
    for problem in tally.problems { Issue.record("\(problem)") }
    #expect(tally.injected.count > (Self.chosen == "all" ? 20_000 : 100))
    // A run whose threads came in another order does not meet its fault.
    #expect(tally.missed * 20 < tally.runs)
    print(
      "\(tally.injected.count) faults in \(scenarios.count) commands,",
      "\(tally.missed) not met, \(tally.problems.count) problems")
  }
}
