// Usage: errors end with 2 and name the thing; help and version go to standard
// output.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct UsageTests {
  @Test(
    "a usage error ends with 2 and says what is wrong",
    arguments: [
      (["hash", "--jobs", "0", "a"], "weir: --jobs takes a number from 1 to 200, not 0."),
      (["hash", "--jobs", "201", "a"], "weir: --jobs takes a number from 1 to 200, not 201."),
      (["hash", "--jobs=-1", "a"], "weir: --jobs takes a number from 1 to 200, not -1."),
      (["hash", "-j", "x", "a"], "'x' is invalid for '-j <n>'"),
      (["hash", "--jobs", "x", "a"], "'x' is invalid for '--jobs <n>'"),
      (["hash", "--jobs", "99999999999999999999", "a"], "'99999999999999999999' is invalid"),
      (["hash", "a", "--jobs"], "--jobs"),
      (["hash", "--descriptors", "0", "a"], "--descriptors takes a number from 1 on, not 0."),
      (["hash", "--nonsense", "a"], "'--nonsense'"),
      (["hash", "-Z", "a"], "'-Z'"),
      (["hash", "-a", "sha257", "a"], "'sha257' is invalid"),
      (["hash", "--progress", "sometimes", "a"], "'sometimes' is invalid"),
      (["nonsense"], "'nonsense'"),
      (["limits", "--nonsense"], "'--nonsense'"),
    ])
  func errors(arguments: [String], sentence: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    let result = try await weir(arguments.map { Array($0.utf8) }, in: directory).run()
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errorText.hasPrefix("weir: "))
    #expect(result.errorLines.first?.contains(sentence) == true, "it said: \(result.errorText)")
  }

  @Test(
    "help and version are on standard output",
    arguments: [
      (["--help"], "USAGE: weir"), (["-h"], "USAGE: weir"), (["help"], "USAGE: weir"),
      (["hash", "--help"], "USAGE: weir hash"), (["help", "hash"], "USAGE: weir hash"),
      (["--version"], "weir 0.3.0\n"),
    ])
  func help(arguments: [String], text: String) async throws {
    let directory = try TemporaryDirectory()
    let result = try await weir(arguments.map { Array($0.utf8) }, in: directory).run()
    result.expectSilence()
    #expect(result.outputText.contains(text))
  }

  @Test(
    "an option's value may stand behind it, with it or joined to it, anywhere",
    arguments: [
      ["-j2", "-amd5", "a"], ["-j", "2", "-a", "md5", "a"], ["a", "-j", "2", "--algorithm=md5"],
      ["--jobs=2", "a", "--algorithm", "md5"], ["--descriptors", "3", "-amd5", "--", "a"],
      ["--progress", "never", "a", "-a", "md5"],
    ])
  func values(arguments: [String]) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    let result = try await weir(words("hash") + arguments.map { Array($0.utf8) }, in: directory)
      .run()
    result.expectSilence()
    #expect(result.outputText == "9dd4e461268c8034f5c8564e155c67a6  a\n")
  }

  @Test("behind -- everything is a name")
  func terminator() async throws {
    let directory = try TemporaryDirectory()
    let names = ["--help", "--version", "-j", "--", "-a", "help", "--jobs=0"]
    for name in names { try directory.write(name, to: name) }
    let result = try await weir(words("hash", "--") + names.map { Array($0.utf8) }, in: directory)
      .run()
    result.expectSilence()
    #expect(result.lines.map { String(decoding: $0.dropFirst(66), as: UTF8.self) } == names)
  }

  @Test("limits says what there is")
  func limits() async throws {
    let directory = try TemporaryDirectory()
    let result = try await shell("ulimit -n 100; exec \"$0\" limits", in: directory).run()
    result.expectSilence()
    #expect(result.outputText.contains("descriptors allowed   100  (getdtablesize"))
    #expect(result.lines.count == 5)
  }
}
