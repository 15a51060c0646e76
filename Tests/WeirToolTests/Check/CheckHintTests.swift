// What check says about a manifest that is not what the user takes it for, and names on a
// terminal.

import CTestSupport
import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct CheckHintTests {
  private func check(_ arguments: String..., in directory: TemporaryDirectory) async throws
    -> Outcome
  {
    try await weir([Array("check".utf8)] + arguments.map { Array($0.utf8) }, in: directory).run()
  }

  @Test(
    "untagged digests of another algorithm of the same length are recognized",
    arguments: [("xxh128", "md5"), ("blake2b", "sha512")])
  func otherAlgorithm(algorithm: String, taken: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    let made = try await weir("hash", "-a", algorithm, "a", in: directory).run()
    try directory.write(made.output, to: "M".utf8)
    let result = try await check("M", in: directory)
    #expect(result.status == 1)
    #expect(
      result.errorLines.last
        == "weir: M: no line matched as \(taken); if the digests are of \(algorithm), "
        + "use -a \(algorithm)")
    try await check("-a", algorithm, "--quiet", "M", in: directory).expectSilence()
    // With a line that matches, or the algorithm given, there is nothing to guess.
    let given = try await check("-a", taken, "M", in: directory)
    #expect(!given.errorText.contains("no line matched"))
  }

  @Test("a UTF-16 manifest is named as such", arguments: [true, false])
  func utf16(isLittle: Bool) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "a")
    let units = "\u{FEFF}\(String(repeating: "0", count: 64))  a\r\n".utf16
    let bytes = units.flatMap { unit in
      let (low, high) = (UInt8(unit & 0xFF), UInt8(unit >> 8))
      return isLittle ? [low, high] : [high, low]
    }
    try directory.write(bytes, to: "M".utf8)
    let result = try await check("M", in: directory)
    #expect(result.status == 1)
    #expect(
      result.errorLines == [
        "weir: M: no properly formatted checksum lines found; it is UTF-16; iconv -f UTF-16 "
          + "-t UTF-8 converts it"
      ])
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
    // Every name that is not too long has a verdict.
    #expect(result.lines.count > 1000)
    #expect(result.errorText.contains("improperly formatted"))
  }
}
