// The common options -C and --trace.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CommonOptionTests {
  @Test("the last -C counts, joined or not, and standard output stays where the shell opened it")
  func directory() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.makeDirectory("t/u")
    for name in ["a", "t/a", "t/u/a"] { try directory.write(name, to: name) }
    for (arguments, sha) in [
      (["-C", "t", "a"], "t/a"), (["a", "-Ct/u"], "t/u/a"), (["--directory=t/u", "a"], "t/u/a"),
      (["-C", "t", "-C", "t/u", "a"], "t/u/a"),
    ] {
      let result = try await weir(words("hash") + arguments.map { Array($0.utf8) }, in: directory)
        .run()
      result.expectSilence()
      let expected = try await other("sha256sum", words(sha), in: directory).run()
      #expect(result.output.prefix(64) == expected.output.prefix(64))
      #expect(result.outputText.hasSuffix("  a\n"))
    }
    let redirected = try await shell("\"$0\" hash -C t a > m; cat m", in: directory).run()
    #expect(redirected.outputText.hasSuffix("  a\n"))
  }

  /// Commands in a directory with files `a`, `d/a` and `b/a`, which have other contents below `t`. The
  /// manifest M has the digest of `t/a`. The outputs are those with `-C t` and without it.
  private static let commands = [
    ("w hash a", "THERE  a", "HERE  a"),
    ("w hash --files-from L", "THERE  a", "HERE  a"),
    ("w hash --files0-from L0", "THERE  a", "HERE  a"),
    ("w hash -o N a; cat N; w check --quiet N", "THERE  a", "HERE  a"),
    (
      "w hash -o N a; w hash -o N --update -a md5 a; ls N.old", "0 files not read* N.old",
      "0 files not read* N.old"
    ),
    ("w check M", "a: OK", "a: FAILED"), ("w check - <M", "a: OK", "a: FAILED"),
    ("w check M --state S; grep -c = S", "a: OK 1", "a: FAILED 1"),
    ("w check --audit d M", "a: OK d/a: new", "a: FAILED"),
    ("w check --report R --metrics P --trace T M; ls P R T", "a: OK P R T", "a: FAILED P R T"),
    ("w check --format json M | grep -o '\"manifest\":{\"text\":\"M\"}' | wc -l", "1", "1"),
    ("w compare --read M d", "", "a: differs*"), ("w compare --read d M", "", "a: differs*"),
    ("w duplicates --known M d", "# in M d/a = a", ""),
    ("w count -c --files-from L", "6 a", "5 a"),
    ("w run --joblog J a -- cat; wc -l <J", "there 2", "here 2"),
    (
      """
      w plan --shards 1 -o p a >o; w hash --plan p --shard 0/1 --out q; w merge --plan p -o N q
      cat N; w status --plan p q | grep -o done
      """, "THERE  a done", "HERE  a done"
    ),
    (
      "w hash --bagit b; w check --quiet b; find . -name bagit.txt", "./t/b/bagit.txt",
      "./b/bagit.txt"
    ),
  ]

  @Test("-C is for names of data: files of the tool stay where they are", arguments: commands)
  func names(script: String, there: String, here: String) async throws {
    for (option, expected) in [("-C t", there), ("", here)] {
      let directory = try TemporaryDirectory()
      let run = try await shell(
        """
        W=$0; mkdir d b t t/d t/b; for i in a d/a b/a; do echo here >$i; echo there >t/$i; done
        w() { v=$1; shift; case $v in merge|status) "$W" $v "$@";; *) "$W" $v \(option) "$@"; esac; }
        here=$(sha256sum <a); there=$(sha256sum <t/a); echo a >L; printf 'a\\0' >L0
        echo "${there%-}a" >M
        { \(script); } 2>e | sed "s/${here%  -}/HERE/; s/${there%  -}/THERE/" | tr '\\n' ' '
        """, in: directory
      ).run()
      let output = run.outputText.trimmingCharacters(in: .whitespaces)
      let pattern = expected.split(separator: "*", omittingEmptySubsequences: false)
      let fits =
        output.hasPrefix(pattern[0]) && output.hasSuffix(pattern.last ?? "")
        && (pattern.count > 1 || output == expected)
      #expect(fits, "\(option) \(script): \(output)")
      let left = try await shell("ls t | tr '\\n' ' '", in: directory).run()
      #expect(left.outputText == "a b d ", "\(script)")
    }
  }

  @Test(
    "a file of the tool that is in the directory of -C only is refused, with its name",
    arguments: [
      ("check N", false), ("compare N .", false), ("duplicates --known N .", false),
      ("count --files-from N", false), ("hash --files0-from N", false),
      ("check --plan N --shard 0/1 --out q M", false), ("check -- N", false),
      ("hash -o N a", true), ("hash --update -o N a", true), ("check --state N M", true),
      ("plan -o N --shards 1 a", true), ("run --joblog=N a -- cat", true),
      ("hash --plan M --shard 0/1 --out N", true), ("hash --trace N a", true),
    ])
  func misplaced(command: String, isOutput: Bool) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in ["M", "t/N", "t/a"] { try directory.write("x", to: name) }
    let (verb, rest) = (command.prefix { $0 != " " }, command.drop { $0 != " " })
    for names in ["-C t", "-C ./t/"] {
      let run = try await shell("\"$0\" \(verb) \(names)\(rest)", in: directory).run()
      let place = names == "-C t" ? "t" : "./t/"
      let path = names == "-C t" ? "t/N" : "./t/N"
      #expect(run.status == 2 && run.output.isEmpty)
      #expect(
        run.errorText
          == "weir: N: No such file or directory; it is in \(place), but files of the tool are "
          + "relative to the working directory since 0.17: \(path)"
          + (isOutput ? ", or, for a new one here, ./N\n" : "\n"))
    }
    let left = try await shell("ls -R; cat t/N", in: directory).run()
    #expect(left.outputText == ".:\nM\nt\n\n./t:\nN\na\nx", "\(left.outputText)")
  }

  @Test("a new output in a tree that is walked is named once, and ./ makes one here")
  func outputInTree() async throws {
    let directory = try TemporaryDirectory()
    let note = "lies in the tree of ., and is left out of it"
    for (command, message) in [
      ("hash -o t/M -C t .", "t/M: \(note)"), ("hash -o t/M --update --quiet -C t .", nil),
      ("hash -o ./M -C t .", nil), ("hash -o t/d/N -C t --exclude d/ .", nil),
      ("hash -o O .", "O: \(note)"), ("hash -o P t", nil),
    ] {
      let run = try await shell("mkdir -p t/d; echo x >t/a; \"$0\" \(command)", in: directory).run()
      #expect(
        run.status == 0 && run.errorText == (message.map { "weir: \($0)\n" } ?? ""), "\(command)")
    }
    let list = try await shell("cut -c 67- t/M", in: directory).run()
    #expect(list.outputText == "./a\n")
  }

  @Test("a missing directory is reported, and the status is 2")
  func noDirectory() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    for (name, message) in [
      ("no ne", "'no ne': No such file or directory"), ("a", "a: Not a directory"),
    ] {
      let result = try await weir("hash", "-C", name, "a", in: directory).run()
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errorText == "weir: \(message)\n")
    }
  }

  @Test(
    "an empty value is a name without a file",
    arguments: [
      ["-C", ""], ["--directory="], ["--directory", ""], ["--trace", ""], ["--trace="],
    ])
  func emptyNames(option: [String]) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    for verb in ["hash", "check"] {
      let arguments = [verb] + option + ["a"]
      let result = try await weir(arguments.map { Array($0.utf8) }, in: directory).run()
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errorText == "weir: '': No such file or directory\n")
    }
  }

  @Test("--trace records the lanes, and its file is not an input")
  func trace() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<300 { try directory.write("x", to: "f\(number)") }
    try directory.write(#"{"displayTimeUnit":"ms", old"#, to: "trace.json")
    let result = try await weir("hash", "--trace", "trace.json", ".", in: directory).run()
    result.expectSilence()
    #expect(result.lines.count == 300)
    #expect(try traceEvents(in: directory) > 3)
  }

  @Test("--trace replaces no file but a trace, and not the output of the run")
  func foreignTrace() async throws {
    let script = """
      echo x >a; echo mine >f; for t in f o /dev/stdout e; do $0 hash --trace $t a >o 2>e; echo $?; cat o e; done
      cat f; WEIR_TRACE=a $0 hash a 2>&1
      """
    let run = try await scripted(script)
    #expect(
      run.outputText == """
        2
        weir: f: is no trace and is left unchanged; choose another name, or remove it
        2
        weir: o: is the output of the run, and --trace would overwrite it
        2
        weir: /dev/stdout: is the output of the run, and --trace would overwrite it
        2
        weir: e: is the output of the run, and --trace would overwrite it
        mine
        weir: a: is no trace and is left unchanged
        73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac  a

        """)
  }

  @Test("the trace is written also after a signal")
  func interruptedTrace() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    var command = weir("hash", "--trace", "trace.json", "a", "-", in: directory)
    command.input = .bytes(Array("hello".utf8))
    let asked = command
    for closesInput in [true, false] {
      let result = try await onThread {
        let child = try Child(asked, holdsInput: true)
        #expect(child.collect(limit: 40) { output, _ in output.contains(0x0A) })
        #expect(child.inquire { $0.contains(", 6 B, ") })
        kill(child.pid, SIGTERM)
        #expect(
          child.collect(limit: 40) { _, errors in
            let text = String(decoding: errors, as: UTF8.self)
            return text.contains(closesInput ? "finishing" : "is missing")
          })
        if closesInput { child.closeInput() }
        return try child.finish(limit: 40)
      }
      #expect(result.signal == SIGTERM)
      #expect(try traceEvents(in: directory) > 0)
    }
  }

  private func traceEvents(in directory: TemporaryDirectory) throws -> Int {
    let data = try Data(contentsOf: URL(filePath: directory.text + "/trace.json"))
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    return try #require(object["traceEvents"] as? [Any]).count
  }

  @Test("a trace to a FIFO without a reader is an error at once")
  func traceToNobody() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    try directory.makeFIFO("p")
    for verb in [
      ["hash", "a"], ["check", "a"], ["count", "a"], ["duplicates", "."],
      ["run", "a", "--", "echo"],
    ] {
      let words = [verb[0], "--trace", "p"] + verb.dropFirst()
      let result = try await weir(words.map { Array($0.utf8) }, in: directory).run()
      #expect(result.status == 2 && !result.wasLate && result.output.isEmpty)
      #expect(
        result.errorText
          == "weir: p: is a FIFO without a reader; start the reader first, "
          + "or choose another name\n")
    }
  }

  @Test(
    "a trace to a pipe or a FIFO with a reader is complete", arguments: ["/dev/fd/3", "p"])
  func traceToPipe(name: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeFIFO("p")
    try directory.write("x", to: "f")
    // The trace of so many commands is larger than a pipe: writing has to wait.
    try directory.makeDirectory("d")
    for number in 0..<400 { try directory.write("", to: "d/\(number)") }
    for (verb, operands, most) in [("hash", "f", 3), ("run", "d -- true", 400)] {
      let run = "\"$0\" \(verb) --trace \(name) \(operands)"
      let script =
        name == "p"
        ? "cat p > trace.json & exec 4> p && \(run) > out; exec 4>&-; wait"
        : "{ \(run) 3>&1 > out; } | cat > trace.json"
      let result = try await shell(script, in: directory).run()
      result.expectSilence()
      #expect(try traceEvents(in: directory) > most)
    }
  }
}
