// Called as sha256sum or another checksum tool, weir matches that tool of GNU coreutils 9.1
// byte for byte: comparisons with the installed tools.

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: hasGNU91), .serialized, .timeLimit(.minutes(10)))
struct DropInTests {
  @Test("random calls: both outputs, their order, and the exit status")
  func table() async throws {
    let corpus = try await DropInCorpus()
    var table = try DropInTable(corpus)
    let count = getenv("WEIR_TEST_CALLS").flatMap { Int(String(cString: $0)) } ?? 400
    try await compare(table.calls(count).filter { !$0.requestsHelp }, in: corpus.directory)
  }

  @Test("every pair of options, with --check and without")
  func pairs() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "f")
    let digest = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
    try directory.write("\(digest)  f\nno line\n\(digest)  gone\n", to: "m")
    let options = [
      "-b", "-t", "--tag", "-z", "-w", "--quiet", "--status", "--strict", "--ignore-missing", "-x",
    ]
    var calls: [Invocation] = []
    for first in options {
      for second in options {
        calls.append(Invocation("sha256sum", first, second, "f"))
        calls.append(Invocation("sha256sum", first, "-c", second, "m"))
      }
    }
    try await compare(calls, in: directory)
  }

  @Test("abbreviations, and a standard output that cannot be written")
  func abbreviations() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "f")
    let names = [
      "check", "ignore-missing", "quiet", "status", "warn", "strict", "tag", "zero", "binary",
      "text", "helpless", "versions",
    ]
    var calls = names.flatMap { name in
      (1...name.utf8.count).map { Invocation("md5sum", "--\(name.prefix($0))", "f") }
    }
    let lists = [["f"], ["-z", "f"], ["f", "gone"], ["-z", "gone", "f"], ["gone"], ["--help"]]
    for list in lists {
      for sink in [Sink.full, .closed, .noReader] {
        var call = Invocation("sha256sum", list.map { Array($0.utf8) })
        call.output = sink
        calls.append(call)
      }
    }
    try await compare(calls.filter { !$0.requestsHelp || $0.output != .collected }, in: directory)
  }
}
