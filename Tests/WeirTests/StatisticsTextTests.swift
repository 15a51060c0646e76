// Statistics as text.

import TestSupport
import Testing

@testable import Weir

@Suite(.timeLimit(.minutes(10)))
struct StatisticsTextTests {
  @Test("a gate's statistics are a line of English, without the numbers of what did not happen")
  func gate() async throws {
    let gate = Gate(label: "printed", permits: 8)
    let permit = try await gate.acquire(3)
    #expect(
      "\(gate.statistics)" == "3 of 8 permits in use (peak 3), 0 waiting, 1 acquired")
    await #expect(throws: TimeoutError.self) {
      try await gate.withPermits(8, timeout: .milliseconds(1)) {}
    }
    permit.release()
    gate.close()
    let statistics = gate.statistics
    #expect(statistics.timeWaited >= statistics.longestWait && statistics.longestWait > .zero)
    let text = "\(statistics)"
    #expect(
      text.hasPrefix("0 of 8 permits in use (peak 3), 0 waiting, 1 acquired, 1 timed out, "))
    #expect(text.hasSuffix("s waited in all (at most \(statistics.longestWait.short)), closed"))
  }

  @Test("lanes' statistics are a line of English that ends with the bottleneck")
  func lanes() async {
    let lanes = Lanes(label: "printed", width: 2)
    lanes.suspend()
    for _ in 0..<3 { lanes.async {} }
    #expect(
      "\(lanes.statistics)"
        == "0 of 2 lanes run (peak 0), 3 queued (peak 3), 0 of 3 jobs finished; "
        + "\(lanes.statistics.limit)")
    #expect(lanes.cancel() == 3)
    lanes.close()
    lanes.async {}
    lanes.resume()
    await lanes.wait()
    #expect("\(lanes.statistics)".contains("3 dropped, 1 refused, closed; "))
  }
}
