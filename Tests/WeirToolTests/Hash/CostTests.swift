// Loose bounds on memory, time and system calls of a run, which show gross mistakes. The
// exact figures are benchmarks.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CostTests {
  @Test("thirty thousand files need no more memory than three thousand")
  func memoryDoesNotGrow() async throws {
    let directory = try TemporaryDirectory()
    var plant = shell(
      """
      for place in few few/d1 few/d2 many $(seq -f many/d%g 29); do
        mkdir $place
        seq -f $place/f%g 1000 | xargs -n 500 sh -c 'echo x | tee "$@"' sh >log
      done
      """, in: directory)
    // On a busy machine the files take longer than a run of the tool may.
    plant.limit = 200
    let planted = try await plant.run()
    #expect(planted.status == 0, "\(planted.errorText)")
    // A single run of each is not enough: the lanes run ahead by varying amounts. Their number is
    // fixed, since a busy machine may answer the longer run so slowly that it gets more lanes.
    let hash = { (tree: String) in weir("hash", "-j", "8", tree, "-", in: directory) }
    var few = 0
    for _ in 0..<3 {
      few = max(few, try await residentPeak(of: hash("few"), lines: 3000))
    }
    var many = Int.max
    for _ in 0..<2 {
      many = min(many, try await residentPeak(of: hash("many"), lines: 30_000))
    }
    // 85 bytes a file. The deeper tree alone takes up to 1.8 MiB more: directories listed ahead.
    #expect(few > 0 && many > 0 && many - few < 2304, "\(few) KiB and \(many) KiB")
  }

  @Test(
    "four system calls for a small file, one of each kind",
    .enabled("strace has to work", straceWorks))
  func systemCalls() async throws {
    let directory = try TemporaryDirectory()
    for count in [1, 2001] {
      try directory.makeDirectory("t\(count)")
      for number in 0..<count { try directory.write("x", to: "t\(count)/f\(number)") }
    }
    let few = try await countCalls("t1", in: directory)
    let many = try await countCalls("t2001", in: directory)
    let each = Double(many.count - few.count) / 2000
    #expect(each >= 3.95 && each <= 4.15, "\(each) calls a file")
    for kinds in [["openat"], ["fstat", "newfstatat"], ["read"], ["close"]] {
      let more = many.count { kinds.contains($0) } - few.count { kinds.contains($0) }
      #expect((1990...2060).contains(more), "\(more) of \(kinds)")
    }
  }

  /// Returns the names of the system calls of a run, without those of synchronization.
  private func countCalls(
    _ tree: String, in directory: TemporaryDirectory
  ) async throws -> [String] {
    let result = try await other(
      "strace",
      words("-f", "-o", "trace") + [weirPath] + words("hash", "-j", "1", tree), in: directory
    ).run()
    result.expectSilence()
    let trace = try await other("cat", words("trace"), in: directory).run()
    // A call interrupted by one of another thread has two lines.
    return trace.outputText.split(separator: "\n")
      .filter { $0.contains("(") && !$0.contains(" resumed>") && !$0.contains(" futex(") }
      .map { String($0.prefix { $0 != "(" }.split(separator: " ").last ?? "") }
  }
}
