// CountJob: what it reads, and its values. The transcript count/wc.t compares it with wc.

import FileJobs
import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

private let hasUTF8 = setlocale(LC_CTYPE, "C.UTF-8") != nil

/// Returns the counts of paths, and the statistics.
private func bytes(
  of paths: [[UInt8]]
) async throws -> (counts: [Counts], statistics: FileStatistics) {
  let job = try CountJob(.bytes, usesLocale: true)
  return try await onThread {
    let found = Shared<[Counts]>([])
    let statistics = try job.run(paths.map { FileSource.path(bytes: $0) }) { batch in
      for index in 0..<batch.count {
        let counts = Counts(output: batch[index].output)
        found.change { $0.append(counts) }
      }
    }
    return (found.value, statistics)
  }
}

@Suite(.enabled(if: hasUTF8), .serialized, .timeLimit(.minutes(10)))
struct CountJobTests {
  @Test("bytes alone need no open, unless the size is a multiple of a page")
  func bytesAlone() async throws {
    let directory = try TemporaryDirectory()
    let sizes = [1, 4095, 4097, 100_000]
    for size in sizes {
      try directory.write([UInt8](repeating: 0x41, count: size), to: "f\(size)".utf8)
    }
    let plain = try await bytes(of: sizes.map { directory.path("f\($0)") })
    #expect(plain.counts.map(\.bytes) == sizes.map(UInt64.init))
    #expect(
      plain.statistics.opened == 0 && plain.statistics.bytes == 0 && plain.statistics.unread == 4)
    let pages = [0, 4096, 8192, 16 << 20]
    for size in pages {
      try directory.write([UInt8](repeating: 0x41, count: size), to: "p\(size)".utf8)
    }
    let read = try await bytes(of: pages.map { directory.path("p\($0)") })
    #expect(read.counts.map(\.bytes) == pages.map(UInt64.init))
    #expect(read.statistics.opened == 4 && read.statistics.bytes < 3 * 8192)
    let proc = try await bytes(of: [Array("/proc/version".utf8)])
    #expect(proc.counts[0].bytes > 10)
  }

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
