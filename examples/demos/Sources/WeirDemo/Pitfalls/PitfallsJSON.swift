// The pitfalls as JSON, by schema/pitfalls.json.

import Demos

enum PitfallsJSON {
  /// Returns the object of a pitfall.
  static func object(
    _ pitfall: Pitfall, broken: PitfallsRun, fixed: PitfallsRun, _ verdict: PitfallVerdict,
    _ prediction: PitfallSymptom?
  ) -> [UInt8] {
    ResultObject.line("pitfall") { json in
      json.append("name", pitfall.name)
      json.append("title", pitfall.title)
      json.append("described", pitfall.symptom.rawValue)
      json.append("expectation", pitfall.expectation)
      json.append("explanation", pitfall.explanation)
      json.append("remedy", pitfall.remedy)
      json.append("language", pitfall.listings[0].language.rawValue)
      append("broken", broken, pitfall, to: &json)
      append("fixed", fixed, pitfall, to: &json)
      json.append("result", verdict.result.rawValue)
      guard let prediction else { return }
      json.append("predicted", prediction.rawValue)
      if let isRight = verdict.agrees(with: prediction) { json.append("prediction_right", isRight) }
    }
  }

  private static func append(
    _ prefix: String, _ result: PitfallsRun, _ pitfall: Pitfall, to json: inout ResultObject
  ) {
    if let symptom = result.outcome.symptom { json.append("\(prefix)_symptom", symptom.rawValue) }
    json.append("\(prefix)_happened", result.outcome.sentence(for: pitfall))
    json.append("\(prefix)_milliseconds", result.milliseconds)
    json.append("\(prefix)_steps", result.steps.count)
    let listing = pitfall.listings[0]
    let lines = prefix == "broken" ? listing.broken : listing.fixed
    json.append("\(prefix)_code", lines.map(\.text).joined(separator: "\n"))
    guard let line = lines.firstIndex(where: \.isFaulty) else { return }
    json.append("\(prefix)_fault", line + 1)
  }

  /// Returns the last object.
  static func summary(shown: Int, hidden: Int, unexpected: Int) -> [UInt8] {
    ResultObject.line("summary") { json in
      json.append("complete", true)
      json.append("pitfalls", shown + hidden + unexpected)
      json.append("shown", shown)
      json.append("hidden", hidden)
      json.append("unexpected", unexpected)
    }
  }
}
