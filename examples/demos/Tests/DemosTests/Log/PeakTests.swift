// Peaks: the most at once for some time, as a picture shows them.

import Testing

@testable import Demos

@Suite("peaks")
struct PeakTests {
  private func notes(_ notes: [(UInt64, String)], moment: UInt64) -> TraceLog {
    var log = TraceLog(events: notes.map { event($0, .note, 1, $1) })
    log.moment = moment
    return log
  }

  @Test("an overlap counts if it lasts longer than a moment", arguments: [0, 10] as [UInt64])
  func moment(moment: UInt64) {
    let handover: [(UInt64, String)] = [
      (0, "START"), (0, "START"), (500, "START"), (505, "END"), (1000, "END"), (1000, "END"),
    ]
    #expect(notes(handover, moment: moment).peak() == (moment == 0 ? 3 : 2))
    let open: [(UInt64, String)] = [(0, "START"), (100, "START")]
    #expect(notes(open, moment: moment).peak() == 2, "what never ends lasts")
    #expect(notes([(5, "START"), (5, "END")], moment: moment).peak() == 1)
    #expect(notes([], moment: moment).peak() == 0)
  }
}
