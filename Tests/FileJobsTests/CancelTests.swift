// A cancel ends each job soon, in the middle of a file that takes hours.

import FileJobs
import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CancelTests {
  enum Kind: CaseIterable { case hash, count, check, duplicates }

  private typealias Run = @Sendable (_ delivered: Shared<Int>) throws -> Void

  /// Returns a job over the files of a directory, and its run.
  private func make(
    _ kind: Kind, _ directory: TemporaryDirectory
  ) throws -> (job: any FileJob, run: Run) {
    let sources = [FileSource.path(bytes: directory.path)]
    switch kind {
    case .hash:
      let job = try HashJob(.sha256)
      return (job, { delivered in try job.run(sources) { _ in delivered.change { $0 += 1 } } })
    case .count:
      let job = try CountJob([.lines])
      return (job, { delivered in try job.run(sources) { _ in delivered.change { $0 += 1 } } })
    case .check:
      let manifest = try TemporaryDirectory()
      let zeros = String(repeating: "0", count: 32)
      try manifest.write("\(zeros)  \(directory.text)/a\n", to: "sums")
      let job = try CheckJob()
      let run: Run = { delivered in
        try job.run([.path(bytes: manifest.path("sums"))]) { event in
          if case .line = event { delivered.change { $0 += 1 } }
        }
      }
      return (job, run)
    case .duplicates:
      let job = DuplicatesJob()
      return (job, { delivered in try job.run(sources) { _ in delivered.change { $0 += 1 } } })
    }
  }

  @Test("a cancelled run gives up a file that takes hours", arguments: Kind.allCases)
  func givesUp(kind: Kind) async throws {
    let directory = try TemporaryDirectory()
    // 4 TiB, and not a byte on the disk.
    for name in ["a", "b"] {
      try directory.write("", to: name)
      #expect(truncate(directory.text + "/" + name, 1 << 42) == 0)
    }
    let (job, run) = try make(kind, directory)
    let delivered = Shared(0)
    startThread {
      // The test's time limit ends this loop.
      while job.statistics.bytes < 1 << 22 { usleep(1000) }
      job.cancel()
    }
    await #expect(throws: Errno.canceled) { try await onThread { try run(delivered) } }
    #expect(delivered.value == 0 && job.statistics.failed == 0)
  }
}
