// Usage errors, help and version.

import TestSupport
import Testing
import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct UsageTests {
  /// Arguments, the sentence on them, and the verb of the help.
  private static let mistakes: [(arguments: [String], sentence: String, verb: String)] = [
    (["hash", "--jobs", "0", "a"], "--jobs takes a number from 1 to 200, not 0", "hash "),
    (["hash", "--jobs=-1", "a"], "--jobs takes a number from 1 to 200, not -1", "hash "),
    (["hash", "-j", "x", "a"], "--jobs takes a number from 1 to 200, not x", "hash "),
    (["hash", "--jobs", "", "a"], "--jobs takes a number from 1 to 200, not ''", "hash "),
    (
      ["hash", "--descriptors", "0", "a"],
      "--descriptors takes a number of at least 1, not 0", "hash "
    ),
    (
      ["hash", "--descriptors", "99999999999999999999"],
      "--descriptors takes a number of at most 9223372036854775807, not 99999999999999999999",
      "hash "
    ),
    (["hash", "--folow"], "unknown option --folow (did you mean --follow?)", "hash "),
    (["hash", "-r", "a"], "unknown option -r (directories are walked without it)", "hash "),
    (["run", "-P4"], "unknown option -P (use -j N)", "run "),
    (["hash", "--\u{1B}[31m\n"], "unknown option '--'$'\\033''[31m'$'\\n'", "hash "),
    (["hash", "-Z", "a"], "unknown option -Z", "hash "),
    (["hash", "--summary=yes"], "option --summary takes no value", "hash "),
    (
      ["hash", "--progress", "sometimes"],
      "--progress takes auto, always or never, not sometimes", "hash "
    ),
    (["hash", "--format", "xml"], "--format takes text, json or mtree, not xml", "hash "),
    (
      ["hash", "-a", "sha257", "a"],
      "--algorithm takes md5, sha1, sha224, sha256, sha384, sha512, sha512-256, "
        + "sha3-256, sha3-512, sm3, blake2b, blake3, xxh64, xxh3 or xxh128, "
        + "not sha257 (did you mean sha256?)", "hash "
    ),
    (
      ["hash", "--format", "Json"],
      "--format takes text, json or mtree, not Json (did you mean json?)", "hash "
    ),
    (["HASH"], "unknown command HASH (did you mean hash?)", ""),
    (["dupes"], "unknown command dupes (use weir duplicates)", ""),
    (["hash", "--bogus", "--help"], "unknown option --bogus", "hash "),
    (["help", "hash", "extra"], "unexpected operand extra", ""),
    (
      ["--generate-completion-script", "tcsh"],
      "--generate-completion-script takes bash, fish or zsh, not tcsh", ""
    ),
    (
      ["--generate-completion-script=bsh"],
      "--generate-completion-script takes bash, fish or zsh, not bsh (did you mean bash?)", ""
    ),
    (["--generate-completion-script=bash", "x"], "unexpected operand x", ""),
    (
      ["run", "--joblog", "-", "a", "--", "echo"],
      "--joblog takes the name of a file; use /dev/stdout for standard output", "run "
    ),
    (
      ["hash", "--trace=-", "a"],
      "--trace takes the name of a file; use /dev/stdout for standard output", "hash "
    ),
    (["--versio"], "unknown option --versio (did you mean --version?)", ""),
    (
      ["-C", "/", "hash"],
      "unknown option -C (it follows a verb that reads the data, as in weir hash -C DIR)", ""
    ),
    (["help", "hsah"], "no help on hsah (did you mean hash?)", ""),
  ]

  @Test("a usage error ends with 2 and names the mistake", arguments: mistakes)
  func errors(arguments: [String], sentence: String, verb: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    let result = try await weir(arguments.map { Array($0.utf8) }, in: directory).run()
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errorText == "weir: \(sentence); see weir \(verb)--help\n")
  }

  private static let version = "weir \(WeirVersion.description)\n"

  @Test(
    "help and version go to standard output",
    arguments: [
      ([], "usage: weir COMMAND"), (["--help"], "usage: weir COMMAND"),
      (["-h"], "usage: weir COMMAND"), (["help"], "usage: weir COMMAND"),
      (["help", "help"], "usage: weir COMMAND"), (["--help", "help"], "usage: weir COMMAND"),
      (["-h", "hash"], "usage: weir hash"),
      (["hash", "--help"], "usage: weir hash"), (["hash", "a", "-h"], "usage: weir hash"),
      (["help", "hash"], "usage: weir hash"), (["--version"], version),
      (["hash", "--version"], version),
      (["--version", "x"], version), (["--version", "--bogus"], version),
      (["--help", "bogus"], "usage: weir COMMAND"), (["-h", "--bogus"], "usage: weir COMMAND"),
      (["--help", "hash", "extra"], "usage: weir hash"),
      (["hash", "--help", "--bogus"], "usage: weir hash"),
      (["hash", "-zhQ", "--jobs"], "usage: weir hash"),
      (["limits", "--help", "extra"], "usage: weir limits"),
      (["hash", "--version", "--help", "-Q"], version),
    ])
  func help(arguments: [String], text: String) async throws {
    let directory = try TemporaryDirectory()
    let result = try await weir(arguments.map { Array($0.utf8) }, in: directory).run()
    result.expectSilence()
    #expect(result.outputText.contains(text))
  }

  @Test("after -- every word is a name")
  func terminator() async throws {
    let directory = try TemporaryDirectory()
    let names = ["--help", "--version", "-j", "--", "-a", "help", "--jobs=0"]
    for name in names { try directory.write(name, to: name) }
    let result = try await weir(words("hash", "--") + names.map { Array($0.utf8) }, in: directory)
      .run()
    result.expectSilence()
    #expect(result.lines.map { String(decoding: $0.dropFirst(66), as: UTF8.self) } == names)
  }
}
