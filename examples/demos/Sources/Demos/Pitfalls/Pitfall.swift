// A pitfall: code that breaks, the same code repaired, and the words about both.

/// The way in which the broken version of a pitfall shows that it is broken.
public enum PitfallSymptom: String, CaseIterable, Sendable {
  /// Nothing happens any more.
  case silence
  /// A signal ends the process.
  case trap
  /// The result is wrong.
  case wrong
  /// The result is right, and takes much longer than it should.
  case slow
  /// The run succeeds: the code is harmless as it stands.
  case fine
}

/// A part of the code of a pitfall in one language, broken and repaired.
public struct PitfallListing: Sendable, Encodable {
  /// A language of the listings.
  public enum Language: String, Sendable, Encodable {
    case swift = "Swift"
    case c = "C"
  }

  /// A line of code.
  public struct Line: Sendable, Encodable {
    /// The line without its mark.
    public let text: String
    /// True for the line at fault.
    public let isFaulty: Bool
  }

  /// The language.
  public let language: Language
  /// The lines of the broken version.
  public let broken: [Line]
  /// The lines of the repaired version.
  public let fixed: [Line]

  /// - Parameter broken: The comment `//!` ends each line at fault.
  init(_ language: Language, broken: String, fixed: String) {
    self.language = language
    self.broken = Self.lines(broken)
    self.fixed = Self.lines(fixed)
  }

  private static func lines(_ text: String) -> [Line] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasSuffix("//!") else { return Line(text: String(line), isFaulty: false) }
      var text = line.dropLast(3)
      while text.last == " " { text.removeLast() }
      return Line(text: String(text), isFaulty: true)
    }
  }
}

/// A mistake in concurrent code that runs for real, next to the same code repaired.
public struct Pitfall: Sendable {
  /// A version of the code. It runs on the main queue, reports each step, and ends the run.
  public typealias Body = @Sendable (PitfallRun) -> Void

  /// The name on the command line.
  public let name: String
  /// A sentence that names the mistake.
  public let title: String
  /// The code, in one language or two.
  public let listings: [PitfallListing]
  /// The result that one would expect.
  public let expectation: String
  /// The reason why it breaks.
  public let explanation: String
  /// The repair in a sentence.
  public let remedy: String
  /// The symptom of the broken version.
  public let symptom: PitfallSymptom
  /// The sentence of a trap, which libdispatch does not print on Linux.
  public let trapMeaning: String
  /// The number of heartbeats of the process without a line after which a run counts as silent.
  public let quietBeats: Int
  /// The broken version.
  public let broken: Body
  /// The repaired version.
  public let fixed: Body

  init(
    _ name: String, _ title: String, _ symptom: PitfallSymptom, listings: [PitfallListing],
    expectation: String, explanation: String, remedy: String, trapMeaning: String = "",
    quietBeats: Int = 12, broken: @escaping Body, fixed: @escaping Body
  ) {
    self.name = name
    self.title = title
    self.symptom = symptom
    self.listings = listings
    self.expectation = expectation
    self.explanation = explanation
    self.remedy = remedy
    self.trapMeaning = trapMeaning
    self.quietBeats = quietBeats
    self.broken = broken
    self.fixed = fixed
  }

  /// All pitfalls, in the order of a course.
  public static let all: [Pitfall] =
    mainQueuePitfalls + ownQueuePitfalls + groupPitfalls + semaphorePitfalls + poolPitfalls
    + resultPitfalls + resourcePitfalls

  /// Returns the pitfall of a name.
  public static func named(_ name: String) -> Pitfall? { all.first { $0.name == name } }
}

/// The two versions of a pitfall.
public enum PitfallVersion: String, CaseIterable, Sendable {
  case broken
  case fixed

  /// Returns the body of a version.
  public func body(of pitfall: Pitfall) -> Pitfall.Body {
    self == .broken ? pitfall.broken : pitfall.fixed
  }
}
