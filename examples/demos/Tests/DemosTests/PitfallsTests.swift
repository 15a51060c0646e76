// The pitfalls as values: their code, and the way from the lines of a run to a verdict. The tool
// runs them.

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

  // MARK: Events

  private func watch(_ pieces: (Int, String)...) -> PitfallWatch {
    var watch = PitfallWatch()
    for (time, text) in pieces {
      // In pieces of any size.
      let bytes = Array(text.utf8)
      for begin in stride(from: 0, to: bytes.count, by: 7) {
        watch.take(bytes[begin..<min(begin + 7, bytes.count)], at: time)
      }
    }
    return watch
  }

  private static let pitfall = Pitfall.all[0]

  @Test("silence is heartbeats without a step, and tells whether the main queue stopped")
  func silence() {
    let beat = "\u{1}beat\n"
    let stopped = watch((0, "\u{1}main\n"), (1, "START\n"), (50, beat), (100, beat), (150, beat))
    #expect(stopped.isSilent(for: 3) && !stopped.isSilent(for: 4))
    #expect(stopped.silence == .silence(since: 1, until: 150, mainBeat: 0))
    #expect(
      stopped.silence.sentence(for: Self.pitfall)
        == "Silence: nothing came for 0.15 s, and the watchdog ended the run. The main queue "
        + "ran no block after 0.00 s.")
    let main = "\u{1}main\n"
    let alive = watch((1, "START\n"), (50, beat), (51, main), (100, beat), (101, main))
    #expect(alive.silence == .silence(since: 1, until: 101, mainBeat: nil))
    #expect(alive.silence.sentence(for: Self.pitfall).hasSuffix("The main queue went on."))
    // A step begins the count again.
    let stepped = watch((50, beat), (100, beat), (110, "START\n"), (150, beat))
    #expect(stepped.isSilent(for: 1) && !stepped.isSilent(for: 2))
    #expect(stepped.steps.map(\.text) == ["START"])
  }

  @Test("a run that ends is right if its last line is that of a right run")
  func outcomes() throws {
    let race = try #require(Pitfall.named("counter-race"))
    let (right, wrong) = (watch((1, race.rightEnd + "\n")), watch((1, "the counter is 7\n")))
    #expect(wrong.end(of: race, .broken) == .end(.wrong, "the counter is 7"))
    #expect(right.end(of: race, .fixed) == .end(.right, race.rightEnd))
    #expect(right.end(of: race, .broken) == .end(.hidden, race.rightEnd))
    // A line that is cut off is no step.
    #expect(watch((1, race.rightEnd)).end(of: race, .fixed) == .end(.wrong, ""))
    for (outcome, symptom) in [
      (.end(.right, ""), .fine), (.end(.hidden, ""), nil), (.signal(SIGILL), .trap),
      (.signal(SIGTRAP), .trap), (.signal(SIGSEGV), nil), (.exit(1), nil),
    ] as [(PitfallOutcome, PitfallSymptom?)] {
      #expect(outcome.symptom == symptom)
    }
  }

  @Test("a trap is put into words")
  func traps() {
    for pitfall in Pitfall.all where pitfall.symptom == .trap {
      let text = PitfallOutcome.signal(SIGILL).sentence(for: pitfall)
      #expect(text.hasPrefix("libdispatch trapped: \(pitfall.trapMeaning). SIGILL ended"))
    }
    #expect(
      PitfallOutcome.signal(SIGSEGV).sentence(for: Self.pitfall) == "SIGSEGV ended the process.")
  }

  // MARK: Verdicts

  @Test("the verdict needs the described symptom and a fixed run that is right")
  func verdicts() {
    let trap = PitfallOutcome.signal(SIGILL)
    let right = PitfallOutcome.end(.right, "")
    for (broken, fixed, result) in [
      (trap, right, .shown), (.end(.wrong, ""), right, .unexpected), (right, right, .unexpected),
      (trap, .end(.wrong, ""), .unexpected), (trap, trap, .unexpected),
      (trap, .exit(1), .unexpected), (.end(.hidden, ""), right, .hidden),
      (.end(.hidden, ""), .exit(1), .unexpected),
    ] as [(PitfallOutcome, PitfallOutcome, PitfallVerdict.Result)] {
      let verdict = PitfallVerdict(Self.pitfall, broken: broken, fixed: fixed)
      #expect(verdict.result == result, "\(broken), \(fixed)")
    }
  }

  @Test("a prediction is compared with what happened")
  func predictions() {
    let right = PitfallOutcome.end(.right, "")
    let trap = PitfallVerdict(Self.pitfall, broken: .signal(SIGILL), fixed: right)
    #expect(trap.sentence(predicted: nil) == "it broke as described (trap), and the fix works.")
    #expect(trap.sentence(predicted: .trap).hasSuffix(" Your prediction, trap, was right."))
    #expect(trap.sentence(predicted: .wrong).hasSuffix(" Your prediction, wrong, was wrong."))
    let hidden = PitfallVerdict(Self.pitfall, broken: .end(.hidden, ""), fixed: right)
    #expect(hidden.agrees(with: .wrong) == nil)
    #expect(hidden.sentence(predicted: .wrong).contains("did not show this time"))
  }
}
