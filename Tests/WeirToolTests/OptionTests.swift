// What the options do that every verb has: -C, --trace, and where they stand in
// what is written about them.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct OptionTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("-C goes there first, and all names are from there")
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
    // Where standard output goes was settled by the shell.
    let redirected = try await shell("\"$0\" hash -C t a > m; cat m", in: directory).run()
    #expect(redirected.outputText.hasSuffix("  a\n"))
  }

  @Test("a directory that is not there is said, and ends with 2")
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
    "a value that is empty is there: a name that nothing has",
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

  @Test("--trace writes what the lanes did, and is not read itself")
  func trace() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<300 { try directory.write("x", to: "f\(number)") }
    try directory.write("old", to: "trace.json")
    let result = try await weir("hash", "--trace", "trace.json", ".", in: directory).run()
    result.expectSilence()
    #expect(result.lines.count == 300)
    #expect(try traceEvents(in: directory) > 3)
  }

  @Test("the trace is there also after a signal")
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

  @Test("a trace that cannot be written ends with 2, at once or at the end")
  func noTrace() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    let early = try await weir("hash", "--trace", "no/ne", "a", in: directory).run()
    #expect(early.status == 2 && early.output.isEmpty)
    #expect(early.errorText == "weir: no/ne: No such file or directory\n")
    let late = try await weir("hash", "--trace", "/dev/full", "a", in: directory).run()
    #expect(late.status == 2 && late.lines.count == 1)
    #expect(late.errorText == "weir: /dev/full: No space left on device\n")
  }

  @Test("a trace goes to no FIFO that nobody reads, and nothing waits for that")
  func traceToNobody() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "a")
    try directory.makeFIFO("p")
    for verb in [
      ["hash", "a"], ["check", "a"], ["count", "a"], ["duplicates", "."],
      ["run", "a", "--", "echo"], ["demo", "loops", "--work", "0"],
    ] {
      let arguments = [verb[0]] + (verb[0] == "demo" ? [verb[1]] : [])
      let words = arguments + ["--trace", "p"] + verb.dropFirst(arguments.count)
      let result = try await weir(words.map { Array($0.utf8) }, in: directory).run()
      #expect(result.status == 2 && !result.wasLate && result.output.isEmpty)
      #expect(
        result.errorText
          == "weir: p: is a FIFO without a reader; start the reader first, "
          + "or choose another name\n")
    }
  }

  @Test(
    "a trace goes whole to a pipe or a FIFO that somebody reads", arguments: ["/dev/fd/3", "p"])
  func traceToPipe(name: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeFIFO("p")
    // Of a thousand blocks there is more to say than a pipe holds: writing has to wait.
    try directory.write("x", to: "f")
    for verb in ["hash f", "demo loops --work 0 --count 5000 --stride 1"] {
      let script =
        name == "p"
        ? "cat p > trace.json & exec 4> p && \"$0\" \(verb) --trace p > out; exec 4>&-; wait"
        : "{ \"$0\" \(verb) --trace /dev/fd/3 3>&1 > out; } | cat > trace.json"
      let result = try await shell(script, in: directory).run()
      result.expectSilence()
      #expect(try traceEvents(in: directory) > (verb == "hash f" ? 3 : 5000))
    }
  }

  /// The options of a verb as the parser has them: long names with their letters,
  /// and whether they take a value.
  private func options(of verb: String) async throws -> [(
    name: String, letter: String?, value: Bool
  )] {
    let directory = try TemporaryDirectory()
    let dump = try await weir("--experimental-dump-help", in: directory).run()
    let json = try JSONSerialization.jsonObject(with: Data(dump.output)) as? [String: Any]
    let root = try #require(json?["command"] as? [String: Any])
    let commands = try #require(root["subcommands"] as? [[String: Any]])
    let command = try #require(commands.first { $0["commandName"] as? String == verb })
    let arguments = command["arguments"] as? [[String: Any]] ?? []
    return arguments.compactMap { argument in
      let names = argument["names"] as? [[String: String]] ?? []
      guard let long = names.first(where: { $0["kind"] == "long" })?["name"] else { return nil }
      let letter = names.first { $0["kind"] == "short" }?["name"]
      return ("--\(long)", letter.map { "-\($0)" }, argument["kind"] as? String == "option")
    }
  }

  static let verbs = ["hash", "check", "count", "duplicates", "run", "limits", "demo"]

  @Test("every option is in --help, in the man page and in docs/cli.md", arguments: verbs)
  func documented(verb: String) async throws {
    let directory = try TemporaryDirectory()
    let help = try await weir(verb, "--help", in: directory).run().outputText
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let manual = try String(
      contentsOf: Self.root.appending(path: "man/weir-\(verb).1"),
      encoding: .utf8
    ).replacing("\\-", with: "-")
    let reference = try String(
      contentsOf: Self.root.appending(path: "docs/cli.md"), encoding: .utf8)
    let options = try await options(of: verb)
    #expect(options.count >= 2)
    for (name, letter, value) in options {
      let lines = help.split(separator: "\n").filter { line in
        line.hasPrefix(letter.map { "  \($0), \(name)" } ?? "      \(name)")
      }
      let isFound = lines.contains { line in
        let rest = line.dropFirst(6 + name.count)
        return value
          ? rest.hasPrefix(" ") && rest.dropFirst().first?.isUppercase == true
          : rest.isEmpty || rest.hasPrefix("  ")
      }
      #expect(isFound, "\(verb) --help lacks \(name)")
      for (text, place) in [(manual, "man page"), (reference, "docs/cli.md")] {
        #expect(text.contains(name), "\(place) of \(verb) lacks \(name)")
        if let letter { #expect(text.contains(letter), "\(place) of \(verb) lacks \(letter)") }
      }
    }
  }

  @Test("what cuts the command line knows the options that the parser knows", arguments: verbs)
  func tables(verb: String) async throws {
    let directory = try TemporaryDirectory()
    for (name, letter, value) in try await options(of: verb)
    where name != "--help" && name != "--version" {
      for spelling in [name, letter].compactMap({ $0 }) {
        // Alone, one with a value lacks it, and one without goes on to fail at a
        // name that is nowhere.
        let result = try await weir(verb, "nowhere", spelling, in: directory).run()
        let needs = "weir: option \(spelling) needs a value; see weir \(verb) --help\n"
        #expect((result.errorText == needs) == value, "\(verb) \(spelling): \(result.errorText)")
        #expect(!result.errorText.contains("unknown option"))
      }
    }
  }
}
