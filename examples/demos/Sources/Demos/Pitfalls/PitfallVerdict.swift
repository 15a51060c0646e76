// The verdict on both runs of a pitfall, with the prediction compared.

/// The verdict on both runs of a pitfall.
public struct PitfallVerdict: Sendable {
  /// A comparison with the description.
  public enum Result: String, Sendable {
    /// The broken version broke as described, and the repaired one succeeded.
    case shown
    /// The same, except that a mistake which depends on chance did not show.
    case hidden
    /// Something else happened.
    case unexpected
  }

  /// The comparison of both runs with the description.
  public let result: Result
  /// The outcome of the broken version.
  public let broken: PitfallOutcome
  /// The outcome of the repaired version.
  public let fixed: PitfallOutcome
  private let symptom: PitfallSymptom

  /// Creates the verdict on two runs.
  public init(_ pitfall: Pitfall, broken: PitfallOutcome, fixed: PitfallOutcome) {
    self.broken = broken
    self.fixed = fixed
    symptom = pitfall.symptom
    var isHidden = false
    if case .end(.hidden, _) = broken { isHidden = true }
    guard case .end(.right, _) = fixed else {
      result = .unexpected
      return
    }
    result = isHidden ? .hidden : broken.symptom == pitfall.symptom ? .shown : .unexpected
  }

  /// Returns true if a prediction names the symptom; `nil` if the mistake did not show.
  public func agrees(with prediction: PitfallSymptom) -> Bool? {
    result == .hidden ? nil : broken.symptom == prediction
  }

  /// Returns the verdict in a sentence, with the prediction compared.
  public func sentence(predicted prediction: PitfallSymptom?) -> String {
    var text: String
    switch result {
    case .shown: text = "it broke as described (\(symptom.rawValue)), and the fix works."
    case .hidden:
      text = "the mistake did not show this time, as it depends on chance; the fix works."
    case .unexpected:
      let seen = broken.symptom?.rawValue ?? "another end"
      var isRight = false
      if case .end(.right, _) = fixed { isRight = true }
      text =
        "not as described: the broken version should show \(symptom.rawValue), and showed "
        + "\(seen); the fixed version \(isRight ? "succeeded" : "failed")."
    }
    guard let prediction else { return text }
    switch agrees(with: prediction) {
    case true: text += " Your prediction, \(prediction.rawValue), was right."
    case false: text += " Your prediction, \(prediction.rawValue), was wrong."
    default: text += " Your prediction was \(prediction.rawValue)."
    }
    return text
  }
}
