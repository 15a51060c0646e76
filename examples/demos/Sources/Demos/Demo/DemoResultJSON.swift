// The result of a run as JSON lines, by schema/demo.json.

extension DemoResult {
  /// The line of `weir-demo --score`: a mark for the prediction.
  public var score: [UInt8] {
    JSONValue.line(
      "score",
      [
        ("demo", .string(demo.name)), ("right", .number(comparisons.count { $0.isRight == true })),
        ("of", .number(comparisons.count)),
      ] + answers)
  }

  /// The lines of `weir-demo --format json`: the demo, its events, and a summary.
  public var json: [UInt8] {
    let knobs = demo.knobs.filter { !values[$0.name].isEmpty }
      .map { ("knob_\($0.name)", JSONValue.string(values[$0.name])) }
    var lines = JSONValue.line(
      "demo",
      [
        ("demo", .string(demo.name)), ("simulated", .bool(run.isSimulated)),
        ("cores", .number(run.cores)), ("introduction", .string(demo.opening(values))),
      ] + knobs)
    for event in run.log.events {
      var object = ""
      event.write(to: &object)
      lines += Array("{\"type\":\"event\",\(object.dropFirst())\n".utf8)
    }
    return lines
      + JSONValue.line(
        "summary",
        [("complete", .bool(!run.isStuck))] + answers
          + [("sound", .bool(isSound)), ("verdict", .string(findings.verdict))])
  }

  private var answers: [(String, JSONValue)] {
    comparisons.flatMap { comparison -> [(String, JSONValue)] in
      let name = comparison.question.name
      let actual = comparison.actual.map { [("actual_\(name)", JSONValue.millionths($0))] } ?? []
      guard let predicted = comparison.predicted else { return actual }
      return actual + [
        ("predicted_\(name)", .millionths(predicted)),
        ("right_\(name)", .bool(comparison.isRight ?? false)),
      ]
    }
  }
}
