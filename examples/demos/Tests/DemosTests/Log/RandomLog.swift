// Logs of no sense at all, for tests.

import TestSupport

@testable import Demos

/// Returns events at random, in no sensible order.
func randomEvents(_ random: inout TestSupport.SeededGenerator) -> [TraceLog.Event] {
  let labels = ["gate", "jobs", "", "</script>\u{0}\u{1b}\u{2028}\u{202e}'\"&", "main", "name é"]
  return (0..<Int.random(in: 0...60, using: &random)).map { _ in
    func number(_ range: ClosedRange<Int>) -> Int? {
      Bool.random(using: &random) ? Int.random(in: range, using: &random) : nil
    }
    return TraceLog.Event(
      time: UInt64.random(in: 0...500, using: &random) << UInt64(number(0...50) ?? 0),
      kind: TraceLog.Kind.allCases.randomElement(using: &random) ?? .note,
      thread: Int.random(in: 1...4, using: &random),
      label: labels.randomElement(using: &random) ?? "", object: number(1...3),
      task: number(1...5), lane: number(0...1), value: Int.random(in: 0...3, using: &random))
  }
}
