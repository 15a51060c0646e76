// The common options -C and --trace.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CommonOptionTests {
  @Test("-C changes the directory first, and all names are relative to it")
  func directory() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.makeDirectory("t/u")
    for name in ["a", "t/a", "t/u/a"] { try directory.write(name, to: name) }
    try directory.write("a\n", to: "t/list")
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
    let traced = try await weir("hash", "-C", "t", "--trace", "T", "a", in: directory).run()
    traced.expectSilence()
    #expect(try await other("cat", words("t/T"), in: directory).run().status == 0)
    // The shell opened standard output before.
    let redirected = try await shell("\"$0\" hash -C t a > m; cat m", in: directory).run()
    #expect(redirected.outputText.hasSuffix("  a\n"))
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
    let directory = try TemporaryDirectory()
    let script = """
      echo x >a; echo mine >f; for t in f o /dev/stdout e; do $0 hash --trace $t a >o 2>e; echo $?; cat o e; done
      cat f; WEIR_TRACE=a $0 hash a 2>&1
      """
    let run = try await shell(script, in: directory).run()
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
