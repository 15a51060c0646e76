// The page of a run.

internal import Demos

extension DemoReport {
  init(_ result: DemoResult) {
    let questions = result.comparisons.map { comparison in
      DemoReport.Question(
        text: comparison.question.text, unit: "",
        predicted: comparison.predicted.map { comparison.text($0) },
        actual: comparison.text(comparison.actual), isRight: comparison.isRight)
    }
    let knobs = result.demo.knobs.filter { result.values.isGiven($0.name) }
      .map { " --\($0.name)" + ($0.isFlag ? "" : " \(result.values[$0.name])") }
    self.init(
      title: result.demo.abstract, subtitle: "weir demo \(result.demo.name)" + knobs.joined(),
      isSimulated: result.run.isSimulated, questions: questions,
      verdict: result.findings.verdict, next: result.findings.next,
      code: result.demo.code(result.values).map { listing in
        DemoReport.Listing(
          language: listing.language, title: listing.title,
          lines: listing.lines.map { DemoReport.Line($0.text, tag: $0.tag) })
      },
      notes: [result.demo.introduction(result.values)]
        + result.findings.checks.map { "\($0.holds ? "holds" : "does not hold"): \($0.text)" },
      extra: PictureView.html(result.demo, result.values, result.run.log))
  }
}
