// kill -9 before any call of a command to libc, by the library of the faults. `make test-kill` sets
// WEIR_TEST_KILLS for all calls. The transcript session/kills.t has bags, states and runs of commands.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60)))
struct CallKillTests {
  @Test(
    "between any two calls: the output is the old one or the new one, and can be made again",
    .enabled(if: canInterpose()))
  func everyCall() async throws {
    let campaign = FaultCampaign(
      library: try await Compiled.faultLibrary,
      kills: getenv("WEIR_TEST_KILLS") == nil ? (3, 1) : (.max, .max))
    let tally = try await campaign.run(FaultScenario.killed, threads: 4)
    for problem in tally.problems { Issue.record("\(problem)") }
    #expect(tally.injected.count >= FaultScenario.killed.count * 3)
    print("killed at \(tally.injected.count) calls of \(FaultScenario.killed.count) commands")
  }
}
