// The result of a run made by hand: comparisons, lines, and the page.

import Foundation
import Testing

@testable import Demos

/// Returns the result of a run of a demo that is made by hand.
func madeResult(
  _ prediction: [Double?]?, text: String = "Made by hand.", verdict: String = "START",
  answers: [Double?] = [5, 15], given: [String: String] = [:], next: String = "Try --max 2.",
  holds: Bool = true, events: [TraceLog.Event] = []
) -> DemoResult {
  let demo = Demo(
    name: "made", abstract: text, speed: 1,
    knobs: [.number("max", 1...9, 3, "Number at once"), .choice("form", ["a", "b"], "Form")],
    questions: [
      Question("peak", "How many?", .count), Question("seconds", "How long?", .seconds),
    ],
    introduction: { _ in text }, start: { _, _, finish in finish() },
    findings: { _, _ in
      Findings(answers: answers, checks: [(text, holds)], verdict: verdict, next: next)
    },
    code: { _ in [Listing(text, "\(text) @wait"), Listing("all", "wait() @wait")] })
  return DemoResult(
    demo: demo, values: KnobValues(demo.knobs, given: given),
    run: DemoRun(
      log: TraceLog(events: events), isStuck: false, isDeadlocked: false, speed: 10, cores: 2,
      isSimulated: true),
    prediction: prediction)
}

@Suite struct DemoResultTests {
  @Test("an answer that is missing or is no possible number counts as skipped")
  func impossible() {
    for answers: [Double?] in [[], [nil], [.nan, 1e300], [-1, .infinity, 7], [1e10, -.infinity]] {
      let result = madeResult(answers)
      #expect(result.prediction == [nil, nil])
      #expect(result.comparisons.map(\.isRight) == [nil, nil])
      #expect(result.conclusion.first == "How many? 5")
      #expect(result.score.count > 20)
    }
    #expect(madeResult([5, 14, 3]).comparisons.map(\.isRight) == [true, true])
    #expect(madeResult([5, 2]).comparisons.map(\.isRight) == [true, false])
    #expect(madeResult([5, 2], answers: [nil, nil]).comparisons.map(\.isRight) == [false, false])
  }

  @Test("the lines after a run: comparisons, broken promises, remarks, the verdict, the next try")
  func conclusion() {
    let simulated = "A simulated schedule, with two cores."
    #expect(
      madeResult([5, 2], verdict: "well.").conclusion == [
        "How many? 5: right", "How long? 15.00 s: you predicted 2.00 s", simulated,
        "made: well.", "Next: Try --max 2.",
      ])
    #expect(
      madeResult(nil, verdict: "badly.", given: ["max": "2"], holds: false).conclusion == [
        "does not hold: Made by hand.", simulated, "made: badly.",
        "Next: Write the page with --html page.html, and step through it.",
      ])
    #expect(!madeResult(nil, holds: false).findings.isSound)
  }

  @Test("the page has the command, the questions, the answers, the promises and the code")
  func report() throws {
    let result = madeResult([4, nil], given: ["max": "2"])
    let page = try HTMLReport.page(result, .find())
    for part in [
      #""command":"weir-demo made --max 2 --virtual""#, #""title":"Made by hand.""#,
      #""text":"How long?","unit":"seconds""#, #""introduction":"Made by hand.""#,
      #"{"actual":5,"name":"peak","predicted":4,"right":false}"#,
      #"{"actual":15,"name":"seconds"}"#, #""virtual":true"#,
      #""checks":[{"holds":true,"text":"Made by hand."}]"#, #""tag":"wait","text":"wait()""#,
      #""remarks":["A simulated schedule, with two cores."]"#,
    ] {
      #expect(page.contains(part), "\(part)")
    }
    #expect(try dataOfPage(page) is [String: Any])
  }
}

/// Returns the value of JSON that a page holds.
func dataOfPage(_ page: String) throws -> Any {
  let data = try #require(page.firstMatch(of: #/id="data">(.*?)<\/script>/#.dotMatchesNewlines()))
  return try JSONSerialization.jsonObject(with: Data(data.1.utf8))
}
