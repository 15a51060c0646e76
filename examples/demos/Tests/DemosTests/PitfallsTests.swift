// The pitfalls as values: their code, and the way from an outcome to a verdict. The tool runs them.

import Demos
import Glibc
import Testing

@Suite struct PitfallsTests {
  // MARK: The code

  @Test("the code of each pitfall is its two files, with a line at fault in the broken one alone")
  func listings() {
    #expect(Pitfall.all.count <= 12)
    for pitfall in Pitfall.all {
      let (broken, fixed) = (pitfall.lines(.broken), pitfall.lines(.fixed))
      #expect(broken.count { $0.isFaulty } == 1 && !fixed.contains { $0.isFaulty })
      #expect(broken.map(\.text) != fixed.map(\.text))
      for lines in [broken, fixed] {
        #expect(lines.contains { $0.text.hasPrefix("func ") }, "\(pitfall.name)")
        // Four columns of margin.
        #expect(lines.allSatisfy { $0.text.count <= 96 })
      }
      #expect(pitfall.trapMeaning.isEmpty == (pitfall.symptom != .trap))
    }
  }

  // MARK: Runs

  private static let pitfall = Pitfall.all[0]

  private func run(
    _ outcome: PitfallOutcome, _ version: PitfallVersion = .broken, of pitfall: Pitfall = pitfall
  ) -> PitfallRun {
    PitfallRun(pitfall, version, [], outcome)
  }

  @Test("a run that ends is right if its last line is that of a right run")
  func outcomes() throws {
    let race = try #require(Pitfall.named("counter-race"))
    let (right, wrong) = (PitfallOutcome.end(race.rightEnd), PitfallOutcome.end("7"))
    #expect(run(wrong, of: race).symptom == .wrong && run(right, .fixed, of: race).symptom == .fine)
    #expect(run(right, of: race).isHidden && run(right, of: race).symptom == nil)
    for (outcome, symptom) in [
      (.signal(SIGILL), .trap), (.signal(SIGTRAP), .trap), (.signal(SIGSEGV), nil), (.exit(1), nil),
      (.silence(1000), .silence), (.late(5000), nil),
    ] as [(PitfallOutcome, PitfallSymptom?)] {
      #expect(run(outcome).symptom == symptom)
    }
  }

  @Test("a trap is put into words")
  func traps() {
    for pitfall in Pitfall.all where pitfall.symptom == .trap {
      let text = run(.signal(SIGILL), of: pitfall).sentence
      #expect(text.hasPrefix("libdispatch trapped: \(pitfall.trapMeaning). SIGILL ended"))
    }
    #expect(run(.signal(SIGSEGV)).sentence == "Signal 11 ended the process.")
  }

  // MARK: Verdicts

  @Test("the verdict needs the described symptom and a fixed run that is right")
  func verdicts() throws {
    let (trap, right) = (PitfallOutcome.signal(SIGILL), PitfallOutcome.end(Self.pitfall.rightEnd))
    for (broken, fixed, isExpected) in [
      (trap, right, true), (.end(""), right, false), (right, right, false), (trap, .end(""), false),
      (trap, trap, false), (trap, .exit(1), false),
    ] {
      let verdict = PitfallVerdict(broken: run(broken), fixed: run(fixed, .fixed))
      #expect(verdict.isExpected == isExpected, "\(broken), \(fixed)")
    }
    let race = try #require(Pitfall.named("counter-race"))
    for (fixed, isExpected) in [(.end(race.rightEnd), true), (.exit(1), false)]
      as [(PitfallOutcome, Bool)]
    {
      let hidden = PitfallVerdict(
        broken: run(.end(race.rightEnd), of: race), fixed: run(fixed, .fixed, of: race))
      #expect(hidden.isExpected == isExpected)
      #expect(!isExpected || hidden.sentence(predicted: .wrong).contains("did not show this time"))
    }
  }

  @Test("a prediction is compared with what happened")
  func predictions() {
    let trap = PitfallVerdict(
      broken: run(.signal(SIGILL)), fixed: run(.end(Self.pitfall.rightEnd), .fixed))
    #expect(trap.sentence(predicted: nil) == "it broke as described (trap), and the fix works.")
    #expect(trap.sentence(predicted: .trap).hasSuffix(" Your prediction, trap, was right."))
    #expect(trap.sentence(predicted: .wrong).hasSuffix(" Your prediction, wrong, was wrong."))
  }
}
