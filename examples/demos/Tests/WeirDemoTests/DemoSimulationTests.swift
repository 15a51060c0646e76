// The demos on real threads: their promises, and the same runs in simulated time.
//
// Where the threads of a pool decide, the counts may differ by those that libdispatch does not
// promise, and the times are compared at the speed of the clock, by which the pool grows: those of
// runs of up to four seconds. With WEIR_TEST_SIMULATION=all every run has this speed.
// SimulationTests.swift has the promises of libdispatch.

import Foundation
import TestSupport
import Testing
import Weir

@testable import Demos

@Suite(.timeLimit(.minutes(20)))
struct DemoSimulationTests {
  private static let isWhole = ProcessInfo.processInfo.environment["WEIR_TEST_SIMULATION"] != nil

  @Test(
    "on real threads every promise of a demo holds, and the run is that of the simulation",
    arguments: DemoRunTests.runs)
  func comparison(line: String) async throws {
    let simulated = try await DemoOutcome(line, "--virtual")
    let isExact = Self.isWhole || simulated.usesPool && simulated.seconds < 4
    let speed = isExact ? 1 : min(20, max(1, simulated.seconds / 1.5))
    let watchdog = simulated.isComplete ? "" : "--watchdog \(simulated.seconds + speed)"
    for attempt in 1...4 {
      let meter = LatenessMeter()
      let real = try await DemoOutcome(line, "--speed \(speed) \(watchdog)")
      let isInTime = meter.stop()
      let differences = real.differences(from: simulated, speed: speed)
      guard differences.isEmpty || attempt == 4 else { continue }
      if !differences.isEmpty && !isInTime && !Self.isWhole {
        return print("not compared, on a busy machine: \(line)")
      }
      #expect(differences.isEmpty, "\(line) at speed \(speed): \(differences)")
      return
    }
  }
}

private struct DemoOutcome {
  let line: String
  let usesPool: Bool
  let isComplete: Bool
  let seconds: Double
  private let answers: [(question: Question, answer: Double?)]

  /// Runs a demo, and expects that it succeeds.
  init(_ line: String, _ options: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    let demo = try #require(Demo.named(words[0]))
    let directory = try TemporaryDirectory()
    let none = demo.questions.map { _ in "-" }.joined(separator: ",")
    let all =
      words + options.split(separator: " ").map(String.init) + ["--score", "--predict", none]
    let result = try await weirDemo(all.map { Array($0.utf8) }, in: directory).run()
    #expect(result.status == 0, "\(line) \(options): \(result.outputText.suffix(400))")
    #expect(result.errors.isEmpty)
    let score = try #require(
      JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    self.line = line
    usesPool = ["queues", "article", "operations", "concurrent"].contains { line.contains($0) }
    isComplete = score["complete"] as? Bool == true
    answers = demo.questions.map { ($0, score["actual_\($0.name)"] as? Double) }
    seconds = score["seconds"] as? Double ?? 0
  }

  /// Returns the differences of a real run from the simulated one.
  func differences(from simulated: DemoOutcome, speed: Double) -> [String] {
    var found: [String] = []
    if isComplete != simulated.isComplete { found.append("complete \(isComplete)") }
    // Faster than the clock a pool does not grow in time. The simulation has two cores.
    if usesPool && speed != 1 { return found }
    let needsCores = usesPool || ["loops", "blocking"].contains { line.contains($0) }
    if needsCores && Lanes.defaultWidth != 2 { return found }
    for ((question, real), (_, expected)) in zip(answers, simulated.answers) {
      // On a pool it depends on the moment of its growth which blocks have to wait.
      if usesPool && question.name == "woken" { continue }
      if !isAlike(real, expected, question.unit, speed) {
        found.append("\(question.name): \(expected ?? -1), real \(real ?? -1)")
      }
    }
    if !isAlike(seconds, simulated.seconds, .seconds, speed) {
      found.append("the end: \(simulated.seconds), real \(seconds)")
    }
    return found
  }

  private func isAlike(
    _ real: Double?, _ simulated: Double?, _ unit: Question.Unit, _ speed: Double
  ) -> Bool {
    guard let real, let simulated else { return real == nil && simulated == nil }
    // libdispatch promises neither the threads of a pool nor a share of the processor. The pool of
    // queues has done its work before the end.
    let isOpen = usesPool && !line.hasPrefix("queues")
    switch unit {
    case .count: return abs(real - simulated) <= (usesPool ? 1 : 0)
    case .seconds where line.hasPrefix("loops"): return true
    case .seconds where isOpen:
      return real <= simulated * 1.75 + 0.1 && real >= simulated / 1.75 - 0.1
    // Threads wake up late, never early.
    case .seconds:
      return real <= simulated * 1.5 + 0.1 * speed && real >= simulated * 0.98 - 0.01 * speed
    }
  }
}
