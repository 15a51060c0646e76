// A stand-in for the result of Demos.

import Demos

struct DemoResult {
  struct Comparison {
    let question: Question
    let predicted: Double?
    let actual: Double?
    var isRight: Bool? {
      predicted.map { predicted in
        actual.map { question.isRight(predicted, actual: $0) } ?? false
      }
    }
  }
  let demo: Demo
  let values: KnobValues
  let run: DemoRun
  let prediction: [Double?]?
  let findings: Findings
  init(demo: Demo, values: KnobValues, run: DemoRun, prediction: [Double?]?) {
    (self.demo, self.values, self.run, self.prediction) = (demo, values, run, prediction)
    findings = demo.findings(values, run)
  }
  var comparisons: [Comparison] {
    zip(demo.questions, findings.answers).enumerated().map { index, pair in
      Comparison(question: pair.0, predicted: prediction?[index], actual: pair.1)
    }
  }
  var isSound: Bool { run.lostEvents > 0 || findings.isSound }
  var json: [UInt8] { Array(run.log.jsonLines.utf8) }
  var report: DemoReport { DemoReport(title: demo.name, subtitle: "") }
}
