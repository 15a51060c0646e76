// Loose bounds on memory, time and system calls of a run, which show gross mistakes. The
// exact figures are benchmarks.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
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
    var few = 0
    for _ in 0..<3 {
      few = max(few, try await peakMemory(ofHashing: "few", files: 3000, in: directory))
    }
    var many = Int.max
    for _ in 0..<2 {
      many = min(many, try await peakMemory(ofHashing: "many", files: 30_000, in: directory))
    }
    // 85 bytes a file. The deeper tree alone takes up to 1.8 MiB more: directories listed ahead.
    #expect(few > 0 && many > 0 && many - few < 2304, "\(few) KiB and \(many) KiB")
  }

  @Test("twenty thousand names take no more than forty times the time of a thousand")
  func manyNames() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "f")
    func seconds(_ names: Int) async throws -> Double {
      let clock = ContinuousClock()
      let begin = clock.now
      let words = words("hash") + Array(repeating: Array("f".utf8), count: names)
      let result = try await weir(words, in: directory).run()
      result.expectSilence()
      #expect(result.lines.count == names)
      return (clock.now - begin) / .seconds(1)
    }
    _ = try await seconds(1000)
    let few = try await seconds(1000)
    let many = try await seconds(20_000)
    // Quadratic time would be four hundred times.
    #expect(many < 40 * few + 2, "\(few) s and \(many) s")
  }

  /// Returns the peak memory of weir after hashing a tree, in KiB; -1 if it fails.
  private func peakMemory(
    ofHashing tree: String, files: Int, in directory: TemporaryDirectory
  ) async throws -> Int {
    var command = weir("hash", "-j", "8", tree, "-", in: directory)
    command.input = .bytes([])
    let asked = command
    return try await onThread {
      // When all lines are written, the tree has been read, and weir waits for its input,
      // so its peak can be read. The peak of wait4 would include that of this process.
      let child = try Child(asked, holdsInput: true)
      defer { _ = try? child.finish(limit: 40) }
      let isThere = child.collect(limit: 40) { output, _ in
        output.lazy.filter { $0 == 0x0A }.count >= files
      }
      return isThere ? residentPeak(of: child.pid) : -1
    }
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

  /// The locks are those of pthread; libdispatch has others, which a batch takes and no file.
  @Test(
    "a small file costs a quarter of a lock at most, and hardly an allocation",
    .enabled("a compiler, and no sanitizer", canInterpose), arguments: ["2", "8"])
  func locksAndAllocations(lanes: String) async throws {
    let directory = try TemporaryDirectory()
    for count in [1, 2001] {
      try directory.makeDirectory("t\(count)")
      for number in 0..<count { try directory.write("x", to: "t\(count)/f\(number)") }
    }
    let counter = repositoryRoot + "/Benchmarks/counts.c"
    let made = try await other(
      "cc", words("-shared", "-fPIC", "-o", "counts.so", counter), in: directory
    ).run()
    #expect(made.status == 0, "\(made.errorText)")
    let few = try await counts("t1", lanes, in: directory)
    let many = try await counts("t2001", lanes, in: directory)
    let each = zip(many, few).map { Double($0 - $1) / 2000 }
    #expect(each[1] <= 0.25, "\(each[1]) locks a file")
    // Unoptimized Swift allocates for each closure; the release build has 0.2 a file.
    #expect(each[0] <= 4, "\(each[0]) allocations a file")
  }

  /// Returns the numbers of allocations and of locks of a run.
  private func counts(
    _ tree: String, _ lanes: String, in directory: TemporaryDirectory
  ) async throws -> [Int] {
    let run = words("LD_PRELOAD=./counts.so") + [weirPath] + words("hash", "-j", lanes, tree)
    let result = try await other("env", run, in: directory).run()
    result.expectSilence()
    let text = String(decoding: try #require(directory.content("counts")), as: UTF8.self)
    let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
    try #require(numbers.count == 2)
    return numbers
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

/// Returns the peak memory of a process, in KiB.
func residentPeak(of pid: Int32) -> Int {
  guard let file = fopen("/proc/\(pid)/status", "r") else { return -1 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  while fgets(&line, 256, file) != nil {
    let text = String(
      decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if text.hasPrefix("VmHWM:") {
      return Int(text.split(whereSeparator: { $0 == " " || $0 == "\t" })[1]) ?? -1
    }
  }
  return -1
}
