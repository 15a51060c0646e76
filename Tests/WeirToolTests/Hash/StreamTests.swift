// Standard input, standard output to a file, the summary and progress.

import Glibc
import TestSupport
import Testing

private let hello = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"

@Suite(.serialized, .timeLimit(.minutes(10)))
struct StreamTests {
  @Test(
    "standard input is read under all its names, from a pipe and from a file",
    arguments: [
      ([], "-"), (["-"], "-"), (["/dev/stdin"], "/dev/stdin"), (["/dev/fd/0"], "/dev/fd/0"),
    ])
  func standardInput(arguments: [String], name: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "f")
    for input in [Connection.bytes(Array("hello\n".utf8)), .file(directory.path("f"), O_RDONLY)] {
      var command = weir(words("hash") + arguments.map { Array($0.utf8) }, in: directory)
      command.input = input
      let result = try await command.run()
      result.expectSilence()
      #expect(result.outputText == "\(hello)  \(name)\n")
    }
  }

  @Test("a descriptor that the shell opened is read, pipe or file")
  func otherDescriptor() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "f")
    for script in [
      "\"$0\" hash /dev/fd/7 7<f", "echo hello | \"$0\" hash /dev/fd/7 7<&0 </dev/null",
    ] {
      let result = try await shell(script, in: directory).run()
      result.expectSilence()
      #expect(result.outputText == "\(hello)  /dev/fd/7\n")
    }
  }

  @Test("a large input is read through a pipe")
  func muchInput() async throws {
    var random = SeededGenerator(for: "input")
    let directory = try TemporaryDirectory()
    let content = random.bytes(3_000_001)
    try directory.write(content, to: "f".utf8)
    var command = weir("hash", "-", "f", in: directory)
    command.input = .bytes(content)
    let result = try await command.run()
    result.expectSilence()
    #expect(result.lines.count == 2 && result.lines[0].prefix(64) == result.lines[1].prefix(64))
  }

  @Test("the file of standard output is not read, old or new")
  func outputFile() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "z"] { try directory.write("hello\n", to: name) }
    try directory.write("old\n", to: "n")
    for (script, reads) in [
      ("> m", "./a ./n ./z"), ("> n", "./a ./m ./z"), (">> n", "./a ./m ./z"),
    ] {
      let result = try await shell("exec \"$0\" hash . \(script)", in: directory).run()
      result.expectSilence()
      let file = String(script.suffix(1))
      let written = try await other("tail", words("-n", "3", file), in: directory).run()
      let names = written.lines.map { String(decoding: $0.dropFirst(66), as: UTF8.self) }
      #expect(names.joined(separator: " ") == reads)
    }
  }

  @Test("success is silent, and --summary is one line")
  func summary() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<20 { try directory.write("hello\n", to: "f\(number)") }
    try await weir("hash", ".", in: directory).run().expectSilence()
    let result = try await weir("hash", "--summary", ".", in: directory).run()
    #expect(result.status == 0 && result.lines.count == 20)
    #expect(result.errorLines.count == 1)
    #expect(result.errorText.hasPrefix("weir: 20 files read; 120 B in "))
    #expect(result.errorText.hasSuffix(" files/s)\n"))
  }

  @Test("--progress always shows one line, which is cleared at the end")
  func progressAlways() async throws {
    let directory = try TemporaryDirectory()
    var command = weir("hash", "--progress", "always", in: directory)
    command.input = .bytes(Array("hello\n".utf8))
    let (long, run) = (command, Shared(false))
    let result = try await onThread {
      // The input ends after progress was shown.
      let child = try Child(long, holdsInput: true)
      let isShown = child.collect(limit: 40) { _, errors in errors.contains(0x1B) }
      run.change { $0 = isShown }
      return try child.finish(limit: 40)
    }
    #expect(run.value && result.status == 0 && result.outputText == "\(hello)  -\n")
    let errors = result.errorText
    #expect(errors.hasPrefix("\r\u{1B}[J0:00 ") && errors.contains(" B/s"))
    #expect(errors.hasSuffix("\r\u{1B}[J") && !errors.contains("\n"))
  }

  @Test(
    "--progress never and auto show nothing without a terminal",
    arguments: ["never", "auto"])
  func progressNever(when: String) async throws {
    // One and a half times the delay of progress.
    let script = "{ echo hello; sleep 0.75; } | \"$0\" hash --progress \"$1\""
    let result = try await scripted(script, when)
    result.expectSilence()
  }
}
