// The libraries in one process for a long time: memory, threads and descriptors do not grow.
// `make test-endurance` sets WEIR_TEST_ENDURANCE to the number of minutes.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(180)))
struct EnduranceTests {
  private static let minutes = getenv("WEIR_TEST_ENDURANCE").flatMap { Int(String(cString: $0)) }

  @Test(
    "every job and every form of the libraries, round after round: nothing grows",
    .enabled(if: minutes != nil))
  func rounds() async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(60 * (Self.minutes ?? 0)))
    let rounds = try EnduranceRounds()
    var samples: [Resources] = []
    var nextReport = ContinuousClock.now.advanced(by: .seconds(60))
    while ContinuousClock.now < end {
      try await rounds.run()
      samples.append(Resources())
      guard ContinuousClock.now >= nextReport, let last = samples.last else { continue }
      nextReport = nextReport.advanced(by: .seconds(60))
      print(
        "endurance: \(samples.count) rounds, heap \(last.heap >> 10) KiB, resident "
          + "\(last.resident >> 10) KiB, "
          + "\(last.threads) threads, \(last.descriptors) descriptors")
    }
    let growth = Growth(samples)
    print("endurance of the libraries: \(growth)")
    #expect(growth.faults.isEmpty, "\(growth)")
    #expect(samples.count >= 20, "too few rounds")
  }
}
