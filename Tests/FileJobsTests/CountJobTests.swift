// CountJob: against wc, with any number of lanes, one read for each file.

import FileJobs
import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

private let hasUTF8 = setlocale(LC_CTYPE, "C.UTF-8") != nil
private let everything: CountColumns = [.lines, .words, .characters, .bytes, .longestLine]

/// Returns the counts of paths, and the statistics.
private func counts(
  of paths: [[UInt8]], _ columns: CountColumns = everything, jobs: Int? = nil
) async throws -> (counts: [Counts], statistics: FileStatistics) {
  var options = FileProcessorOptions()
  options.jobs = jobs
  let job = try CountJob(columns, usesLocale: true, options: options)
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
  /// Returns the numbers of wc: five for each file, without the total.
  private func oracle(_ paths: [[UInt8]]) async throws -> [[UInt64]] {
    let command = Command(Array("/usr/bin/wc".utf8), [Array("-lwmcL".utf8)] + paths)
    let lines = try await command.run().outputText.split(separator: "\n")
    return lines.prefix(paths.count).map { line in
      line.split(separator: " ").prefix(5).compactMap { UInt64($0) }
    }
  }

  private func numbers(_ counts: Counts) -> [UInt64] {
    [counts.lines, counts.words, counts.characters, counts.bytes, counts.longestLine]
  }

  @Test("every character is counted as wc counts it", .enabled(if: isInstalled("wc")))
  func characters() async throws {
    let directory = try TemporaryDirectory()
    var paths: [[UInt8]] = []
    for plane in 0..<64 {
      var text: [UInt8] = []
      // A letter on each side shows if the character separates words.
      for value in UInt32(plane) << 10..<UInt32(plane + 1) << 10 {
        guard let scalar = Unicode.Scalar(value) else { continue }
        text += Array("a\(scalar)b\t\(scalar) \(scalar)\n".utf8)
      }
      try directory.write(text, to: "plane\(plane)".utf8)
      paths.append(directory.path("plane\(plane)"))
    }
    for range in 0..<16 {
      var text: [UInt8] = []
      for value in stride(from: UInt32(range + 1) << 16, to: UInt32(range + 2) << 16, by: 7) {
        guard let scalar = Unicode.Scalar(value) else { continue }
        text += Array("a\(scalar)b\n".utf8)
      }
      try directory.write(text, to: "more\(range)".utf8)
      paths.append(directory.path("more\(range)"))
    }
    let found = try await counts(of: paths).counts
    let expected = try await oracle(paths)
    for (index, path) in paths.enumerated() {
      #expect(
        numbers(found[index]) == expected[index], "\(String(decoding: path, as: UTF8.self))")
    }
  }

  @Test(
    "a big file has the same counts for any number of jobs", .enabled(if: isInstalled("wc")))
  func big() async throws {
    var random = SeededGenerator(for: "big")
    let directory = try TemporaryDirectory()
    // A piece has 4 MiB: a word, a character and a line cross each boundary.
    var text = random.bytes(1 << 20)
    for boundary in 1..<10 {
      let euro = Array("\n\t wörd€wide€€€€€€word\u{A0}".utf8)
      let cut = Int.random(in: 1..<euro.count, using: &random)
      text += [UInt8](repeating: 0x78, count: boundary << 22 - cut - text.count) + euro
    }
    text += random.bytes(12345)
    try directory.write(text, to: "big".utf8)
    let path = directory.path("big")
    let expected = try await oracle([path])[0]
    for jobs in [1, 2, 7] {
      let (found, statistics) = try await counts(of: [path], jobs: jobs)
      #expect(found.map(numbers) == [expected], "\(jobs) jobs")
      #expect(statistics.bytes == UInt64(text.count) && statistics.files == 1)
    }
  }

  @Test("bytes alone need no open, unless the size is a multiple of a page")
  func bytesAlone() async throws {
    let directory = try TemporaryDirectory()
    let sizes = [1, 4095, 4097, 100_000]
    for size in sizes {
      try directory.write([UInt8](repeating: 0x41, count: size), to: "f\(size)".utf8)
    }
    let plain = try await counts(of: sizes.map { directory.path("f\($0)") }, .bytes)
    #expect(plain.counts.map(\.bytes) == sizes.map(UInt64.init))
    #expect(
      plain.statistics.opened == 0 && plain.statistics.bytes == 0 && plain.statistics.unread == 4)
    let pages = [0, 4096, 8192, 16 << 20]
    for size in pages {
      try directory.write([UInt8](repeating: 0x41, count: size), to: "p\(size)".utf8)
    }
    let read = try await counts(of: pages.map { directory.path("p\($0)") }, .bytes)
    #expect(read.counts.map(\.bytes) == pages.map(UInt64.init))
    #expect(read.statistics.opened == 4 && read.statistics.bytes < 3 * 8192)
    let proc = try await counts(of: [Array("/proc/version".utf8)], .bytes)
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
