// Called as xxhsum, weir writes and verifies the lines of xxhsum 0.8.1: comparisons with the
// installed tool.

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: hasXXHSum081), .serialized, .timeLimit(.minutes(5)))
struct DropInXXHSumTests {
  private let directory: TemporaryDirectory
  private let sides: Sides
  private var random = SeededGenerator(for: "xxhsum")
  /// The names of readable files.
  private var names: [[UInt8]] = []

  init() throws {
    directory = try TemporaryDirectory()
    sides = Sides(in: directory)
    names =
      [
        "f", "a b", "back\\slash", "new\nline", "ö", "(p) = q", "*star", " lead", "x ", "\\",
        "cr\r",
      ].map { Array($0.utf8) } + [[0xFF], [0xC3, 0x28]]
    for (index, name) in names.enumerated() {
      try directory.write(random.bytes(index * 97), to: name)
    }
    for size in [0, 1, 15, 16, 17, 240, 241, 1 << 20, (1 << 20) + 3] {
      names.append(Array("s\(size)".utf8))
      try directory.write(random.bytes(size), to: names[names.count - 1])
    }
    try directory.makeDirectory("d")
  }

  /// Expects the same exit status, standard output and messages from both sides, without
  /// xxhsum's notes about the file in progress, which are between two carriage returns.
  private func compare(_ calls: [Invocation]) async throws {
    var different = 0
    for call in calls {
      let sides = sides
      let (actual, found) = try await onThread {
        (try sides.ours.run(call), try sides.theirs.run(call))
      }
      var expected = found
      expected.errors = withoutProgress(found.errors)
      if actual == expected { continue }
      different += 1
      if different <= 5 {
        Issue.record("WEIR_TEST_SEED=\(testSeed): \(call)\n OURS \(actual)\n XXHSUM \(expected)")
      }
    }
    #expect(different == 0, "\(different) of \(calls.count) calls differ")
  }

  private func withoutProgress(_ bytes: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    for (index, part) in bytes.split(separator: 0x0D, omittingEmptySubsequences: false).enumerated()
    where index % 2 == 0 {
      kept += part
    }
    return kept
  }

  private func words(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }

  /// A random third of the calls; WEIR_TEST_CALLS (`make test-calls`) for all of them.
  @Test("every algorithm and form: files, missing ones, a directory, standard input")
  mutating func hash() async throws {
    var calls: [Invocation] = []
    let forms = [[], ["--tag"], ["--little-endian"], ["--tag", "--little-endian"], ["-q"]]
    for algorithm in ["", "-H", "-H0", "-H1", "-H2", "-H3", "-H32", "-H64", "-H128", "-qH2"] {
      for form in forms {
        let options = words((algorithm.isEmpty ? [] : [algorithm]) + form)
        let given = names.filter { !$0.contains(0x0D) }
        calls.append(Invocation("xxhsum", options + given))
        calls.append(
          Invocation("xxhsum", options + words(["f", "gone", "d", "", "-", "-H0", "f"])))
        for input in [Input.nothing, .pipe(random.bytes(50_000)), .file(directory.path("s17"))] {
          for rest in [[], ["-"], ["--"], ["f", "-"]] {
            var call = Invocation("xxhsum", options + words(rest))
            call.input = input
            calls.append(call)
          }
        }
      }
    }
    calls += [
      ["--", "f", "--tag"], ["--", "-H0"], ["f", "--", "f"], ["-H0H3", "f"], ["-H0", "-H", "f"],
    ]
    .map { Invocation("xxhsum", words($0)) }
    if getenv("WEIR_TEST_CALLS") == nil {
      calls = Array(calls.shuffled(using: &random).prefix(calls.count / 3))
    }
    try await compare(calls)
  }

  /// Returns the lines of xxhsum for some files.
  private mutating func lines(_ options: [String]) async throws -> [[UInt8]] {
    let chosen = names.filter { !$0.contains(0x0A) && !$0.contains(0x0D) }
      .shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random))
    if chosen.isEmpty { return [] }
    return try await other("/usr/bin/xxhsum", words(options) + chosen, in: directory).run().output
      .split(separator: 0x0A).map { Array($0) }
  }

  @Test("manifests with lines of all forms, valid and damaged")
  mutating func check() async throws {
    let forms = [
      ["-H0"], ["-H1"], ["-H2"], ["-H3"], ["-H0", "--tag"], ["--tag"], ["-H2", "--tag"],
      ["-H0", "--tag", "--little-endian"], ["-H1", "--tag", "--little-endian"],
      ["-H2", "--tag", "--little-endian"], ["-H3", "--little-endian"], ["--little-endian"],
    ]
    let options = [
      [], ["-q"], ["--quiet"], ["--status"], ["--strict"], ["-w"], ["--warn", "--strict"],
      ["--little-endian"], ["-H0"], ["--tag"], ["-w", "--status"],
    ]
    let odd = [
      "junk", "#", "", "0000000000000000  gone", "00000000  f", "0000000000000000  d/f",
      "00000000000000000  f", "0000000000000000\tf", "XXH64 (f) = 00",
      "XXH64(f) = 0000000000000000",
      "XXH64 (gone) = 0000000000000000", "XXH3_LE (f) = 0000000000000000", "MD5 (f) = 00",
      "XXH32 () = 00000000", "0000000000000000 f", "0000000000000000 *f", "0000000000000000  ",
      "0000000000000000 ", "0000000000000000", "0000000000000000 (f",
    ].map { Array($0.utf8) }
    var calls: [Invocation] = []
    for number in 0..<32 {
      var all: [[UInt8]] = []
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        all += try await lines(forms.randomElement(using: &random)!)
      }
      if number % 3 != 0 {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          all.insert(
            odd.randomElement(using: &random)!, at: Int.random(in: 0...all.count, using: &random))
        }
      }
      let end: [UInt8] = number % 10 == 9 ? [0x0D, 0x0A] : [0x0A]
      let isCut = number % 7 == 6
      let manifest = Array(all.joined(separator: end)) + (isCut || all.isEmpty ? [] : end)
      try directory.write(manifest, to: "m\(number)".utf8)
      let check = ["-c", "--check", "-c", "-cw"][number % 4]
      for _ in 0..<3 {
        let chosen = options.randomElement(using: &random)! + [check, "m\(number)"]
        calls.append(Invocation("xxhsum", words(chosen)))
      }
      calls.append(
        Invocation("xxhsum", words(["-c", "m\(number)", "gone", "m\(number / 2)", "-"])))
      var call = Invocation("xxhsum", words(["-wc"] + (number % 2 == 0 ? [] : ["-"])))
      call.input = .file(directory.path("m\(number)"))
      calls.append(call)
    }
    try await compare(calls)
  }

  @Test(
    "what xxhsum has and Weir has not, or what neither has, is refused",
    arguments: [
      ("-b", "no benchmark"), ("-b1", "no benchmark"), ("-i3", "no benchmark"),
      ("-B10", "no benchmark"), ("--bench-all", "no benchmark"), ("-x", "invalid option"),
      ("--x", "invalid option"), ("--chec", "invalid option"), ("-H4", "invalid option"),
      ("-H99999999999999999999", "invalid option"), ("-qx", "invalid option"),
    ])
  func refused(option: String, message: String) throws {
    let result = try sides.ours.run(Invocation("xxhsum", option, "f"))
    #expect(result.status >> 8 == 1 && result.output.isEmpty)
    let text = String(decoding: result.errors, as: UTF8.self)
    #expect(
      text.hasPrefix("xxhsum: ") && text.contains(message) && text.contains(option), "\(text)")
  }

  @Test("a file that cannot be read does not end the run, unlike that of xxhsum")
  func readError() throws {
    let lines = "0000000000000000  d\nef46db3751d8e999  s0\n"
    try directory.write(lines, to: "m")
    let result = try sides.ours.run(Invocation("xxhsum", "-c", "m"))
    #expect(result.status >> 8 == 1 && result.errors.isEmpty)
    let expected = """
      m:1: Could not open or read 'd': Is a directory.
      s0: OK
      1 listed file could not be read

      """
    #expect(String(decoding: result.output, as: UTF8.self) == expected)
  }
}

/// A Boolean value that indicates whether the installed xxhsum is of version 0.8.1.
private let hasXXHSum081: Bool = {
  let command = Command(Array("/usr/bin/xxhsum".utf8), [Array("--version".utf8)])
  let outcome = try? command.runBlocking()
  let is081 = outcome.map { $0.errorText + $0.outputText }?.contains("xxhsum 0.8.1 ") ?? false
  if !is081 { print("skipped: the xxhsum in /usr/bin is not that of version 0.8.1") }
  return is081
}()
