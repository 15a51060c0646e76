// Events for tests: made by hand, and at random.

import TestSupport

@testable import Demos

func event(
  _ time: UInt64, _ kind: TraceLog.Kind, _ thread: Int, _ label: String, _ task: Int? = nil,
  lane: Int? = nil
) -> TraceLog.Event {
  TraceLog.Event(
    time: time, kind: kind, thread: thread, label: label, task: task, lane: lane, value: 1)
}

/// Returns events at random, in no sensible order.
func randomEvents(_ random: inout TestSupport.SeededGenerator) -> [TraceLog.Event] {
  let labels = ["gate", "jobs", "", "</script>\u{0}\u{1b}\u{2028}\u{202e}'\"&", "main", "name é"]
  return (0..<Int.random(in: 0...60, using: &random)).map { _ in
    func number(_ range: ClosedRange<Int>) -> Int? {
      Bool.random(using: &random) ? Int.random(in: range, using: &random) : nil
    }
    let time = UInt64.random(in: 0...500, using: &random) << UInt64(number(0...50) ?? 0)
    var made = event(
      time, TraceLog.Kind.allCases.randomElement(using: &random) ?? .note,
      Int.random(in: 1...4, using: &random), labels.randomElement(using: &random) ?? "",
      number(1...5), lane: number(0...1))
    made.value = Int.random(in: 0...3, using: &random)
    return made
  }
}
