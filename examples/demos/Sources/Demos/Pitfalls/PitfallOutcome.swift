// The outcome of a run as a sentence, and the verdict on both versions of a pitfall.

internal import Glibc

/// The outcome of a run. Times are in milliseconds.
package enum PitfallOutcome: Sendable, Equatable {
  /// The run came to its end, with this last line.
  case end(String)
  case silence(Int)
  /// The run went on until its time was over.
  case late(Int)
  case signal(Int32)
  /// The process exited with a status other than 0.
  case exit(Int32)

  fileprivate static let traps = [SIGILL: "SIGILL", SIGTRAP: "SIGTRAP"]

  /// Returns a time as text: `0.35 s`.
  package static func seconds(_ milliseconds: Int) -> String {
    text(seconds: Double(milliseconds) / 1000)
  }
}

extension PitfallRun {
  /// True if the last line is that of a right run.
  package var isRight: Bool { outcome == .end(pitfall.rightEnd) }

  /// True if the mistake depends on chance, and did not show.
  package var isHidden: Bool { isRight && version == .broken && pitfall.dependsOnChance }

  /// The symptom, if the outcome is one.
  package var symptom: PitfallSymptom? {
    switch outcome {
    case .silence: .silence
    case .signal(let signal): PitfallOutcome.traps[signal] == nil ? nil : .trap
    case .end: isHidden ? nil : isRight ? .fine : .wrong
    case .exit, .late: nil
    }
  }

  /// The outcome in a sentence or two.
  package var sentence: String {
    switch outcome {
    case .end(let text):
      let right = isRight ? "" : " A right run ends: \(pitfall.rightEnd)."
      return "It ended: \(text)." + (isHidden ? " The mistake did not show." : right)
    case .silence(let time):
      let text = PitfallOutcome.seconds(time)
      return "Silence: nothing came for \(text), and the watchdog ended the run."
    case .late(let time):
      return "The run was not over after \(PitfallOutcome.seconds(time)); use a longer --watchdog."
    case .signal(let signal):
      guard let name = PitfallOutcome.traps[signal] else {
        return "Signal \(signal) ended the process."
      }
      let reason = pitfall.trapMeaning.isEmpty ? "" : ": \(pitfall.trapMeaning)"
      return "libdispatch trapped\(reason). \(name) ended the process; it printed nothing."
    case .exit(let status): return "The process exited with status \(status) and no result."
    }
  }
}

package struct PitfallVerdict: Sendable {
  private let broken: PitfallRun
  private let fixed: PitfallRun

  package init(broken: PitfallRun, fixed: PitfallRun) {
    (self.broken, self.fixed) = (broken, fixed)
  }

  /// True if the mistake showed as described, or did not show by chance, and the fix works.
  package var isExpected: Bool {
    fixed.isRight && (broken.isHidden || broken.symptom == broken.pitfall.symptom)
  }

  /// Returns the verdict in a sentence, with the prediction compared.
  package func sentence(predicted prediction: PitfallSymptom?) -> String {
    let symptom = broken.pitfall.symptom.rawValue
    let text =
      !isExpected
      ? "not as described: the broken version should show \(symptom), and showed "
        + "\(broken.symptom?.rawValue ?? "another end"); the fixed version "
        + "\(fixed.isRight ? "succeeded" : "failed")."
      : broken.isHidden
        ? "the mistake did not show this time, as it depends on chance; the fix works."
        : "it broke as described (\(symptom)), and the fix works."
    guard let prediction else { return text }
    let mark = broken.symptom == prediction ? "right" : "wrong"
    return "\(text) Your prediction\(broken.isHidden ? " was" : ",") \(prediction.rawValue)"
      + (broken.isHidden ? "." : ", was \(mark).")
  }
}
