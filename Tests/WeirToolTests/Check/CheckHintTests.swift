// What check says about a hostile manifest, and names on a terminal.

import CTestSupport
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CheckHintTests {
  private func check(_ arguments: String..., in directory: TemporaryDirectory) async throws
    -> Outcome
  {
    try await weir([Array("check".utf8)] + arguments.map { Array($0.utf8) }, in: directory).run()
  }

  @Test(
    "no control byte of a name reaches a terminal, and a pipe gets the name",
    arguments: ["hash .", "count .", "duplicates --min-size 0 .", "check M"])
  func terminal(verb: String) async throws {
    let directory = try TemporaryDirectory()
    let name = Array("a\u{1B}]0;x\u{07}b".utf8)
    try directory.write("same".utf8, to: name)
    try directory.write("same", to: "copy")
    let manifest = try await shell("sums=$(sha256sum a* copy); echo \"$sums\" > M", in: directory)
      .run()
    manifest.expectSilence()
    let words = verb.split(separator: " ").map { Array($0.utf8) }
    let piped = try await weir(words, in: directory).run()
    #expect(
      piped.output.split(separator: 0x0A).contains { line in
        (0...line.count).contains { line.dropFirst($0).starts(with: name) }
      })

    var side: Int32 = -1
    var buffer = [CChar](repeating: 0, count: 128)
    try #require(test_terminal(&side, &buffer, buffer.count) == 0)
    defer { close(side) }
    var command = weir(words, in: directory)
    let path = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    command.output = .file(path, O_RDWR | O_NOCTTY)
    let result = try await command.run()
    #expect(result.status == piped.status)
    var shown = [UInt8](repeating: 0, count: 65536)
    shown.removeLast(shown.count - max(0, read(side, &shown, shown.count)))
    #expect(!shown.contains(0x1B) && !shown.contains(0x07))
    #expect(String(decoding: shown, as: UTF8.self).contains("\\033"))
  }

  @Test(
    "a list without a line that can be verified says why",
    arguments: [
      ("$0 hash -z f >M; $0 check M", "; its lines end in NUL: add --zero"),
      (
        "$0 hash d/f >M; $0 check --strip 2 M",
        "; --strip 2 leaves nothing of a name with fewer components"
      ),
      (": >M; $0 check M", ": it is empty"), ("echo a letter >M; $0 check M", ""),
    ])
  func noLine(script: String, reason: String) async throws {
    let directory = try TemporaryDirectory()
    let run = try await shell("echo >f; mkdir d; echo >d/f; " + script, in: directory).run()
    let expected = "weir: M: no properly formatted checksum lines found\(reason)\n"
    #expect(run.status == 1 && run.errorText == expected, "\(run.errorText)")
  }

  @Test("a small manifest of nested directories has messages of a bounded size")
  func nested() async throws {
    let directory = try TemporaryDirectory()
    let name = String(repeating: "d", count: 60)
    let count = 5000
    let lines = "#mtree\n/set type=dir\n" + String(repeating: "\(name)\n", count: count)
    try directory.write(lines, to: "M")
    let result = try await check("M", in: directory)
    #expect(result.status == 1 && !result.wasLate)
    let size = result.output.count + result.errors.count
    #expect(size < 20 * lines.utf8.count, "\(size) bytes for \(lines.utf8.count)")
    // Every name that a system call takes has a verdict.
    #expect(result.lines.count == 67)
    #expect(result.errorText.contains("improperly formatted"))
  }
}
