// Files that cannot be read: one message each, in a fixed order; the others are hashed, and
// the exit status is 3.

import Glibc
import TestSupport
import Testing

/// True if a command can be run without root's privileges, so that permissions apply.
@Sendable private func canDropPowers() async throws -> Bool {
  guard getuid() == 0 else { return true }
  guard isInstalled("setpriv") else { return false }
  let trial = Command(Array("setpriv".utf8), withoutPowers(words("true")))
  let works = try await trial.run().status == 0
  if !works { print("skipped: root's powers cannot be laid down here") }
  return works
}

private func withoutPowers(_ command: [[UInt8]]) -> [[UInt8]] {
  let powers = "-dac_override,-dac_read_search"
  return words("--bounding-set=\(powers)", "--inh-caps=\(powers)") + command
}

private func ordinary(_ arguments: String..., in directory: TemporaryDirectory) -> Command {
  let bytes = arguments.map { Array($0.utf8) }
  return getuid() == 0
    ? other("setpriv", withoutPowers([weirPath] + bytes), in: directory)
    : weir(bytes, in: directory)
}

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FileErrorTests {
  @Test("a FIFO and a socket in a tree are skipped with a message")
  func specialInTree() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("1", to: "a")
    try directory.makeFIFO("f")
    try directory.makeSocket("s")
    try directory.write("2", to: "z")
    let result = try await weir("hash", ".", in: directory).run()
    #expect(result.status == 0)
    #expect(
      result.errorLines == ["weir: ./f: skipped: is a FIFO", "weir: ./s: skipped: is a socket"])
    #expect(result.lines.count == 2)
  }

  @Test("a named FIFO is an error at once, with a command that reads it")
  func namedFIFO() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeFIFO("a pipe")
    try directory.write("1", to: "z")
    let result = try await weir("hash", "a pipe", "z", in: directory).run()
    #expect(result.status == 3)
    #expect(
      result.errorLines == [
        "weir: 'a pipe': is a FIFO; to read it, use: weir hash - < 'a pipe'",
        "weir: 1 file read, 1 special file not opened",
      ])
    #expect(result.lines.count == 1)
  }

  /// Makes a tree with errors of all kinds.
  private func makeTroubled() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for number in 100..<200 {
      try directory.write("\(number)", to: "t/f\(number)")
      if number % 10 == 5 { try directory.link("t/f\(number)-dangling", to: "nowhere") }
      if number % 10 == 7 { try directory.makeFIFO("t/f\(number)-fifo") }
    }
    try directory.makeDirectory("t/f150-closed")
    try directory.write("x", to: "t/f150-closed/x")
    try directory.makeDirectory("t/f160-loop")
    try directory.link("t/f160-loop/back", to: "../../t")
    try directory.write("x", to: "t/f170-secret")
    try directory.setMode("t/f170-secret", 0)
    try directory.setMode("t/f150-closed", 0)
    return directory
  }

  @Test(
    "each unreadable file has one message, and the others are hashed",
    .enabled("permissions have to apply", canDropPowers))
  func unreadable() async throws {
    let directory = try makeTroubled()
    let result = try await ordinary("hash", "t", in: directory).run()
    #expect(result.status == 3)
    #expect(result.lines.count == 100)
    let lines = result.errorLines.filter { !$0.hasSuffix("is a FIFO") }
    #expect(
      lines == [
        "weir: t/f150-closed: Permission denied", "weir: t/f170-secret: Permission denied",
        "weir: 100 files read, 2 could not be read, 10 special files not opened, "
          + "11 symbolic links skipped",
      ])
  }

  @Test(
    "--follow reports loops and dangling links",
    .enabled("permissions have to apply", canDropPowers))
  func follow() async throws {
    let directory = try makeTroubled()
    let result = try await ordinary("hash", "--follow", "t", in: directory).run()
    #expect(result.status == 3 && result.lines.count == 100)
    let lines = result.errorLines
    #expect(lines.contains("weir: t/f160-loop/back: Too many levels of symbolic links"))
    #expect(lines.filter { $0.hasSuffix("-dangling: No such file or directory") }.count == 10)
    #expect(
      lines.last
        == "weir: 100 files read, 13 could not be read, 10 special files not opened")
    #expect(lines.count == 24)  // 10 FIFOs, 10 links, 3 others and the sum
  }

  @Test(
    "standard error is the same for any number of lanes and any run",
    .enabled("permissions have to apply", canDropPowers))
  func sameErrors() async throws {
    let directory = try makeTroubled()
    let first = try await ordinary(
      "hash", "--follow", "-j", "1", "none", "t", "none", in: directory
    )
    .run()
    #expect(first.errorLines.count == 26)
    for jobs in ["2", "16", "3", "16", "16"] {
      let result = try await ordinary(
        "hash", "--follow", "-j", jobs, "none", "t", "none", in: directory
      ).run()
      #expect(difference(result.errors, first.errors) == nil)
      #expect(difference(result.output, first.output) == nil)
    }
  }

  @Test("a full device is a write error and ends the run")
  func fullDevice() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<500 { try directory.write("x", to: "f\(number)") }
    for arguments in [["hash", "."], ["hash", "f1"], ["limits"], ["--help"], ["--version"]] {
      var command = weir(arguments.map { Array($0.utf8) }, in: directory)
      command.output = .file(Array("/dev/full".utf8), O_WRONLY)
      let result = try await command.run()
      #expect(result.status == 2, "\(arguments)")
      #expect(result.errorText == "weir: write error: No space left on device\n", "\(arguments)")
    }
  }

  @Test("closed standard output is a write error, and no file is written to")
  func closedOutput() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("content", to: "a")
    var command = weir("hash", "a", in: directory)
    command.output = .closed
    let result = try await command.run()
    #expect(result.status == 2)
    #expect(result.errorText == "weir: write error: Bad file descriptor\n")
    let after = try await other("cat", words("a"), in: directory).run()
    #expect(after.outputText == "content")
  }

  @Test("a closed standard input is never another file", arguments: ["1", "2", "8"])
  func closedInput(jobs: String) async throws {
    let directory = try TemporaryDirectory()
    // One lane reads long enough for another one to reach the input.
    try directory.write([], to: "big".utf8)
    #expect(truncate(directory.text + "/big", 64 << 20) == 0)
    var command = weir("hash", "-j", jobs, "big", "-", "/dev/fd/0", in: directory)
    command.input = .closed
    let result = try await command.run()
    #expect(result.status == 3 && result.lines.count == 1)
    #expect(
      result.errorLines.prefix(2) == [
        "weir: -: Bad file descriptor", "weir: /dev/fd/0: Bad file descriptor",
      ])
  }

  @Test("a closed descriptor is never the next file that is opened", arguments: ["1", "2", "4"])
  func closedDescriptor(jobs: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write([], to: "big".utf8)
    #expect(truncate(directory.text + "/big", 64 << 20) == 0)
    let alone = try await weir("hash", "big", in: directory).run()
    let result = try await shell(
      "exec \"$0\" hash -j \"$1\" big /dev/fd/3 /dev/fd/4 /dev/fd/+0 3<&- 4<&-", jobs,
      in: directory
    ).run()
    #expect(result.status == 3 && result.output == alone.output)
    #expect(
      result.errorLines.prefix(3) == [
        "weir: /dev/fd/3: Bad file descriptor", "weir: /dev/fd/4: Bad file descriptor",
        "weir: /dev/fd/+0: No such file or directory",
      ])
  }

  @Test("a reader that closes the pipe ends the run by SIGPIPE, silently")
  func readerGoes() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "pipe")
    try directory.fill("tree", files: 3000, using: &random)
    // The status of weir itself, as a shell reports it.
    let result = try await shell(
      "{ \"$0\" hash tree tree tree; echo $? >status; } | head -n 1", in: directory
    ).run()
    #expect(result.lines.count == 1 && result.errorText.isEmpty)
    let status = try await other("cat", words("status"), in: directory).run()
    #expect(status.outputText == "\(128 + SIGPIPE)\n")
  }
}
