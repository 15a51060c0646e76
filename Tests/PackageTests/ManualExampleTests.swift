// The programs of the manual pages, which lie in man/examples: compiled in both languages by both
// compilers, and run.

import Foundation
import TestSupport
import Testing

@Suite(
  "The examples of the manual pages", .timeLimit(.minutes(10)),
  .enabled(if: isInstalled("pkg-config"), "pkg-config is not installed"))
struct ManualExampleTests {
  /// The programs in `man/examples`, without `.c`.
  static let names: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(
      atPath: Repository.root.appending(path: "man/examples").path)
    return (files ?? []).filter { $0.hasSuffix(".c") }.map { String($0.dropLast(2)) }.sorted()
  }()

  typealias Compiler = (name: String, flags: String, suffix: String)

  static let compilers: [Compiler] = [
    (name: "gcc", flags: "gcc -std=c11 -Wpedantic -Wshadow", suffix: "c"),
    (name: "g++", flags: "g++ -std=c++17 -Wpedantic -Wshadow", suffix: "cpp"),
    (name: "clang", flags: "clang -std=c11 -Wpedantic -Wshadow", suffix: "c"),
    (name: "clang++", flags: "clang++ -std=c++17 -Wpedantic -Wshadow", suffix: "cpp"),
  ]

  /// One compiler for each name, and in the long target each.
  private static let builds: [(Compiler, String)] = names.flatMap { name in
    let installed = compilers.filter { isInstalled($0.name) }
    return installed.sampled(oneIn: installed.count, for: name).map { ($0, name) }
  }

  @Test("compile without a message, and run", arguments: builds)
  func run(compiler: Compiler, name: String) async throws {
    let weir = try await Installation.get()
    let built = try await weir.build(
      Repository.text(of: "man/examples/\(name).c"), suffix: compiler.suffix,
      with: compiler.flags, .shared)
    let runs = try #require(expectedRuns[name], "there is no expected output of \(name)")
    for run in runs {
      let outcome = try await Fixture.run(built, run.script)
      #expect(outcome.status == run.status, "\(outcome.outputText)\(outcome.errorText)")
      #expect(
        outcome.outputText.contains(try Regex("^(?:\(run.output))$")), "\(outcome.outputText)")
      #expect(outcome.errorText.contains(try Regex("^(?:\(run.errors))$")), "\(outcome.errorText)")
    }
    // A program that could not write its output has not succeeded.
    if let first = runs.first, !first.output.isEmpty {
      let outcome = try await Fixture.run(built, first.script + " >/dev/full")
      #expect((outcome.status ?? 0) != 0)
    }
  }
}

/// A directory of files for the programs, made once.
private enum Fixture {
  private static let made = Task {
    let directory = try TemporaryDirectory()
    let script = """
      mkdir tree tree/.git tree/sub special
      printf '1\\n2\\n3\\n' > tree/a
      printf 'no end' > tree/sub/b
      printf '#!/bin/sh\\n' > tree/sub/script
      printf '%0100d\\n' 0 > tree/.git/config
      mkfifo special/fifo
      : > special/empty
      mkdir many && cd many && seq -f '%0100.0f' 1600 | xargs touch
      """
    _ = try await Command(
      words: ["sh", "-euc", script], directory: directory.url
    ).text()
    return directory
  }

  /// Runs a script with the program as `$0`, in the directory.
  static func run(_ program: URL, _ script: String) async throws -> Outcome {
    let directory = try await made.value
    return try await Command(
      words: ["LC_ALL=C", "sh", "-c", script, program.path], directory: directory.url
    ).run()
  }
}

/// One run of a program, as patterns for the whole of its output and of its messages.
private struct ExpectedRun {
  let script: String
  let output: String
  var errors = ""
  var status: Int32 = 0

  init(_ output: String, _ script: String = "\"$0\"", errors: String = "", status: Int32 = 0) {
    (self.script, self.output, self.errors, self.status) = (script, output, errors, status)
  }
}

/// The first run of each writes to standard output.
private let expectedRuns: [String: [ExpectedRun]] = [
  "pool": [
    ExpectedRun("6\ttree/a\n0\t/dev/null\n6\ttree/sub/b\n", "\"$0\" tree/a /dev/null tree/sub/b"),
    ExpectedRun("", "\"$0\""),
    ExpectedRun(
      "", "\"$0\" tree/a none tree/sub/b", errors: "pool: none: No such file or directory\n",
      status: 1),
    ExpectedRun("", "\"$0\" tree", errors: "pool: tree: Is a directory\n", status: 1),
  ],
  "pi": [ExpectedRun("3\\.1415926536\n")],
  "lines": [
    ExpectedRun(
      "1\ttree/\\.git/config\n3\ttree/a\n0\ttree/sub/b\n1\ttree/sub/script\n", "\"$0\" tree"),
    ExpectedRun("(?s)1\t\\./\\.git/config\n3\t\\./a\n.*", "cd tree && \"$0\""),
    ExpectedRun(
      "0\tspecial/empty\n", "\"$0\" special",
      errors: "lines: special/fifo: not a regular file\n", status: 1),
    ExpectedRun(
      "", "\"$0\" special/fifo", errors: "lines: special/fifo: not a regular file\n", status: 1),
    ExpectedRun("", "\"$0\" none", errors: "lines: none: No such file or directory\n", status: 1),
    // Output that is lost before the last write.
    ExpectedRun(
      "", "trap '' XFSZ; ulimit -f 8; \"$0\" many > limited", errors: "lines: File too large\n",
      status: 1),
  ],
  "weir_apply": [ExpectedRun("found\n")],
  "weir_queue": [ExpectedRun("total 40\n")],
  "weir_group": [ExpectedRun("the job: No space left on device\n")],
  "weir_gate": [ExpectedRun("never more than 4 MB\n")],
  "weir_lanes": [ExpectedRun("100 jobs\n")],
  "weir_descriptors": [ExpectedRun("a budget below the limit\n")],
  "weir_walk": [
    ExpectedRun("tree/a\ntree/sub/b\ntree/sub/script\n", "\"$0\" tree"),
    ExpectedRun("", "\"$0\" none", errors: "walk: none: No such file or directory\n", status: 1),
  ],
  "weir_files": [
    ExpectedRun("123 bytes in 4 files, 0 not read\n", "\"$0\" tree"),
    ExpectedRun("0 bytes in 0 files, 1 not read\n", "\"$0\" none", status: 1),
  ],
  "weir_sources": [
    ExpectedRun("tree/sub/script\n", "printf 'tree/a\\0tree/sub/script' | \"$0\""),
    ExpectedRun(
      "tree/sub/script\n", "printf 'none\\0tree/sub/script\\0' | \"$0\"",
      errors: "sources: none: not read\n", status: 1),
  ],
  "weir_file": [ExpectedRun("100 bytes\n", "\"$0\" tree")],
  "weir_storage": [ExpectedRun("tree: .+, [0-9]+ readers \\(.+\\)\n", "\"$0\" tree")],
  "weir_spawn": [ExpectedRun("sorted\n")],
  "weir_trace": [ExpectedRun("(?s).*\"half way\".*")],
  // The job may print before its thread's creator begins to wait.
  "weir_inspect": [
    ExpectedRun(
      """
      weir: state of process [0-9]+
      gate "downloads": 1 of 1 permits in use
        job 1 of "" took 1, thread [0-9]+(, running for [0-9.]+ s)?
      lanes "": 1 of [0-9]+ jobs running, 0 queued
        job 1 on lane 0, thread [0-9]+(, running for [0-9.]+ s)?
      (  thread [0-9]+ waits for the end, for [0-9.]+ s\n)?
      """)
  ],
  "weir_misuse": [
    ExpectedRun(
      "", "\"$0\"; test $? -gt 128", errors: "(?s)fatal, please report it: .*downloads.*")
  ],
  "weir_base": [ExpectedRun("weir [0-9]+\\.[0-9]+\\.[0-9]+\n")],
  "weir_spi": [ExpectedRun("2 permits\n")],
]
