// weir hash --resume, after any interruption and any changes.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct ResumeTests {
  /// Returns the content of `M.partial` in a run over these files.
  private func partial(of arguments: [[UInt8]], in directory: TemporaryDirectory) async throws
    -> [UInt8]
  {
    directory.removeOutput()
    let result = try await weir(words("hash", "-o", "M") + arguments, in: directory).run()
    #expect(result.status == 0)
    let bytes = try #require(directory.content("M.mtree"))
    directory.removeOutput()
    return bytes
  }

  @Test("other arguments are an error that names the difference and loses nothing")
  func otherArguments() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    for name in ["a", "b", "d/a"] { try directory.write(name, to: name) }
    let whole = try await partial(of: words("a", "b"), in: directory)
    try directory.write(whole, to: "M.partial".utf8)
    let begin = "weir: M.partial: was started with other arguments and cannot be continued: other "
    for (arguments, message) in [
      (["-amd5", "a", "b"], "--algorithm"),
      (["a"], "PATH"), (["b", "a"], "PATH"),
      (["a", "b", "--exclude", "*.o"], "--exclude"),
      (["--tag", "a", "b"], "--tag"),
      (["--follow", "--max-depth=3", "a", "b"], "--follow, --max-depth"),
      (["--format=mtree", "a", "b"], "--format"),
      (["--update", "a", "b"], "--update"),
    ] {
      let words = ["hash", "-o", "M", "--resume"] + arguments
      let result = try await weir(words.map { Array($0.utf8) }, in: directory).run()
      #expect(result.status == 2 && result.errorText == "\(begin)\(message)\n")
    }
    let elsewhere = try await weir(
      words("hash", "-o", "M", "--resume", "-C", "d", "a", "b"), in: directory
    ).run()
    #expect(elsewhere.status == 2 && elsewhere.errorText.contains("working directory"))
    #expect(directory.content("M.partial") == whole)
    // A run without --resume does not overwrite it either.
    let plain = try await weir("hash", "-o", "M", "a", "b", in: directory).run()
    #expect(plain.status == 2)
    #expect(
      plain.errorText
        == "weir: M.partial: an earlier run was interrupted; continue it with --resume, or remove the file\n"
    )
    // The number of lanes does not matter.
    let result = try await weir("hash", "-o", "M", "--resume", "-j3", "a", "b", in: directory).run()
    result.expectSilence()
  }

  @Test("without records a new run starts; a foreign file stays")
  func anew() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    let whole = try await partial(of: words("a"), in: directory)
    let line = whole.firstIndex(of: 0x0A) ?? 0
    for content in [nil, [], Array(whole.prefix(line / 2)), Array(whole.prefix(5)), [0, 0, 0]] {
      directory.removeOutput()
      if let content { try directory.write(content, to: "M.partial".utf8) }
      let result = try await weir("hash", "-o", "M", "--resume", "a", in: directory).run()
      result.expectSilence()
      #expect(directory.names(beginningWith: "M") == ["M", "M.mtree"])
    }
    for content in ["my notes", "my notes\n", "#mtree\n./a type=file\n"] {
      directory.removeOutput()
      try directory.write(content, to: "M.partial")
      let result = try await weir("hash", "-o", "M", "--resume", "a", in: directory).run()
      #expect(result.status == 2 && result.errorText.contains("was not written by weir"))
      #expect(directory.content("M.partial") == Array(content.utf8))
    }
  }

  /// Until 0.16 a run that continued another one wrote its records to M.partial.next.
  @Test("the unfinished records of 0.16 are continued", arguments: ["0.11.0", "0.16.1"])
  func formerVersion(version: String) async throws {
    let outcome = try await scripted(
      """
      mkdir t; for i in 1 2 3 4; do echo $i >t/$i; done; $0 hash -o M t; mv M old
      sed '1s/weir [^ ]*/weir \(version)/' M.mtree >r; rm M.mtree
      sed '/3 type/,$d' r >M.partial; printf '#weir rot\n./t/4 type=fi' >>M.partial
      sed '1p;/3 type/p;d' r >M.partial.next; $0 hash -o M --resume --summary t; cmp M old; ls
      """)
    #expect(outcome.outputText == "M\nM.mtree\nold\nr\nt\n")
    #expect(outcome.errorText.hasPrefix("weir: 1 file read, 3 known without reading"))
  }
}
