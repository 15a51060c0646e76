// The pitfalls as JSON, which the course records.

import Demos

enum PitfallsJSON {
  /// Returns the object of a pitfall.
  static func object(
    _ pitfall: Pitfall, broken: PitfallsRun, fixed: PitfallsRun, _ verdict: PitfallVerdict,
    _ prediction: PitfallSymptom?
  ) -> [UInt8] {
    var members: [(String, JSONValue)] = [
      ("name", .string(pitfall.name)), ("title", .string(pitfall.title)),
      ("described", .string(pitfall.symptom.rawValue)),
      ("expectation", .string(pitfall.expectation)),
      ("explanation", .string(pitfall.explanation)), ("remedy", .string(pitfall.remedy)),
    ]
    members += run("broken", broken, pitfall, pitfall.lines(.broken))
    members += run("fixed", fixed, pitfall, pitfall.lines(.fixed))
    members.append(("result", .string(verdict.result.rawValue)))
    if let prediction {
      members.append(("predicted", .string(prediction.rawValue)))
      if let isRight = verdict.agrees(with: prediction) {
        members.append(("prediction_right", .bool(isRight)))
      }
    }
    return JSONValue.line("pitfall", members)
  }

  private static func run(
    _ prefix: String, _ result: PitfallsRun, _ pitfall: Pitfall, _ lines: [Pitfall.Line]
  ) -> [(String, JSONValue)] {
    let fault = lines.firstIndex(where: \.isFaulty)
    return (result.outcome.symptom.map { [("\(prefix)_symptom", .string($0.rawValue))] } ?? [])
      + [
        ("\(prefix)_happened", .string(result.outcome.sentence(for: pitfall))),
        ("\(prefix)_milliseconds", .number(result.milliseconds)),
        ("\(prefix)_steps", .number(result.steps.count)),
        ("\(prefix)_code", .string(lines.map(\.text).joined(separator: "\n"))),
      ] + (fault.map { [("\(prefix)_fault", .number($0 + 1))] } ?? [])
  }

  /// Returns the last object.
  static func summary(shown: Int, hidden: Int, unexpected: Int) -> [UInt8] {
    JSONValue.line(
      "summary",
      [
        ("complete", .bool(true)), ("pitfalls", .number(shown + hidden + unexpected)),
        ("shown", .number(shown)), ("hidden", .number(hidden)), ("unexpected", .number(unexpected)),
      ])
  }
}
