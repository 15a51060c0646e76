// The pitfalls as JSON, by docs/schema/pitfalls.json.

internal import Demos
internal import FileJobs

enum PitfallsJSON {
  /// Returns the object of a pitfall.
  static func object(
    _ pitfall: Pitfall, broken: PitfallsResult, fixed: PitfallsResult, _ verdict: PitfallVerdict,
    _ prediction: PitfallSymptom?
  ) -> [UInt8] {
    JSONText.object("pitfall") { json in
      json.append("name", pitfall.name)
      json.append("title", pitfall.title)
      json.append("described", pitfall.symptom.rawValue)
      append("broken", broken, pitfall, to: &json)
      append("fixed", fixed, pitfall, to: &json)
      json.append("result", verdict.result.rawValue)
      guard let prediction else { return }
      json.append("predicted", prediction.rawValue)
      if let isRight = verdict.agrees(with: prediction) { json.append("prediction_right", isRight) }
    }
  }

  private static func append(
    _ prefix: String, _ result: PitfallsResult, _ pitfall: Pitfall, to json: inout JSONText
  ) {
    if let symptom = result.outcome.symptom { json.append("\(prefix)_symptom", symptom.rawValue) }
    json.append("\(prefix)_happened", result.outcome.sentence(for: pitfall))
    json.append("\(prefix)_milliseconds", result.milliseconds)
    json.append("\(prefix)_steps", result.steps.count)
  }

  /// Returns the last object.
  static func summary(shown: Int, hidden: Int, unexpected: Int) -> [UInt8] {
    JSONText.object("summary") { json in
      json.append("complete", true)
      json.append("pitfalls", shown + hidden + unexpected)
      json.append("shown", shown)
      json.append("hidden", hidden)
      json.append("unexpected", unexpected)
    }
  }
}
