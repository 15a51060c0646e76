// Called as sha256sum and its like, weir is that tool of GNU coreutils 9.1, byte
// for byte: side by side with the installed ones.

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: hasGNU91), .serialized, .timeLimit(.minutes(5)))
struct DropInTests {
  @Test("a table of calls at random: both outputs, their order, and the exit status")
  func table() async throws {
    let corpus = try await DropInCorpus()
    var table = try DropInTable(corpus)
    let count = getenv("WEIR_TEST_CALLS").flatMap { Int(String(cString: $0)) } ?? 2500
    let calls = table.calls(count).filter { !$0.asksForText }
    let found = try await Sides(in: corpus.directory).differences(calls)
    for difference in found.prefix(5) {
      Issue.record("WEIR_TEST_SEED=\(testSeed): \(difference)")
    }
    #expect(found.isEmpty, "\(found.count) of \(calls.count) calls differ")
  }
}

extension Invocation {
  /// Whether it may ask for --help or --version, whose texts are our own.
  fileprivate var asksForText: Bool {
    arguments.contains { word in
      (3...9).contains(word.count)
        && ["--help", "--version"].contains { $0.utf8.starts(with: word) }
    }
  }
}
