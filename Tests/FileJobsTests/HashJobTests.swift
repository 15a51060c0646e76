// HashJob: digests from one read, and the values of its outcomes. The lines of each algorithm
// are those of its own tool: the transcripts hash/order.t and check/gnu.t.

import FileJobs
import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct HashJobTests {
  @Test("the digests of a file are the value of its outcome, one for each algorithm")
  func values() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("abc", to: "a")
    try directory.write("", to: "b")
    #expect(link(directory.text + "/a", directory.text + "/c") == 0)
    let job = try HashJob([.sha256, .md5, .sha256, .xxh128], format: .tagged)
    var seen: [String] = []
    for try await file in job.results(of: [.tree(directory.text), .file("/weir/none")]) {
      guard case .done(let digests) = file.outcome else {
        seen.append("\(file.outcome)")
        continue
      }
      let md5 = try #require(digests[.md5])
      #expect(digests.all.map(\.algorithm) == [.sha256, .md5, .xxh128] && digests[.sha1] == nil)
      #expect(digests.first == digests[.sha256] && "\(md5)" == md5.hexadecimal)
      #expect(digests.all.map(\.bytes.count) == [32, 16, 16])
      // The line has the same digits.
      let line = String(decoding: file.output, as: UTF8.self)
      for digest in digests.all { #expect(line.contains(" = \(digest.hexadecimal)\n")) }
      seen.append("\(digests.size) \(md5.hexadecimal)")
    }
    #expect(
      seen == [
        "3 900150983cd24fb0d6963f7d28e17f72", "0 d41d8cd98f00b204e9800998ecf8427e",
        "3 900150983cd24fb0d6963f7d28e17f72", "failed(No such file or directory)",
      ])
  }

  @Test("one job can run several times, and has the statistics of the last run")
  func again() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b", "c"] { try directory.write(name, to: name) }
    let job = try HashJob(.sha256)
    let (first, second) = try await onThread {
      (try run(job, [directory.path]), try run(job, [directory.path]))
    }
    #expect(first == second && !first.isEmpty)
    #expect(job.statistics.files == 3 && job.statistics.bytes == 3)
  }
}

/// Runs a job and returns its output. Blocks.
private func run(_ job: HashJob, _ paths: [[UInt8]]) throws -> [UInt8] {
  let lines = Shared<[UInt8]>([])
  try job.run(paths.map { FileSource.path(bytes: $0) }) { batch in
    let output = Array(batch.output)
    lines.change { $0 += output }
  }
  return lines.value
}
