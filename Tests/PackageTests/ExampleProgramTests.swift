// The programs in examples/c: built by their Makefile in a copy of the folder, against the
// installed library, and run.

import Foundation
import TestSupport
import Testing

@Suite(
  "The programs in examples/c", .timeLimit(.minutes(5)),
  .enabled(
    if: isInstalled("pkg-config") && isInstalled("make"), "pkg-config or make is not installed"))
struct ExampleProgramTests {
  static let compilers = [
    "CC=gcc CFLAGS='-std=c11 -O2 -Wpedantic -Werror'",
    "CC=g++ CFLAGS='-x c++ -std=c++17 -O2 -Wpedantic -Werror'",
    "CC=clang CFLAGS='-std=c11 -O2 -Wpedantic -Werror'",
    "CC=clang++ CFLAGS='-x c++ -std=c++17 -O2 -Wpedantic -Werror'",
  ]

  @Test("build without a message, and do their work", arguments: compilers)
  func work(variables: String) async throws {
    let compiler = String(variables.dropFirst("CC=".count).prefix { $0 != " " })
    guard isInstalled(compiler) else { return }
    let copy = try await Copy(variables)
    try await copy.expect(
      "count-lines tree sources/none other",
      "       3 tree/a\n       0 tree/sub/b\n       2 other\n       5 total\n",
      errors: "count-lines: sources/none: No such file or directory\n", status: 1)
    try await copy.expect("count-lines tree/a", "       3 tree/a\n")
    try await copy.expect(
      "count-lines fifo", "", errors: "count-lines: fifo: not a regular file\n", status: 1)
    try await copy.expect("test-archives 1.gz 2.gz 3.gz", "1.gz\n2.gz\n3.gz\n")
    try await copy.expect(
      "mandelbrot 0", "", errors: "mandelbrot: SIZE is 1 to 30000 pixels\n", status: 2)
    for program in ["count-lines tree", "test-archives 1.gz", "mandelbrot 9"] {
      let outcome = try await copy.run("\(program) >/dev/full")
      #expect((outcome.status ?? 0) != 0 && !outcome.errors.isEmpty, "\(program)")
    }
  }

  /// Of forty files the second is bad: the run ends with its name, and tests not all the others.
  @Test("the pool ends with the first error")
  func firstError() async throws {
    let copy = try await Copy("CC=clang")
    // `gzip` is a script, with which each good one waits for the bad one, and takes its time.
    let outcome = try await copy.run(
      """
      test-archives 1.gz bad $(for i in $(seq 40); do echo 2.gz; done)
      """,
      before: """
        mkdir bin && cat > bin/gzip <<'END'
        #!/bin/sh
        case $3 in
        bad) touch seen; exit 1 ;;
        *) while ! [ -e seen ]; do sleep 0.01; done; sleep 0.2; echo >> begun ;;
        esac
        END
        chmod +x bin/gzip; PATH=$PWD/bin:$PATH
        """)
    #expect(outcome.status == 1, "\(outcome.errorText)")
    #expect(outcome.errorText == "test-archives: bad: not a good archive\n")
    let begun = try await copy.run("count-lines begun").outputText
    let count = try #require(Int(begun.split(separator: " ").first ?? ""))
    #expect(count < 40, "all archives were tested")
  }

  @Test("the picture is the same on any number of cores")
  func picture() async throws {
    let copy = try await Copy("CC=clang")
    let outcome = try await copy.run("mandelbrot 150")
    let alone = try await copy.run("mandelbrot 150", before: "exec taskset -c 0 sh -ec \"$1\"")
    #expect(outcome.status == 0 && outcome.output == alone.output)
    #expect(outcome.output.starts(with: Array("P5\n150 150\n255\n".utf8)))
    let pixels = outcome.output.dropFirst("P5\n150 150\n255\n".utf8.count)
    #expect(pixels.count == 150 * 150)
    // The middle of the set is black, the corner is not white, and there are many grays.
    #expect(pixels[pixels.startIndex + 75 * 150 + 110] == 0)
    #expect(Set(pixels).count > 20)
  }
}

/// A copy of the folder with built programs, and files for them.
private struct Copy {
  private let directory: TemporaryDirectory

  init(_ variables: String) async throws {
    directory = try TemporaryDirectory()
    let folder = Repository.root.appending(path: "examples/c").path
    let made = try await Installation.get().shell(
      """
      cp '\(folder)'/*.c '\(folder)/Makefile' .
      make -s \(variables)
      mkdir tree tree/.git tree/sub
      printf '1\\n2\\n3\\n' > tree/a
      printf 'no end' > tree/sub/b
      printf '1\\n' > tree/.git/config
      printf '1\\n2\\n' > other
      mkfifo fifo
      for i in 1 2 3; do echo $i | gzip > $i.gz; done
      """, in: directory.url)
    #expect(made.isEmpty)
  }

  /// Runs a command line that begins with one of the programs.
  func run(_ line: String, before: String = ":") async throws -> Outcome {
    try await Command(
      words: ["LC_ALL=C", "sh", "-c", "\(before)\n./\(line)", "sh", "./\(line)"],
      directory: directory.url, timeLimit: 60
    ).run()
  }

  func expect(_ line: String, _ output: String, errors: String = "", status: Int32 = 0)
    async throws
  {
    let outcome = try await run(line)
    #expect(outcome.outputText == output && outcome.errorText == errors, "\(outcome.errorText)")
    #expect(outcome.status == status)
  }
}
