// The pitfalls as values: their texts, and the way from the events of a run to a verdict. The
// tool runs them.

import Demos
import Glibc
import Testing

@Suite struct PitfallsTests {
  // MARK: The catalogue

  @Test("each pitfall has code in Swift, with a line at fault in the broken version alone")
  func listings() {
    #expect(Pitfall.all.count == 18 && Set(Pitfall.all.map(\.name)).count == 18)
    for pitfall in Pitfall.all {
      #expect(pitfall.listings.contains { $0.language == .swift }, "\(pitfall.name)")
      for listing in pitfall.listings {
        #expect(listing.broken.count { $0.isFaulty } == 1)
        #expect(!listing.fixed.contains { $0.isFaulty })
        #expect(listing.broken.map(\.text) != listing.fixed.map(\.text))
        // Four columns of margin.
        #expect((listing.broken + listing.fixed).allSatisfy { $0.text.count <= 76 })
      }
      #expect(pitfall.trapMeaning.isEmpty == (pitfall.symptom != .trap))
    }
  }

  // MARK: Events

  @Test("an event survives the way as a line")
  func lines() {
    let kinds: [PitfallEvent.Kind] = [
      .step, .processBeat, .mainBeat, .end(.right), .end(.wrong), .end(.slow), .end(.fine),
      .end(.hidden),
    ]
    for kind in kinds {
      for text in ["", "START 4", "two  blanks "] {
        let event = PitfallEvent(milliseconds: 1234, kind: kind, text: text)
        #expect(PitfallEvent(line: event.line) == event)
      }
    }
    for line in ["", "12", "12 step", "x step a", "12 stop a", "Fatal error: no"] {
      #expect(PitfallEvent(line: line) == nil, "\(line)")
    }
  }

  private func watch(_ text: String) -> PitfallWatch {
    var watch = PitfallWatch()
    // In pieces of any size.
    let bytes = Array(text.utf8)
    for begin in stride(from: 0, to: bytes.count, by: 7) {
      watch.take(bytes[begin..<min(begin + 7, bytes.count)])
    }
    return watch
  }

  private static let pitfall = Pitfall.all[0]

  @Test("silence is heartbeats without a step, and tells whether the main queue stopped")
  func silence() {
    let stopped = watch("0 main \n1 step START\n50 beat \n100 beat \n150 beat \n")
    #expect(stopped.isSilent(for: 3) && !stopped.isSilent(for: 4))
    #expect(stopped.silence == .silence(since: 1, until: 150, mainBeat: 0))
    #expect(
      stopped.silence.sentence(for: Self.pitfall)
        == "Silence: nothing came for 0.15 s, and the watchdog ended the run. The main queue "
        + "ran no block after 0.00 s.")
    let alive = watch("1 step START\n50 beat \n51 main \n100 beat \n101 main \n")
    #expect(alive.silence == .silence(since: 1, until: 101, mainBeat: nil))
    #expect(alive.silence.sentence(for: Self.pitfall).hasSuffix("The main queue went on."))
    // A step begins the count again, and a run at its end is not silent.
    let stepped = watch("50 beat \n100 beat \n110 step START\n150 beat \n")
    #expect(stepped.isSilent(for: 1) && !stepped.isSilent(for: 2))
    #expect(!watch("50 beat \n60 right done\n100 beat \n").isSilent(for: 1))
  }

  @Test("a run has the outcome of its end, of its signal or of its status")
  func outcomes() {
    let ended = watch("1 step START\n60 wrong k was 7\n")
    #expect(ended.outcome(signal: nil, status: 0) == .end(.wrong, "k was 7"))
    #expect(ended.outcome(signal: nil, status: 3) == .exit(3))
    #expect(ended.outcome(signal: SIGILL, status: 0) == .signal(SIGILL))
    #expect(watch("1 step START\n").outcome(signal: nil, status: 0) == .exit(0))
    // A line that is cut off is no event.
    #expect(watch("60 wrong k was").outcome(signal: nil, status: 0) == .exit(0))
    for (outcome, symptom) in [
      (.end(.right, ""), .fine), (.end(.fine, ""), .fine), (.end(.wrong, ""), .wrong),
      (.end(.slow, ""), .slow), (.end(.hidden, ""), nil), (.signal(SIGILL), .trap),
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
    let silent = PitfallOutcome.silence(since: 0, until: 600, mainBeat: nil)
    let right = PitfallOutcome.end(.right, "")
    for (broken, fixed, result) in [
      (silent, right, .shown), (.signal(SIGILL), right, .unexpected), (right, right, .unexpected),
      (silent, .end(.wrong, ""), .unexpected), (silent, silent, .unexpected),
      (silent, .exit(0), .unexpected), (.end(.hidden, ""), right, .hidden),
      (.end(.hidden, ""), .exit(1), .unexpected),
    ] as [(PitfallOutcome, PitfallOutcome, PitfallVerdict.Result)] {
      let verdict = PitfallVerdict(Self.pitfall, broken: broken, fixed: fixed)
      #expect(verdict.result == result, "\(broken), \(fixed)")
    }
  }

  @Test("a prediction is compared with what happened")
  func predictions() {
    let right = PitfallOutcome.end(.right, "")
    let silent = PitfallVerdict(
      Self.pitfall, broken: .silence(since: 0, until: 1, mainBeat: nil), fixed: right)
    #expect(
      silent.sentence(predicted: nil) == "it broke as described (silence), and the fix works.")
    #expect(silent.sentence(predicted: .silence).hasSuffix(" Your prediction, silence, was right."))
    #expect(silent.sentence(predicted: .slow).hasSuffix(" Your prediction, slow, was wrong."))
    let hidden = PitfallVerdict(Self.pitfall, broken: .end(.hidden, ""), fixed: right)
    #expect(hidden.agrees(with: .wrong) == nil)
    #expect(hidden.sentence(predicted: .wrong).contains("did not show this time"))
  }
}
