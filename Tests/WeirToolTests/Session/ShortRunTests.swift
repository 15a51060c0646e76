// Runs on one small file, which scripts start in loops: no more threads and system calls
// than the work needs, and the results of any other run.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ShortRunTests {
  @Test(
    "one small file takes no thread, and no look at its storage and the processors",
    .enabled("strace has to work", straceWorks),
    arguments: ["hash f", "count f", "hash none", "count -"])
  func calls(arguments: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("text", to: "f")
    let calls = try await trace(weirPath, arguments, in: directory)
    if arguments.hasSuffix("f") {
      #expect(!calls.contains { isClone($0) })
      #expect(!calls.contains { $0.contains("/sys/dev/") || $0.contains("cgroup") })
    }
    #expect(!calls.contains { $0.contains("openssl.cnf") })
  }

  @Test(
    "a drop-in name starts no thread for one file, reads no configuration, and counts no cores",
    .enabled("strace has to work", straceWorks),
    arguments: [
      "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum",
      "cksum", "wc",
    ])
  func dropIn(name: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("text", to: "f")
    let calls = try await trace(try linked(name, in: directory), "f", in: directory)
    #expect(calls.contains { $0.contains("\"f\"") })
    #expect(!calls.contains { isClone($0) })
    #expect(!calls.contains { $0.contains("openssl.cnf") || $0.contains("/proc/self/cgroup") })
  }

  /// The sizes are around that of the largest file that counts as small.
  @Test(
    "a small file is read like any other",
    arguments: [0, 1, 1 << 20 - 1, 1 << 20, 1 << 20 + 1], ["hash", "count"])
  func sameResult(size: Int, verb: String) async throws {
    let directory = try TemporaryDirectory()
    let content = (0..<size).map { UInt8($0 % 251) }
    try directory.write(content, to: "f".utf8)
    let short = try await weir(verb, "--summary", "f", in: directory).run()
    let long = try await weir(verb, "-j", "2", "f", in: directory).run()
    #expect(short.status == 0 && short.output == long.output && !short.output.isEmpty)
    #expect(short.errorLines.first?.hasPrefix("weir: 1 file") == true, "\(short)")
  }

  @Test(
    "an error of a small file has the message and the status of any other run",
    arguments: ["locked", "FIFO", "nowhere", "none"], ["hash", "count"])
  func sameError(name: String, verb: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "locked")
    try directory.setMode("locked", 0)
    try directory.makeFIFO("FIFO")
    try directory.link("nowhere", to: "there is none")
    let short = try await weir(verb, name, in: directory).run()
    let long = try await weir(verb, "-j", "2", name, in: directory).run()
    #expect(short.status == long.status && short.errors == long.errors, "\(short) \(long)")
    #expect(short.output == long.output)
  }

  private func isClone(_ call: Substring) -> Bool {
    call.contains("clone3(") || call.contains("clone(")
  }

  /// Returns the path of a link to weir.
  private func linked(_ name: String, in directory: TemporaryDirectory) throws -> [UInt8] {
    try directory.link(name, to: String(decoding: weirPath, as: UTF8.self))
    return directory.path(name)
  }

  /// Returns the lines of strace.
  private func trace(
    _ program: [UInt8], _ arguments: String, in directory: TemporaryDirectory
  ) async throws -> [Substring] {
    let words = arguments.split(separator: " ").map { Array($0.utf8) }
    var command = other(
      "strace", [Array("-f".utf8), Array("-o".utf8), Array("trace".utf8), program] + words,
      in: directory)
    command.input = .bytes([])
    _ = try await command.run()
    return try await other("cat", [Array("trace".utf8)], in: directory).run().outputText
      .split(separator: "\n")
  }
}
