// Races with the file system: at every step of a walk and of a read, files, directories and roots
// are moved, replaced, cut and written to while the tool stands still. A run never
// leaves the tree, never reports a mixture of two states of a file as a result, loses no name
// without a word, and ends.
//
// `make test` runs a sample; `make test-races` sets WEIR_TEST_RACES=all.

import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct RaceTests {
  private static let wanted = getenv("WEIR_TEST_RACES").map { String(cString: $0) }
  private static let sampleCount = 100

  /// All races, those with a text in their description, or a random sample.
  private static func chosen() -> [Race] {
    switch wanted {
    case "all": return Race.all
    case let text?: return Race.all.filter { "\($0)".contains(text) }
    case nil:
      var random = SeededGenerator(for: "RaceTests")
      return Array(Race.all.shuffled(using: &random).prefix(sampleCount))
    }
  }

  @Test(.enabled(if: canInterpose()), .timeLimit(.minutes(30)))
  func everyRaceEndsAsPromised() async throws {
    let ground = try await RaceGround()
    #expect(ground.results.values.allSatisfy { $0.digests.count == RaceText.allCases.count })
    let races = RaceTests.chosen()
    #expect(!races.isEmpty, "no race has this text in its description")
    let counts = Shared<[RaceOutcome: Int]>([:])
    try await onThreads(2, races) { RaceTests.run($0, on: ground, into: counts) }
    #expect(counts.value.values.reduce(0, +) == races.count)
    print("races with the tree: \(races.count) \(counts.value)")
  }

  private static func run(
    _ race: Race, on ground: RaceGround, into counts: Shared<[RaceOutcome: Int]>
  ) {
    guard let results = ground.results[race.size] else { return }
    do {
      var record = try race.run(on: ground)
      // A lane that comes late opens a file by other calls.
      for _ in 0..<5 where !record.isReached {
        record = try race.run(on: ground)
      }
      let outcome = race.outcome(record, results)
      counts.change { $0[outcome, default: 0] += 1 }
      let problems = race.violations(record, outcome, results)
      let allowed = race.allowed.map(\.rawValue).sorted().joined(separator: ", ")
      if !race.allowed.contains(outcome) || !problems.isEmpty {
        Issue.record(
          """
          \(race) (\(race.phase)): \(outcome.rawValue), allowed: \(allowed)
          \(problems.joined(separator: "; "))
          \(record.text.prefix(1500))
          """)
      }
    } catch {
      Issue.record("\(race): \(error)")
    }
  }
}
