// Runs on one small file, which scripts start in loops: no more threads and system calls
// than the work needs, and the results of any other run.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ShortRunTests {
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
}
