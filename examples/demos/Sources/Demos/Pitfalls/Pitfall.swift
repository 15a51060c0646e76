// A pitfall: a program that breaks, the same program repaired, and the words about both.
//
// DESIGN. Each version is a file of Page/pitfalls: compiled into this program, run in a process of
// its own, and printed as it is. So a listing cannot differ from the code that ran.

internal import PitfallPrograms

/// The way in which the broken version of a pitfall shows that it is broken.
package enum PitfallSymptom: String, CaseIterable, Sendable {
  /// Nothing happens any more.
  case silence
  /// A signal ends the process.
  case trap
  /// The result is wrong.
  case wrong
  /// The run succeeds: the code is harmless as it stands.
  case fine
}

package enum PitfallVersion: String, CaseIterable, Sendable {
  case broken
  case fixed
}

/// A mistake in concurrent code that runs for real, next to the same code repaired.
package struct Pitfall: Sendable {
  package struct Line: Sendable {
    package let text: String
    /// True for the line at fault.
    package let isFaulty: Bool
  }

  package let name: String
  /// A sentence that names the mistake.
  package let title: String
  /// The result that one would expect.
  package let expectation: String
  /// The reason why it breaks.
  package let explanation: String
  package let remedy: String
  package let symptom: PitfallSymptom
  /// True if the broken version may come to the right result by chance.
  package let dependsOnChance: Bool
  /// The sentence of a trap, which libdispatch does not print on Linux.
  package let trapMeaning: String
  /// The last line of a run that is right.
  package let rightEnd: String
  /// The line at fault in the broken version, without its indentation.
  private let fault: String

  init(
    _ name: String, _ title: String, _ symptom: PitfallSymptom, dependsOnChance: Bool = false,
    fault: String, rightEnd: String, expectation: String, explanation: String, remedy: String,
    trapMeaning: String = ""
  ) {
    (self.name, self.title, self.symptom) = (name, title, symptom)
    (self.dependsOnChance, self.fault, self.rightEnd) = (dependsOnChance, fault, rightEnd)
    (self.expectation, self.explanation) = (expectation, explanation)
    (self.remedy, self.trapMeaning) = (remedy, trapMeaning)
  }

  package static func named(_ name: String) -> Pitfall? { all.first { $0.name == name } }

  /// Returns the lines of the file of a version; the reason instead, if it cannot be read.
  package func lines(_ version: PitfallVersion) -> [Line] {
    do throws(PageError) {
      let text = try PageFolder.find().text("pitfalls/\(name).\(version.rawValue).swift")
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      // The last one, if a call stands there twice.
      let faulty = lines.lastIndex { version == .broken && $0.drop { $0 == " " } == fault }
      return lines.indices.map { Line(text: String(lines[$0]), isFaulty: $0 == faulty) }
    } catch {
      return [Line(text: error.description, isFaulty: false)]
    }
  }

  func program(_ version: PitfallVersion) -> @Sendable () -> Void {
    guard let programs = pitfallPrograms[name] else { fatalError("\(name) has no program") }
    return version == .broken ? programs.broken : programs.fixed
  }
}
