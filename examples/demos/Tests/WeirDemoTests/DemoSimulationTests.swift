// The demos on real threads: their promises, and the same runs in simulated time.
//
// The runs are compared by `make test-waits` alone, at the speed of the clock, by which a pool grows:
// a machine that has other work may be late. Where the threads of a pool decide, the counts may
// differ by those that libdispatch does not promise. SimulationTests.swift has the promises of
// libdispatch.

import Foundation
import TestSupport
import Testing
import Weir

@testable import Demos

@Suite(.timeLimit(.minutes(20)))
struct DemoSimulationTests {
  private static let measuresWaits = ProcessInfo.processInfo.environment["WEIR_TEST_WAITS"] != nil

  @Test("on real threads every promise of a demo holds", arguments: DemoRunTests.runs)
  func promises(line: String) async throws {
    let simulated = try await DemoOutcome(line, "--virtual")
    let speed = min(20, max(1, simulated.seconds / 1.5))
    let watchdog = simulated.isComplete ? 3600 : simulated.seconds + speed
    let real = try await DemoOutcome(line, "--speed \(speed) --watchdog \(watchdog)")
    #expect(real.status == 0 && real.isComplete == simulated.isComplete, "\(line)")
  }

  @Test(
    "on real threads a demo is the run of the simulation", .enabled(if: measuresWaits),
    arguments: DemoRunTests.runs)
  func comparison(line: String) async throws {
    let simulated = try await DemoOutcome(line, "--virtual")
    let watchdog = simulated.isComplete ? 3600 : simulated.seconds + 1
    var differences: [String] = []
    for _ in 1...4 {
      let real = try await DemoOutcome(line, "--speed 1 --watchdog \(watchdog)")
      differences = real.differences(from: simulated)
      if differences.isEmpty { return }
    }
    Issue.record("\(line): \(differences)")
  }
}

private struct DemoOutcome {
  let line: String
  let usesPool: Bool
  let isComplete: Bool
  /// The status of the program: 0 if every promise held.
  let status: Int32?
  let seconds: Double
  private let answers: [(question: Question, answer: Double?)]

  /// Runs a demo.
  init(_ line: String, _ options: String) async throws {
    let words = line.split(separator: " ").map(String.init)
    let demo = try #require(Demo.named(words[0]))
    let directory = try TemporaryDirectory()
    let none = demo.questions.map { _ in "-" }.joined(separator: ",")
    let all =
      words + options.split(separator: " ").map(String.init) + ["--score", "--predict", none]
    let result = try await weirDemo(all.map { Array($0.utf8) }, in: directory).run()
    #expect(result.errors.isEmpty)
    let score = try #require(
      JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    self.line = line
    usesPool = ["queues", "article", "operations", "concurrent"].contains { line.contains($0) }
    status = result.status
    isComplete = score["complete"] as? Bool == true
    answers = demo.questions.map { ($0, score["actual_\($0.name)"] as? Double) }
    seconds = score["seconds"] as? Double ?? 0
  }

  /// Returns the differences of a real run from the simulated one, which has two cores.
  func differences(from simulated: DemoOutcome) -> [String] {
    var found: [String] = []
    if status != simulated.status { found.append("status \(status ?? -1)") }
    if isComplete != simulated.isComplete { found.append("complete \(isComplete)") }
    let needsCores = usesPool || ["loops", "blocking"].contains { line.contains($0) }
    if needsCores && Lanes.defaultWidth != 2 { return found }
    for ((question, real), (_, expected)) in zip(answers, simulated.answers) {
      // On a pool it depends on the moment of its growth which blocks have to wait.
      if usesPool && question.name == "woken" { continue }
      if !isAlike(real, expected, question.unit) {
        found.append("\(question.name): \(expected ?? -1), real \(real ?? -1)")
      }
    }
    if !isAlike(seconds, simulated.seconds, .seconds) {
      found.append("the end: \(simulated.seconds), real \(seconds)")
    }
    return found
  }

  private func isAlike(_ real: Double?, _ simulated: Double?, _ unit: Question.Unit) -> Bool {
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
    case .seconds: return real <= simulated * 1.5 + 0.1 && real >= simulated * 0.98 - 0.01
    }
  }
}
