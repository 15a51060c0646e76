// The worker of a sweep: the same loop at several strides.

import Demos
import Dispatch
import Foundation
import Glibc

/// Measures a loop in its forms, and writes a message for each.
enum SweepWorker {
  private struct Point: Encodable {
    let form: String
    let stride: Int?
    let seconds: Double
    let blocks: Int
    let threads: Int
  }

  private struct Result: Encodable {
    struct Answer: Encodable {}

    let answers: [Answer] = []
    let checks: [ResultMessage.Check]
    let verdict: String
    let next = ""
    let sound: Bool
    let stuck = false
    let deadlocked = false
    let lost = 0
    let remarks: [String] = []

    enum CodingKeys: CodingKey {
      case answers, checks, verdict, next, sound, stuck, deadlocked, lost, remarks
    }
  }

  /// The number of runs of a form, of which the fastest counts.
  private static let rounds = 3

  static func run(_ count: String, _ work: String) -> Never {
    guard let sweep = try? Sweep(["count": count, "work": work]) else {
      BoardWorker.fail("that is no sweep")
    }
    CommandReader.start { name, _ in
      if name == DemoControls.stop { _exit(0) }
    }
    let writer = MessageWriter()
    DispatchQueue(label: "sweep").async {
      measure(sweep, writer)
      writer.finish()
      _exit(0)
    }
    dispatchMain()
  }

  private static func measure(_ sweep: Sweep, _ writer: MessageWriter) {
    let loop = Loop(iterations: sweep.count, steps: steps(nanoseconds: sweep.work))
    var sums: Set<UInt64> = []
    var best: [(form: LoopForm, seconds: Double)] = []
    let forms: [LoopForm] = [.plain, .automatic] + sweep.strides.map { .stride($0) }
    for form in forms {
      var runs = (0..<rounds).map { _ in loop.run(form) }
      runs.sort { $0.seconds < $1.seconds }
      let run = runs[0]
      sums.insert(run.sum)
      best.append((form, run.seconds))
      writer.add("point", point(form, run))
    }
    let isSame = sums.count == 1
    writer.add(
      "result",
      Result(
        checks: [.init(text: "every form computes the same", holds: isSame)],
        verdict: verdict(best), sound: isSame))
  }

  private static func point(_ form: LoopForm, _ run: LoopRun) -> Point {
    let (name, stride): (String, Int?) =
      switch form {
      case .plain: ("plain", nil)
      case .automatic: ("automatic", nil)
      case .stride(let stride): ("stride", stride)
      }
    return Point(
      form: name, stride: stride, seconds: run.seconds, blocks: run.blocks,
      threads: run.threadCount)
  }

  private static func verdict(_ best: [(form: LoopForm, seconds: Double)]) -> String {
    let strides = best.filter { if case .stride = $0.form { true } else { false } }
    guard let fastest = strides.min(by: { $0.seconds < $1.seconds }),
      let automatic = best.first(where: { $0.form == .automatic }),
      let plain = best.first(where: { $0.form == .plain })
    else { return "" }
    return "fastest stride: \(fastest.form.name), \(text(fastest.seconds)); automatic "
      + "\(text(automatic.seconds)); plain \(text(plain.seconds))."
  }

  private static func text(_ seconds: Double) -> String {
    "\((seconds * 100_000).rounded() / 100) ms"
  }

  /// Returns the number of steps that take a number of nanoseconds on one core.
  private static func steps(nanoseconds: Int) -> Int {
    let sample = 2_000_000
    let seconds = (0..<3).map { _ in Loop(iterations: 1, steps: sample).run(.plain).seconds }.min()
    let one = max(seconds ?? 0, 1e-6) / Double(sample) * 1e9
    return nanoseconds == 0 ? 0 : max(1, Int((Double(nanoseconds) / one).rounded()))
  }
}
