// The corpora of the fuzzers: every property holds for each of their files, and for random changes
// of them, without libFuzzer. A file that a fuzzer has found stays in its corpus.

import SystemPackage
import TestSupport
import Testing
import WeirLibC

struct CorpusTests {
  private static let fuzz = "\(repository)/Fuzz"

  private static var repository: String {
    String(#filePath.dropLast("/Tests/FuzzTests/CorpusTests.swift".count))
  }

  private static func files(of name: String) -> [String] {
    names(inDirectory: "\(fuzz)/corpora/\(name)").map { "\(fuzz)/corpora/\(name)/\($0)" }
  }

  @Test(arguments: Properties.all.keys.sorted())
  func propertyHolds(of name: String) throws {
    let files = CorpusTests.files(of: name)
    #expect(!files.isEmpty, "no corpus")
    var random = SeededGenerator(for: "corpus \(name)")
    for file in files {
      let bytes = try #require(Properties.content(of: file))
      for number in 0..<30 {
        let input = number == 0 ? bytes : Self.changed(bytes, using: &random)
        do {
          try input.withUnsafeBytes { memory in
            var input = FuzzInput(memory)
            try Properties.all[name]?(&input)
          }
        } catch {
          Issue.record("\(file), change \(number): \(error) of \(input)")
        }
      }
    }
  }

  private static func changed(
    _ bytes: [UInt8], using random: inout SeededGenerator
  ) -> [UInt8] {
    var changed = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let begin = Int.random(in: 0...changed.count, using: &random)
      let end = min(changed.count, begin + Int.random(in: 0...12, using: &random))
      switch Int.random(in: 0..<3, using: &random) {
      case 0: changed.replaceSubrange(begin..<end, with: random.bytes(end - begin))
      case 1: changed.removeSubrange(begin..<end)
      default: changed.insert(contentsOf: changed[begin..<end] + random.bytes(1), at: begin)
      }
    }
    return changed
  }

  /// The fuzzers of C, compiled without sanitizers.
  @Test(.enabled(if: isInstalled("cc")), .timeLimit(.minutes(10)))
  func propertiesHoldInC() async throws {
    let directory = try TemporaryDirectory()
    let result = try await other(
      "sh", words("\(CorpusTests.fuzz)/run", "--check-c", "\(testSeed)"), in: directory
    ).run()
    #expect(result.status == 0, "\(result.errorText)")
  }
}
