// Trees on slow storage: a library for LD_PRELOAD delays opens and listings. The output is the
// same, directories are listed ahead, and a stop does not wait for them.

import Glibc
import TestSupport
import Testing

/// A directory with a tree and the compiled library.
private struct SlowStorage {
  let directory: TemporaryDirectory

  init(directories: Int, filesEach: Int) async throws {
    directory = try TemporaryDirectory()
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let source = "/\(tests)/Preloads/slow_storage.c"
    let made = try await other(
      "cc", words("-shared", "-fPIC", "-o", "slow.so", source, "-ldl"), in: directory
    ).run()
    made.expectSilence()
    try directory.makeDirectory("tree")
    for parent in 0..<directories {
      // Three levels, of different widths.
      var path = "tree"
      for name in ["a\(parent % 7)", "b\(parent % 3)", "c\(parent)"] {
        path += "/" + name
        try directory.makeDirectory(path)
      }
      for file in 0..<filesEach { try directory.write("\(parent) \(file)", to: "\(path)/f\(file)") }
    }
  }

  /// The environment of a slow run.
  func environment(_ more: String...) -> [String] {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    let library = String(decoding: directory.path, as: UTF8.self) + "/slow.so"
    return ["PATH=\(path)", "LC_ALL=C.UTF-8", "LD_PRELOAD=\(library)"] + more
  }

  func run(_ script: String, _ more: String...) async throws -> Outcome {
    var command = shell(script, in: directory)
    command.environment = environment("SLOW_OPEN=500", "SLOW_LISTING=1500") + more
    return try await command.run()
  }
}

@Suite(.serialized, .enabled("a compiler, and no sanitizer", canInterpose), .timeLimit(.minutes(5)))
struct SlowStorageTests {
  @Test(
    "the output is that of fast storage, also with 8 descriptors, and with random delays",
    arguments: ["", "ulimit -n 8; ", "ulimit -n 20; ", "SLOW_RANDOM=1; export SLOW_RANDOM; "])
  func output(prefix: String) async throws {
    let slow = try await SlowStorage(directories: 120, filesEach: 3)
    for options in ["", "--follow --jobs 16", "--exclude '*1' --one-file-system"] {
      let fast = try await shell("\"$0\" hash \(options) tree", in: slow.directory).run()
      let result = try await slow.run("\(prefix)\"$0\" hash \(options) tree")
      result.expectSilence()
      #expect(result.output == fast.output && !fast.output.isEmpty)
    }
  }

  @Test("--verbose reports the directories listed ahead")
  func verbose() async throws {
    let slow = try await SlowStorage(directories: 100, filesEach: 1)
    let result = try await slow.run("\"$0\" hash --verbose tree")
    #expect(result.status == 0)
    let count = result.errorText.split(separator: " directories listed ahead").first?
      .split(separator: " ").last.flatMap { Int($0) }
    #expect((count ?? 0) > 60, "\(result.errorText)")
  }

  @Test("a tree in memory is listed once, two calls a directory, and nothing is measured")
  func fast() async throws {
    let slow = try await SlowStorage(directories: 100, filesEach: 1)
    let found = try await other("find", words("tree", "-type", "d"), in: slow.directory).run()
    // Other processes may have its pages evicted, or the processor: not five times.
    var reports: [String] = []
    for _ in 0..<5 {
      // With a fixed number of readers, which is not measured either.
      var command = weir("hash", "-j", "2", "tree", in: slow.directory)
      command.environment = slow.environment("SLOW_REPORT=report")
      try await command.run().expectSilence()
      let report = try await other("cat", words("report"), in: slow.directory).run()
      reports.append(report.outputText)
    }
    #expect(reports.contains("\(2 * found.lines.count) 0\n"), "\(reports)")
  }

  @Test("a signal ends a run that waits for a listing that never ends")
  func deadServer() async throws {
    let slow = try await SlowStorage(directories: 100, filesEach: 1)
    try slow.directory.makeDirectory("tree/z")
    try slow.directory.write("x", to: "tree/a0/first")
    var command = weir("hash", "tree", in: slow.directory)
    command.environment = slow.environment("SLOW_OPEN=500", "SLOW_LISTING=1500", "SLOW_DEAD=z")
    let asked = command
    let outcome = try await onThread {
      let child = try Child(asked)
      // All but the dead directory.
      let isThere = child.collect(limit: 40) { output, _ in
        output.lazy.filter { $0 == 0x0A }.count >= 60
      }
      #expect(isThere)
      kill(child.pid, SIGINT)
      return try child.finish(limit: 40)
    }
    #expect(outcome.signal == SIGINT && !outcome.wasLate)
  }
}
