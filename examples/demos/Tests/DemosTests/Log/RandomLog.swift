// Logs for tests: of a simulated run, and of no sense at all.

import TestSupport

@testable import Demos

/// A run of jobs on threads of their own that share the permits of a gate.
struct RandomRun {
  var events: [TraceLog.Event] = []
  let jobs: Int
  let permits: Int

  private enum Step {
    case submitted, started, waiting, holding, signalled, ended
  }

  init(_ random: inout TestSupport.SeededGenerator) {
    jobs = Int.random(in: 1...12, using: &random)
    permits = Int.random(in: 1...4, using: &random)
    var steps: [Step] = []
    var queue: [Int] = []
    var granted: Set<Int> = []
    var free = permits
    var time: UInt64 = 0
    while steps.contains(where: { $0 != .ended }) || steps.count < jobs {
      time += UInt64.random(in: 0...1000, using: &random)
      let job = Int.random(in: 0...min(steps.count, jobs - 1), using: &random)
      if job == steps.count {
        add(.submit, time, thread: 1, "jobs", 1, job)
        steps.append(.submitted)
        continue
      }
      switch steps[job] {
      case .submitted:
        add(.start, time, thread: job + 2, "jobs", 1, job)
        steps[job] = .started
      case .started where free > 0:
        free -= 1
        add(.acquired, time, thread: job + 2, "gate", 2, nil)
        steps[job] = .holding
      case .started:
        queue.append(job)
        add(.wait, time, thread: job + 2, "gate", 2, job)
        steps[job] = .waiting
      case .waiting:
        guard granted.remove(job) != nil else { continue }
        add(.acquired, time, thread: job + 2, "gate", 2, job)
        steps[job] = .holding
      case .holding:
        let woken = queue.isEmpty ? nil : queue.removeFirst()
        add(.signal, time, thread: job + 2, "gate", 2, nil, woken: woken != nil)
        if let woken {
          add(.wake, time, thread: job + 2, "gate", 2, woken)
          granted.insert(woken)
        } else {
          free += 1
        }
        steps[job] = .signalled
      case .signalled:
        add(.end, time, thread: job + 2, "jobs", 1, job)
        steps[job] = .ended
      case .ended: break
      }
    }
  }

  private mutating func add(
    _ kind: TraceLog.Kind, _ time: UInt64, thread: Int, _ label: String, _ object: Int, _ job: Int?,
    woken: Bool? = nil
  ) {
    let isJob = kind == .start || kind == .end
    events.append(
      TraceLog.Event(
        time: time, kind: kind, thread: thread, label: label, object: object,
        task: job.map { $0 + 1 }, lane: isJob ? thread - 2 : nil, value: 1, woken: woken))
  }
}

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
