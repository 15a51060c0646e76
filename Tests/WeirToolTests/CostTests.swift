// What a run may cost: loose bounds, so that a blunder shows. The real figures
// are benchmarks.

import Glibc
import TestSupport
import Testing

@Sendable private func canTrace() async throws -> Bool {
  guard isInstalled("strace") else { return false }
  let works = try await Command("strace", "-f", "-o", "/dev/null", "true").run().status == 0
  if !works { print("skipped: strace may not trace here") }
  return works
}

@Suite(.serialized, .timeLimit(.minutes(2)))
struct CostTests {
  @Test("five thousand files stay below 64 MiB of memory")
  func memory() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("tree")
    for number in 0..<5000 { try directory.write("x", to: "tree/f\(number)") }
    var command = weir("hash", "tree", "-", in: directory)
    command.input = .bytes([])
    let child = command
    let peak = try await onThread {
      // It has read the tree when nearly all lines are there (the last may come
      // out with its input, for which it waits): so it is still there to be
      // asked. What wait4 says would begin with the memory of this process.
      let child = try Child(child, holdsInput: true)
      defer { _ = try? child.finish(limit: 40) }
      let isThere = child.collect(limit: 40) { output, _ in
        output.lazy.filter { $0 == 0x0A }.count >= 4900
      }
      guard isThere else { return -1 }
      return peakMemory(of: child.pid)
    }
    #expect((1..<64 << 10).contains(peak), "\(peak) KiB")
  }

  @Test("about four system calls for a small file", .enabled("strace has to work", canTrace))
  func systemCalls() async throws {
    let directory = try TemporaryDirectory()
    for count in [1, 2001] {
      try directory.makeDirectory("t\(count)")
      for number in 0..<count { try directory.write("x", to: "t\(count)/f\(number)") }
    }
    let few = try await countCalls("t1", in: directory)
    let many = try await countCalls("t2001", in: directory)
    let each = Double(many - few) / 2000
    #expect(each >= 3.9 && each <= 4.3, "\(each) calls a file")
  }

  /// How many system calls a run makes, without those of its threads among
  /// themselves.
  private func countCalls(_ tree: String, in directory: TemporaryDirectory) async throws -> Int {
    let result = try await other(
      "strace",
      words("-f", "-o", "trace") + [weirPath] + words("hash", "-j", "1", tree), in: directory
    ).run()
    result.expectSilence()
    let trace = try await other("cat", words("trace"), in: directory).run()
    // A call that another thread's comes between has two lines.
    return trace.outputText.split(separator: "\n")
      .filter { $0.contains("(") && !$0.contains(" resumed>") && !$0.contains(" futex(") }.count
  }
}

/// The most memory a process has had, in KiB.
private func peakMemory(of pid: Int32) -> Int {
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
