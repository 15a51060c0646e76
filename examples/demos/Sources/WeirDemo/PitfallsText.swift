// The text output of the pitfalls: code, expectation, events, reasons, verdict.

import Demos

struct PitfallsText {
  let width: Int

  var list: [String] {
    TextLines.table(Pitfall.all.map { ($0.name, $0.title) }, columns: width)
      + paragraph("Run one of them: weir-demo pitfalls \(Pitfall.all[0].name), or all.")
  }

  /// The title, the broken code and the expectation. The line at fault is to be predicted.
  func beginning(_ pitfall: Pitfall) -> [String] {
    paragraph("\(pitfall.name): \(pitfall.title)") + code(pitfall, .broken) + [""]
      + paragraph("Expected: \(pitfall.expectation)")
  }

  /// The broken run, the line at fault, the reason and the fix.
  func middle(_ run: PitfallRun) -> [String] {
    happened(run) + faults(run.pitfall) + paragraph("Why: \(run.pitfall.explanation)")
      + paragraph("Fix: \(run.pitfall.remedy)") + code(run.pitfall, .fixed) + [""]
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

  /// The steps of a run and its outcome.
  func happened(_ run: PitfallRun) -> [String] {
    let steps = run.steps.map { "  \(PitfallOutcome.seconds($0.milliseconds))  \($0.text)" }
    let heading = run.version == .broken ? "Happened" : "Happened, fixed"
    if steps.isEmpty { return paragraph("\(heading): \(run.sentence)") }
    return ["\(heading):"] + steps + TextLines.wrap("  \(run.sentence)", columns: width)
  }

  func paragraph(_ text: String) -> [String] { TextLines.wrap(text, columns: width) }
}
