// Called as b3sum, weir does what b3sum 1.2.0 does, byte for byte: comparisons with the installed
// program.

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: hasB3Sum12), .serialized, .timeLimit(.minutes(5)))
struct DropInB3SumTests {
  @Test("random calls: both outputs, their order, and the exit status")
  func table() async throws {
    let corpus = try await DropInB3SumCorpus()
    var table = try DropInB3SumTable(corpus)
    let count = getenv("WEIR_TEST_CALLS").flatMap { Int(String(cString: $0)) } ?? 200
    try await compareB3Sum(
      table.calls(count).filter { !$0.requestsHelp }, in: corpus.directory, hasSeveralErrors: true)
  }

  @Test("every pair of options, with a value and without")
  func pairs() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "f")
    let options = [
      "-c", "--quiet", "--raw", "--keyed", "--derive-key=x", "-l3", "--no-names", "--no-mmap",
      "--num-threads=2", "-x", "--lenght", "--", "--num-threads", "--derive-key",
    ]
    let pairs = options.flatMap { first in options.map { [first, $0] } }
      .sampled(oneIn: 3, for: "pairs of b3sum")
    let calls = (pairs + options.map { [$0] }).flatMap { words in
      [words, words + ["f"]].map { Invocation("b3sum", $0.map { Array($0.utf8) }) }
    }
    try await compareB3Sum(calls, in: directory, hasSeveralErrors: true)
  }

  @Test("values, conflicts, repeated options, words after -- and abbreviations: the messages too")
  func values() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "f")
    let lines = [
      "-l", "--length", "-l -- 3 f", "-l3 -l4 f", "--length --length 3 f", "-l=3 f", "-l==3 f",
      "-l+3 f", "--length=+3 f", "-l 3 f", "-l -3 f", "--derive-key -x f", "--derive-key=-x f",
      "--derive-key --raw f", "--derive-key - f", "-- -f", "f -- -l 3", "-l 3 -- -- f",
      "-c -x f", "-cx f", "-xc f", "-c=x f", "-c- f", "-c=", "---raw f", "----", "--raw=x f",
      "--check=x f", "--no-name f", "--der x f", "--RAW f", "-C f", "-L3 f", "--num-threads -1 f",
      "--num-threads=18446744073709551616 f",
      "--num-threads= f", "--num-threads=+ f", "--num-threads=x --raw f f",
      "--num-threads=x --keyed f", "--raw f f", "--raw --keyed f f", "--keyed f", "--keyed f -",
      "-l0 f", "-l0 --raw f", "-é f", "--é f", "--keyed", "--keyed --derive-key=x f",
      "-c --keyed f", "-c --derive-key=x f", "-c -l3 f", "--raw -c f", "--no-names -c", "--quiet",
      "--quiet f", "--raw --raw f", "-cc f", "--derive-key x --derive-key y f", "--derive-key",
      "--num-threads --raw f", "-c --num-threads", "-c --derive-key --", "--raw --length -- 3 f",
    ]
    let calls = lines.map { line in
      Invocation("b3sum", line.split(separator: " ").map { Array($0.utf8) })
    }
    try await compareB3Sum(
      calls
        + [
          Invocation("b3sum", [[], Array("f".utf8)]), Invocation("b3sum", [[0x2D, 0xFF], [0x66]]),
        ],
      in: directory)
  }

  @Test("every length of output from 1 to 200, and 10,000")
  func lengths() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "b3sum lengths")
    try directory.write(random.bytes(3000), to: "f".utf8)
    let modes = [[], ["--derive-key", "a context"], ["--keyed"], ["--raw"]]
    let lengths = Array(1...200) + [1023, 1024, 1025, 10_000, 16_384, 16_385]
    let calls = lengths.map { length in
      let mode = modes[length % modes.count]
      var call = Invocation("b3sum", (mode + ["-l", "\(length)", "f"]).map { Array($0.utf8) })
      if mode == ["--keyed"] { call.input = .pipe(random.bytes(32)) }
      return call
    }
    try await compareB3Sum(calls, in: directory)
  }

  @Test("big files, in every mode and by any number of threads", arguments: [8 << 20, 20 << 20])
  func big(size: Int) async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "b3sum big files")
    try directory.write(random.bytes(size + 1), to: "f".utf8)
    try directory.write(random.bytes(1000), to: "g".utf8)
    let modes = [
      [], ["--derive-key", "context"], ["--keyed"], ["-l", "100"], ["-l", "5000", "--keyed"],
      ["--raw"], ["--num-threads", "1"], ["--num-threads", "2", "--keyed"], ["--no-mmap"],
    ]
    let calls = modes.flatMap { mode in
      [["f"], ["g", "f", "missing", "f"]].map { files in
        var call = Invocation("b3sum", (mode + files).map { Array($0.utf8) })
        if mode.contains("--keyed") { call.input = .pipe(random.bytes(32)) }
        return call
      }
    }
    var piped = Invocation("b3sum", "-l", "40", "-")
    piped.input = .file(directory.path("f"))
    try await compareB3Sum(calls + [piped], in: directory)
  }

  @Test("manifests: good, bad, missing, malformed, several, and in a pipe")
  func manifests() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b", "new\nline", "back\\slash", "cr\r"] {
      try directory.write("content of \(name)", to: name)
    }
    let names = words("a", "b", "new\nline", "back\\slash", "cr\r")
    let good = try await other("/usr/bin/b3sum", names, in: directory).run().output
    let line = String(decoding: good.prefix { $0 != 0x0A }, as: UTF8.self)
    let digest = String(line.prefix(64))
    let manifests: [(String, String)] = [
      ("good", String(decoding: good, as: UTF8.self)), ("empty", ""), ("blank", "\n\n"),
      ("short", "abc\n\(digest)  \n\(digest)\n"), ("bad", "\(digest)  b\n\(line)\n"),
      ("gone", "\(digest)  gone\n\(digest)  a/b\n\(digest)  .\n\(line)\n"),
      ("malformed", "\(digest) a\n\(digest) *a\n\(digest.uppercased())  a\né\(line)\n x\(line)\n"),
      ("escapes", "\\\(digest)  a\\\n\\\(digest)  a\\x\n\\\(digest)  \\\\\n\\\(digest)  a\n\\\n"),
      ("characters", "\(digest)  a\0b\n\(digest)  \u{FFFD}\n\\\(digest)  a\\n\0\n"),
      ("returns", "\(line)\r\n\(line) \n"), ("unended", line),
      ("digits", "\(altered(digest, 0))  a\n\(altered(digest, 63))  a\n\(line)\n"),
      ("input", "\(digest)  -\n\(line)\n\(digest)  -\n"),
    ]
    for (name, text) in manifests { try directory.write(text, to: name) }
    var calls = manifests.flatMap { name, _ in
      [["-c", name], ["-c", "--quiet", name], ["-c", "good", name, "bad"]].map {
        Invocation("b3sum", $0.map { Array($0.utf8) })
      }
    }
    calls += [
      Invocation("b3sum", "-c", "good", "nowhere", "bad"), Invocation("b3sum", "-c", "."),
      Invocation("b3sum", "-c", "bad", ".", "good"), Invocation("b3sum", "-c", "good", "-"),
    ]
    calls += manifests.filter { $0.0 != "input" }.map { _, text in
      var call = Invocation("b3sum", "-c")
      call.input = .pipe(Array(text.utf8))
      return call
    }
    var input = Invocation("b3sum", "-c", "input")
    input.input = .pipe(Array("content of a".utf8))
    try await compareB3Sum(calls + [input], in: directory)
  }

  /// Returns a digest with another digit at a place.
  private func altered(_ digest: String, _ place: Int) -> String {
    let isZero = digest.dropFirst(place).first == "0"
    return digest.prefix(place) + (isZero ? "1" : "0") + digest.dropFirst(place + 1)
  }

  @Test("standard descriptors that are closed are empty files")
  func closed() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "f")
    var calls: [Invocation] = []
    for arguments in [["f"], [], ["f", "gone"], ["-"], ["--keyed", "f"], ["-c"], ["-x"]] {
      for closed in 0..<8 {
        var call = Invocation("b3sum", arguments.map { Array($0.utf8) })
        if closed & 1 != 0 { call.input = .closed }
        if closed & 2 != 0 { call.output = .closed }
        if closed & 4 != 0 { call.errors = .closed }
        calls.append(call)
      }
    }
    try await compareB3Sum(calls, in: directory)
  }
}

extension Invocation {
  /// A Boolean value that indicates whether the call requests --help, whose text differs.
  fileprivate var requestsHelp: Bool {
    arguments.prefix { $0 != Array("--".utf8) }.contains(Array("--help".utf8))
  }
}
