// Called as b3sum, weir also does what b3sum 1.8 does and 1.2.0 refuses, and keeps the bytes of
// names.

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: isInstalled("b3sum")), .serialized, .timeLimit(.minutes(5)))
struct DropInB3SumExtensionTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.link("tool", to: String(decoding: weirPath, as: UTF8.self))
    try directory.makeDirectory("bin")
    try directory.link("bin/b3sum", to: String(decoding: weirPath, as: UTF8.self))
  }

  /// Runs weir as b3sum.
  private func b3sum(_ arguments: [[UInt8]], input: [UInt8] = []) async throws -> Outcome {
    var command = other(directory.text + "/bin/b3sum", arguments, in: directory)
    command.input = .bytes(input)
    return try await command.run()
  }

  private func b3sum(_ arguments: String..., input: [UInt8] = []) async throws -> Outcome {
    try await b3sum(arguments.map { Array($0.utf8) }, input: input)
  }

  /// Runs the installed b3sum, and returns its output.
  private func installed(_ arguments: String..., input: [UInt8] = []) async throws -> [UInt8] {
    var command = other("/usr/bin/b3sum", arguments.map { Array($0.utf8) }, in: directory)
    command.input = .bytes(input)
    return try await command.run().output
  }

  // MARK: --seek

  @Test("--seek skips the beginning of the output of --length, in every mode")
  func seek() async throws {
    var random = SeededGenerator(for: "b3sum seek")
    let total = 70_000
    for (index, mode) in [[], ["--derive-key", "context"], ["--keyed"]].enumerated() {
      try directory.write(random.bytes([100, 5000, 9 << 20][index]), to: "f".utf8)
      let key = mode == ["--keyed"] ? random.bytes(32) : []
      var command = other(
        "/usr/bin/b3sum", (mode + ["--raw", "-l", "\(total)", "f"]).map { Array($0.utf8) },
        in: directory)
      command.input = .bytes(key)
      let whole = try await command.run().output
      try #require(whole.count == total)
      let ranges =
        [0..<32, 1..<33, 63..<65, 64..<64, 65..<1089, 65..<1090, 1000..<total, 0..<total]
        + (0..<12).map { _ in
          let begin = Int.random(in: 0..<total, using: &random)
          return begin..<Int.random(in: begin...min(total, begin + 3000), using: &random)
        }
      for range in ranges {
        let options = mode + ["--seek=\(range.lowerBound)", "-l", "\(range.count)"]
        let raw = try await b3sum((options + ["--raw", "f"]).map { Array($0.utf8) }, input: key)
        #expect(raw.output == Array(whole[range]) && raw.status == 0, "\(mode) \(range)")
        let line = try await b3sum((options + ["f"]).map { Array($0.utf8) }, input: key)
        #expect(line.outputText == hexadecimal(whole[range]) + "  f\n", "\(mode) \(range)")
      }
    }
  }

  private func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test("the output ends before 2^64 bytes")
  func lastByte() async throws {
    try directory.write("x", to: "f")
    let last = try await b3sum("--seek", "18446744073709551583", "f")
    #expect(last.status == 0 && last.output.count == 64 + 4)
    // The beginning of that output, from an offset before it.
    let before = try await b3sum("--seek", "18446744073709551500", "-l", "115", "f")
    #expect(before.outputText.dropLast(4).suffix(64) == last.outputText.prefix(64))
    for offset in ["18446744073709551584", "18446744073709551616", "-1", "x", ""] {
      let outcome = try await b3sum("--seek=\(offset)", "f")
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(outcome.errorText.hasPrefix("Error: "), "\(outcome)")
    }
  }

  @Test("--check compares the output from --seek on")
  func checkFromOffset() async throws {
    try directory.write("x", to: "f")
    let manifest = try await b3sum("--seek", "77", "f").output
    #expect(try await b3sum("-c", "--seek", "77", input: manifest).outputText == "f: OK\n")
    #expect(try await b3sum("-c", input: manifest).outputText == "f: FAILED\n")
  }

  // MARK: --tag

  @Test("lines of BSD's format have the digests of plain lines, and are verified")
  func tag() async throws {
    let names = ["a", "a b", "x) = y", "BLAKE3 (a) = b", "two  spaces", "é"]
    for name in names { try directory.write("content of \(name)", to: name) }
    for name in names {
      let plain = try await b3sum(name)
      let tagged = try await b3sum("--tag", name)
      #expect(tagged.outputText == "BLAKE3 (\(name)) = \(plain.outputText.prefix(64))\n")
      let long = try await b3sum("--tag", "-l", "2000", name).outputText
      let output = try await installed("-l", "2000", "--no-names", name)
      #expect(long == "BLAKE3 (\(name)) = \(String(decoding: output, as: UTF8.self))")
      #expect(try await b3sum("--tag", "--no-names", name).output == plain.output.prefix(64) + [10])
      #expect(try await b3sum("-c", input: tagged.output).outputText == "\(name): OK\n")
      #expect(try await weir("check", in: directory).reading(tagged.output).status == 0)
    }
  }

  @Test("tagged lines that are not valid, and carriage returns at their end")
  func taggedLines() async throws {
    try directory.write("x", to: "f")
    let digest = String(decoding: try await installed("f").prefix(64), as: UTF8.self)
    let cases = [
      ("BLAKE3 (f) = \(digest)\r\n", "f: OK\n", ""),
      ("BLAKE3 (f) = \(digest)\r\r\n", "f: OK\n", ""),
      ("BLAKE3 (f) = \(digest)0", "", "Invalid hash length"),
      ("BLAKE3 (f) = \(digest.dropLast())", "", "Invalid hash length"),
      ("BLAKE3 (f) = \(digest.dropLast())g", "", "Invalid hex"),
      ("BLAKE3 (f) = \(digest.uppercased())", "", "Invalid hex"),
      ("BLAKE3 () = \(digest)", "", "empty file path"),
      ("\\BLAKE3 (f\\) = \(digest)", "", "Invalid backslash escape"),
      ("\\BLAKE3 (\\f) = \(digest)", "", "Invalid backslash escape"),
      ("BLAKE3 (f\0) = \(digest)", "", "Null character in path"),
      ("BLAKE3 (\u{FFFD}) = \(digest)", "", "Unicode replacement character in path"),
      ("BLAKE3(f) = \(digest)", "", "Invalid space"),
      ("blake3 (f) = \(digest)", "", "Invalid space"),
      ("BLAKE3 (f)", "", "Short line"), ("BLAKE3 (f) = ", "", "Invalid hash length"),
      ("BLAKE3 (f) =\(digest)", "", "Invalid space"), ("BLAKE3 (", "", "Short line"),
      ("BLAKE3 () = ", "", "Invalid hash length"),
    ]
    for (line, output, error) in cases {
      let outcome = try await b3sum("-c", input: Array(line.utf8))
      let errors = error.isEmpty ? "" : "b3sum: \(error)\n"
      #expect(outcome.outputText == output && outcome.errorText == errors, "\(line)")
      #expect(outcome.status == (error.isEmpty ? 0 : 1), "\(line)")
    }
  }

  @Test("--tag conflicts with --check")
  func conflict() async throws {
    let outcome = try await b3sum("--tag", "-c")
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(
      outcome.errorText
        == "error: The argument '--tag' cannot be used with '--check'\n\n"
        + "For more information try --help\n")
  }

  // MARK: Names

  @Test("names keep their bytes, and each line is read back", arguments: [[], ["--tag"]])
  func names(options: [String]) async throws {
    var random = SeededGenerator(for: "b3sum names")
    try directory.makeDirectory("t")
    let names = (random.names(150) + [[0xFF], [0xC3, 0x28], [0x61, 0x80, 0x0A, 0x5C], [0x0D]])
      .map { Array("t/".utf8) + $0 }
    for name in names { try directory.write(random.bytes(9), to: name) }
    let manifest = try await b3sum(options.map { Array($0.utf8) } + names)
    manifest.expectSilence()
    for (name, line) in zip(names, manifest.lines) {
      #expect(line == self.line(name, line, isTagged: !options.isEmpty)[...], "\(shown(name))")
    }
    #expect(manifest.lines.count == names.count)
    let check = try await b3sum("-c", input: manifest.output)
    let isOK = check.lines.allSatisfy { $0.ends(with: ": OK") }
    #expect(check.status == 0 && isOK && check.lines.count == names.count, "\(check.errorText)")
    // weir check takes a carriage return at the end of a plain line for the end of the line.
    if !options.isEmpty {
      #expect(try await weir("check", in: directory).reading(manifest.output).status == 0)
    }
  }

  /// Returns the line of a name: the digest is that of `line`.
  private func line(_ name: [UInt8], _ line: ArraySlice<UInt8>, isTagged: Bool) -> [UInt8] {
    let escapes: [UInt8: String] =
      isTagged ? [0x0A: "\\n", 0x0D: "\\r", 0x5C: "\\\\"] : [0x0A: "\\n", 0x5C: "\\\\"]
    let isEscaped = name.contains { escapes[$0] != nil }
    let text = name.flatMap { byte in escapes[byte].map { Array($0.utf8) } ?? [byte] }
    let start: [UInt8] = isEscaped ? [0x5C] : []
    let digest = isTagged ? line.suffix(64) : line.dropFirst(start.count).prefix(64)
    return isTagged
      ? start + Array("BLAKE3 (".utf8) + text + Array(") = ".utf8) + digest
      : start + digest + Array("  ".utf8) + text
  }

  @Test("the escape of a carriage return in a manifest, as b3sum 1.8 writes it")
  func carriageReturn() async throws {
    try directory.write("x", to: "f\rg")
    let digest = String(decoding: try await installed("f\rg").prefix(64), as: UTF8.self)
    let outcome = try await b3sum("-c", input: Array("\\\(digest)  f\\rg\n".utf8))
    #expect(outcome.outputText == "\\f\\rg: OK\n" && outcome.status == 0)
    let bad = try await b3sum("-c", input: Array("\\\(digest)  f\\rh\n".utf8))
    #expect(
      bad.outputText == "\\f\\rh: FAILED (No such file or directory (os error 2))\n"
        && bad.status == 1)
  }

  // MARK: Limits

  @Test("an output that cannot be written is an error, also a long one")
  func lostOutput() async throws {
    try directory.write("x", to: "f")
    let side = Sides(in: directory).ours
    for words in [["f"], ["-l", "100000", "f"], ["-l", "1000000000000", "--raw", "f"]] {
      var call = Invocation("b3sum", words.map { Array($0.utf8) })
      call.output = .full
      let result = try await onThread { [call] in try side.run(call) }
      #expect(result.status >> 8 == 1, "\(result)")
      #expect(result.errors.starts(with: Array("b3sum: write error".utf8)), "\(result)")
      call.output = .noReader
      let broken = try await onThread { [call] in try side.run(call) }
      #expect(broken.status & 0x7F == SIGPIPE, "\(broken)")
    }
  }

  @Test("an output of 100 MB is written with less memory")
  func longOutput() async throws {
    try directory.write("x", to: "f")
    let script = """
      (ulimit -v 80000; "$1" -l 50000000 f) | b2sum
      /usr/bin/b3sum -l 50000000 f | b2sum
      """
    let outcome = try await shell(script, directory.text + "/bin/b3sum", in: directory).run()
    let sums = outcome.lines
    #expect(sums.count == 2 && sums.first == sums.last && outcome.errors.isEmpty, "\(outcome)")
  }

  @Test("a context that is not UTF-8 is an error")
  func badContext() async throws {
    try directory.write("x", to: "f")
    let outcome = try await b3sum([Array("--derive-key".utf8), [0xFF], Array("f".utf8)])
    #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.errorText.hasPrefix("error: "))
  }

  @Test("--help and --version")
  func help() async throws {
    for words in [["--help"], ["-h"], ["--bad", "-h"], ["f", "-ch"]] {
      let outcome = try await b3sum(words.map { Array($0.utf8) })
      #expect(outcome.outputText.contains("Weir as b3sum") == (words != ["--bad", "-h"]))
      #expect(outcome.status == (words == ["--bad", "-h"] ? 1 : 0))
    }
    for word in ["--version", "-V", "-cV"] {
      let outcome = try await b3sum(word)
      #expect(outcome.outputText.hasPrefix("b3sum (Weir) ") && outcome.status == 0)
    }
  }
}

extension Command {
  /// Runs the command with bytes as its standard input.
  fileprivate func reading(_ input: [UInt8]) async throws -> Outcome {
    var command = self
    command.input = .bytes(input)
    return try await command.run()
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
