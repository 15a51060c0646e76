// Trees whose names are pieces of every format, hashed, damaged, checked, audited and updated in
// every format, list and order of paths, against a dictionary of names and contents: no verdict is
// false, and no update forgets a record. An update may refuse; the table shows how often.
//
// `make test` runs a sample; `make test-verdicts` sets WEIR_TEST_VERDICTS to the number of cases.
// WEIR_TEST_SEED and WEIR_TEST_VERDICT repeat one case.

import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct VerdictTests {
  private static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }

  private static let wanted = number("WEIR_TEST_VERDICTS")
  private static let sampleCount = 60

  @Test(.timeLimit(.minutes(170))) func noVerdictIsFalse() async throws {
    let contents = try VerdictContents()
    let cases =
      Self.number("WEIR_TEST_VERDICT").map { $0..<$0 + 1 } ?? 0..<(Self.wanted ?? Self.sampleCount)
    let seed = Self.wanted == nil ? "the sample's" : "\(testSeed)"
    let next = Shared(cases.lowerBound)
    let table = Shared<[String: Int]>([:])
    await withTaskGroup { group in
      for _ in 0..<2 {
        group.addTask {
          try? await onThread {
            while true {
              let number = next.change { next in
                defer { next += 1 }
                return next
              }
              guard number < cases.upperBound else { return }
              Self.run(number, seed, contents, into: table)
            }
          }
        }
      }
    }
    let rows = table.value
    print(rows.sorted { $0.key < $1.key }.map { "\($0.value)\t\($0.key)" }.joined(separator: "\n"))
    print("\(cases.count) cases, seed \(seed)")
    #expect(rows.count > 10 || cases.count == 1, "few kinds of verdicts were seen")
  }

  private static func run(
    _ number: Int, _ seed: String, _ contents: VerdictContents, into table: Shared<[String: Int]>
  ) {
    let text = "verdicts \(number)"
    let random = wanted == nil ? SeededGenerator(forSampleOf: text) : SeededGenerator(for: text)
    do {
      let one = try VerdictCase(random, contents)
      var counts: [String: Int] = [:]
      do {
        try one.run()
      } catch let verdict as FalseVerdict {
        counts["FALSE, \(verdict.kind)"] = 1
        let commands = one.place.commands.joined(separator: "\n")
        Issue.record(
          """
          case \(number), seed \(seed): \(verdict.kind)
          \(verdict.description)
          D=$PWD
          \(commands)
          """)
      }
      counts.merge(one.counts) { $0 + $1 }
      let all = counts
      table.change { $0.merge(all) { $0 + $1 } }
    } catch {
      Issue.record("case \(number), seed \(seed): \(error)")
    }
  }
}

enum VerdictTool {
  /// Returns the reason of a refusal without its names.
  static func reason(_ errors: String) -> String {
    let line = errors.split(separator: "\n").first { $0.hasPrefix("weir: ") } ?? "no reason"
    let words = line.split(separator: " ").filter { word in
      !word.contains { "/'\\$0123456789".contains($0) }
    }
    return String(words.joined(separator: " ").suffix(90))
  }
}
