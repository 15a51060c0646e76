// The corpora of the fuzzers: every property holds for each of their files, without libFuzzer.
//
// A file that a fuzzer has found stays in its corpus, and is tested here from then on.

import SystemPackage
import TestSupport
import Testing
import WeirLibC

struct CorpusTests {
  private static let fuzz = "\(repository)/Fuzz"

  /// The root of the repository, above Tests/FuzzTests.
  private static var repository: String {
    String(#filePath.dropLast("/Tests/FuzzTests/CorpusTests.swift".count))
  }

  /// Returns the paths of the files of a corpus.
  private static func files(of name: String) -> [String] {
    names(inDirectory: "\(fuzz)/corpora/\(name)").map { "\(fuzz)/corpora/\(name)/\($0)" }
  }

  @Test(arguments: Properties.all.keys.sorted())
  func propertyHolds(of name: String) throws {
    let files = CorpusTests.files(of: name)
    #expect(!files.isEmpty, "no corpus")
    for file in files {
      let bytes = try #require(Properties.content(of: file))
      do {
        try bytes.withUnsafeBytes { memory in
          var input = FuzzInput(memory)
          try Properties.all[name]?(&input)
        }
      } catch {
        Issue.record("\(file): \(error)")
      }
    }
  }

  /// The fuzzers of C, compiled without sanitizers.
  @Test(.enabled(if: isInstalled("cc")), .timeLimit(.minutes(5)))
  func propertiesHoldInC() async throws {
    let directory = try TemporaryDirectory()
    let result = try await other(
      "sh", words("\(CorpusTests.fuzz)/run", "--check-c"), in: directory
    ).run()
    #expect(result.status == 0, "\(result.errorText)")
  }
}
