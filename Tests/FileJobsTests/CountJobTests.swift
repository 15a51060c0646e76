// CountJob: its values. The transcript count/wc.t compares it with wc, and count/count.t has what it
// reads.

import FileJobs
import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

private let hasUTF8 = setlocale(LC_CTYPE, "C.UTF-8") != nil

@Suite(.enabled(if: hasUTF8), .serialized, .timeLimit(.minutes(10)))
struct CountJobTests {
  @Test("the counts of a file are the value of its outcome", arguments: [1, 4])
  func values(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("one two\nthree\n", to: "a")
    try directory.write("four", to: "b")
    var options = FileProcessorOptions()
    options.jobs = jobs
    let job = try CountJob([.lines, .words], options: options)
    var seen: [String] = []
    var total = Counts()
    let sources = [directory.path("a"), directory.path("none"), directory.path("b")]
    for try await file in job.results(of: sources.map { .path(bytes: $0) }) {
      switch file.outcome {
      case .done(let counts):
        seen.append("\(counts.lines) \(counts.words) \(counts.bytes)")
        total += counts
        #expect(file.output.withUnsafeBytes { Counts(output: $0) } == counts)
      case .failed(let error): seen.append("\(error)")
      default: seen.append("\(file.outcome)")
      }
    }
    #expect(seen == ["2 3 14", "No such file or directory", "0 1 4"])
    #expect(total.words == 4)
  }

  @Test("characters are those of UTF-8 in a process that never called setlocale")
  func withoutLocale() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("é 日本 \u{1F41F}\n", to: "f")
    let (job, byLocale) = try await onThread {
      // The locale of a thread stands before that of the process.
      let plain = try #require(newlocale(1 << LC_CTYPE, "C", nil))
      let former = uselocale(plain)
      defer {
        uselocale(former)
        freelocale(plain)
      }
      return try (CountJob([.characters]), CountJob([.characters], usesLocale: true))
    }
    for try await file in job.results(of: [.tree(directory.text)]) {
      #expect(file.value?.characters == 7 && file.value?.bytes == 15)
    }
    for try await file in byLocale.results(of: [.tree(directory.text)]) {
      #expect(file.value?.characters == 15)
    }
  }
}
