// The mark of a prediction, as a line of JSON.

extension DemoResult {
  /// The line of `weir-demo --score`: a mark for the prediction.
  public var score: [UInt8] {
    JSONValue.line(
      "score",
      [
        ("demo", .string(demo.name)), ("right", .number(comparisons.count { $0.isRight == true })),
        ("of", .number(comparisons.count)), ("complete", .bool(!run.isStuck)),
        ("seconds", .millionths(Double(run.log.events.last?.time ?? 0) / 1e9)),
      ] + answers)
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
