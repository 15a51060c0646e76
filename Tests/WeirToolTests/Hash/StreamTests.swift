// Standard input and lists as they arrive, and progress.

import Glibc
import TestSupport
import Testing

private let hello = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"

@Suite(.serialized, .timeLimit(.minutes(10)))
struct StreamTests {
  @Test("a list is read as it arrives: its files are hashed before it ends")
  func slowList() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write(name, to: name) }
    var command = weir("hash", "--files-from", "-", in: directory)
    command.input = .bytes(Array("a\nb\n".utf8))
    let asked = command
    let result = try await onThread {
      let child = try Child(asked, holdsInput: true)
      #expect(child.collect(limit: 40) { output, _ in output.filter { $0 == 0x0A }.count == 2 })
      return try child.finish(limit: 40)
    }
    result.expectSilence()
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
