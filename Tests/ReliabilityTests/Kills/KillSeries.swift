// Kills of one verb at random moments.

import Glibc
import TestSupport
import Testing

/// The number of kills over all verbs; `nil` for the sample of `make test`.
let killsInAll = getenv("WEIR_TEST_KILLS").flatMap { Int(String(cString: $0)) }

/// The runs of a verb that are killed.
struct KillSeries {
  /// The number of kills to make.
  let goal: Int
  var random: SeededGenerator
  /// The time of a run that is not killed, from which the moments are chosen.
  var duration = Duration.milliseconds(50)
  private var kills = 0

  /// - Parameters:
  ///   - share: The number of kills of each thousand in the whole form.
  ///   - sample: The number of kills in `make test`.
  init(_ name: String, share: Int, sample: Int) {
    goal = killsInAll.map { max(1, ($0 * share + 999) / 1000) } ?? sample
    random = SeededGenerator(for: "kills of \(name)")
  }

  var isDone: Bool { kills >= goal }

  /// Measures a run that is not killed.
  mutating func measure(_ command: Command) async throws -> Outcome {
    let begin = ContinuousClock.now
    let outcome = try await command.run()
    duration = begin.duration(to: .now)
    return outcome
  }

  /// Begins a chain of runs that continue one another, of a random length.
  mutating func beginChain() -> Range<Int> { 0..<Int.random(in: 1...4, using: &random) }

  /// Runs a command, and sends it a signal after a random part of its time: SIGKILL to the process
  /// or its group, in one of five cases a signal that asks it to end.
  mutating func stop(_ command: Command) async throws -> Outcome {
    let isPolite = Int.random(in: 0..<5, using: &random) == 0
    let polite = [SIGTERM, SIGINT, SIGHUP].randomElement(using: &random) ?? SIGTERM
    let signal = isPolite ? polite : SIGKILL
    let isGroup = Bool.random(using: &random)
    let part = Double.random(in: 0...1.1, using: &random)
    let delay = max(0, duration * part / .seconds(1))
    let run = try await onThread {
      let child = try Child(command)
      // A run whose output nobody reads would wait for its reader, and never come to its end.
      _ = child.collect(limit: delay) { _, _ in false }
      kill(isGroup ? -child.pid : child.pid, signal)
      return try child.finish()
    }
    #expect(!run.wasLate, "it does not end")
    if let ended = run.signal { #expect(ended == signal, "\(run.errorText)") }
    if run.isStopped && !isPolite { kills += 1 }
    // The time of a run depends on the load of the machine.
    duration = duration * (run.isStopped ? 1.05 : 0.85)
    return run
  }
}

extension Outcome {
  /// True if a signal ended the run; false if the run ended before.
  var isStopped: Bool { signal != nil }
}
