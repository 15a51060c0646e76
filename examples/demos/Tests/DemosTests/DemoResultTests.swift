// The result of a run made by hand: comparisons, lines, and the page.

import Foundation
import Testing

@testable import Demos

@Suite struct DemoResultTests {
  private func result(
    _ prediction: [Double?]?, label: String = "START", answers: [Double?] = [5, 15],
    given: [String: String] = [:], next: String = "Try --max 2.",
    holds: Bool = true
  ) -> DemoResult {
    let demo = Demo(
      name: "made", abstract: "Made by hand.", speed: 1,
      knobs: [.number("max", 1...9, 3, "Number at once"), .choice("form", ["a", "b"], "Form")],
      questions: [
        Question("peak", "How many?", .count), Question("seconds", "How long?", .seconds),
      ],
      introduction: { _ in "Three at once." }, start: { _, _, finish in finish() },
      findings: { _, _ in
        Findings(answers: answers, checks: [("it holds", holds)], verdict: label, next: next)
      },
      code: { _ in [Listing("all", "wait() @wait")] })
    let events = [
      TraceLog.Event(time: 0, kind: .note, thread: 1, label: label, task: 1),
      TraceLog.Event(
        time: 7, kind: .signal, thread: 2, label: label, object: 1, value: 1, woken: true,
        waiting: 1),
      TraceLog.Event(
        time: 9, kind: .end, thread: 2, label: label, object: 2, task: 4, lane: 1, value: 1,
        queued: 3, running: 2),
    ]
    return DemoResult(
      demo: demo, values: KnobValues(demo.knobs, given: given),
      run: DemoRun(
        log: TraceLog(events: events), isStuck: false, isDeadlocked: false, speed: 10, cores: 2,
        isSimulated: true),
      prediction: prediction)
  }

  @Test("an answer that is missing or is no possible number counts as skipped")
  func impossible() {
    for answers: [Double?] in [[], [nil], [.nan, 1e300], [-1, .infinity, 7], [1e10, -.infinity]] {
      let result = result(answers)
      #expect(result.prediction == [nil, nil])
      #expect(result.comparisons.map(\.isRight) == [nil, nil])
      #expect(result.conclusion.first == "How many? 5")
      #expect(result.score.count > 20)
    }
    #expect(result([5, 14, 3]).comparisons.map(\.isRight) == [true, true])
    #expect(result([5, 2]).comparisons.map(\.isRight) == [true, false])
    #expect(result([5, 2], answers: [nil, nil]).comparisons.map(\.isRight) == [false, false])
  }

  @Test("the lines after a run: comparisons, broken promises, remarks, the verdict, the next try")
  func conclusion() {
    let simulated = "A simulated schedule, with two cores."
    #expect(
      result([5, 2], label: "well.").conclusion == [
        "How many? 5: right", "How long? 15.00 s: you predicted 2.00 s", simulated,
        "made: well.", "Next: Try --max 2.",
      ])
    #expect(
      result(nil, label: "badly.", given: ["max": "2"], holds: false).conclusion == [
        "does not hold: it holds", simulated, "made: badly.",
        "Next: Write the page with --html page.html, and step through it.",
      ])
    #expect(!result(nil, holds: false).isSound)
  }

  @Test("the page has the command, the questions, the promises and the code")
  func report() {
    let report = result([4, nil], given: ["max": "2"]).report
    #expect(
      report.command == "weir-demo made --max 2 --virtual" && report.title == "Made by hand.")
    #expect(report.questions.map(\.text) == ["How many?", "How long?"])
    #expect(report.result.answers.map(\.predicted) == [4, nil])
    #expect(report.result.answers.map(\.actual) == [5, 15])
    #expect(report.result.answers.map(\.right) == [false, nil])
    #expect(report.run.introduction == "Three at once." && report.run.virtual)
    #expect(report.result.remarks == ["A simulated schedule, with two cores."])
    #expect(report.result.checks.map(\.text) == ["it holds"] && report.result.checks[0].holds)
    #expect(report.run.code.first?.lines.first?.tag == "wait")
  }
}
