// The text output of the pitfalls: code, expectation, events, reasons, verdict.

import Demos

struct PitfallsText {
  let width: Int

  /// The steps of a run that are shown: at the beginning and at the end.
  private static let (firstSteps, lastSteps) = (9, 3)

  /// The pitfalls, one per line.
  var list: [String] {
    let longest = Pitfall.all.map(\.name.count).max() ?? 0
    return Pitfall.all.flatMap { pitfall -> [String] in
      let blanks = String(repeating: " ", count: longest + 2 - pitfall.name.count)
      return TextLines.wrap(
        "\(pitfall.name)\(blanks)\(pitfall.title)", columns: width - 2, indent: longest + 2
      ).map { "  \($0)" }
    } + paragraph("Run one of them: weir-demo pitfalls \(Pitfall.all[0].name), or all.")
  }

  /// The title, the broken code and the expectation. The line at fault is to be predicted.
  func beginning(_ pitfall: Pitfall) -> [String] {
    paragraph("\(pitfall.name): \(pitfall.title)") + code(pitfall, .broken) + [""]
      + paragraph("Expected: \(pitfall.expectation)")
  }

  /// The broken run, the line at fault, the reason and the fix.
  func middle(_ pitfall: Pitfall, _ result: PitfallsRun) -> [String] {
    happened(pitfall, result, .broken) + faults(pitfall) + paragraph("Why: \(pitfall.explanation)")
      + paragraph("Fix: \(pitfall.remedy)") + code(pitfall, .fixed) + [""]
  }

  /// The fixed run and the verdict.
  func end(
    _ pitfall: Pitfall, _ result: PitfallsRun, _ verdict: PitfallVerdict,
    _ prediction: PitfallSymptom?
  ) -> [String] {
    happened(pitfall, result, .fixed)
      + paragraph("Verdict: \(verdict.sentence(predicted: prediction))")
  }

  /// The last line of several pitfalls.
  func summary(shown: Int, hidden: Int, unexpected: Int) -> [String] {
    var text = "\(shown) \(shown == 1 ? "pitfall" : "pitfalls") broke as described"
    if hidden > 0 { text += ", \(hidden) did not show by chance" }
    if unexpected > 0 { text += ", \(unexpected) did something else" }
    return [""] + paragraph(text + ".")
  }

  // MARK: - Parts

  private func code(_ pitfall: Pitfall, _ version: PitfallVersion) -> [String] {
    ["", "\(pitfall.name).\(version.rawValue).swift:"]
      + pitfall.lines(version).map { $0.text.isEmpty ? "" : "    \($0.text)" }
  }

  private func faults(_ pitfall: Pitfall) -> [String] {
    pitfall.lines(.broken).enumerated().filter(\.element.isFaulty).flatMap { index, line in
      paragraph("At fault, line \(index + 1): \(line.text.drop { $0 == " " })")
    }
  }

  private func happened(
    _ pitfall: Pitfall, _ result: PitfallsRun, _ version: PitfallVersion
  ) -> [String] {
    let steps = result.steps.map { "  \(PitfallOutcome.seconds($0.milliseconds))  \($0.text)" }
    let hidden = steps.count - PitfallsText.firstSteps - PitfallsText.lastSteps
    var shown = steps
    if hidden > 1 {
      shown.replaceSubrange(
        PitfallsText.firstSteps..<steps.count - PitfallsText.lastSteps,
        with: ["  ...     \(hidden) more"])
    }
    let sentence = result.outcome.sentence(for: pitfall)
    let heading = version == .broken ? "Happened" : "Happened, fixed"
    if shown.isEmpty { return paragraph("\(heading): \(sentence)") }
    return ["\(heading):"] + shown + TextLines.wrap("  \(sentence)", columns: width)
  }

  /// Returns a text in lines that fit.
  private func paragraph(_ text: String) -> [String] { TextLines.wrap(text, columns: width) }
}
