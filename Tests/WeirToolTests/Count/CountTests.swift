// weir count, compared with wc.

import Glibc
import TestSupport
import Testing

@Suite(.enabled(if: isInstalled("wc")), .serialized, .timeLimit(.minutes(10)))
struct CountTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("hello wörld\n\ttab\n", to: "a")
    try directory.write("", to: "empty")
    try directory.write([UInt8](repeating: 0x41, count: 12345), to: "long".utf8)
    try directory.write("x\ny", to: "new\nline")
  }

  @Test(
    "files are counted and written like wc: columns, names and the total",
    arguments: ["C", "C.UTF-8"])
  func files(locale: String) async throws {
    let options = [
      [], ["-l"], ["-w"], ["-c"], ["-m"], ["-L"], ["-lw"], ["-Lmcwl"], ["--max-line-length"],
    ]
    for names in [["a"], ["a", "empty", "long", "new\nline"], ["-"], ["a", "-"], []] {
      for option in options.sampled(oneIn: 3, for: "options of wc, \(names)") {
        let words = (option + names).map { Array($0.utf8) }
        var ours = weir([Array("count".utf8)] + words, in: directory)
        var theirs = other("wc", words, in: directory)
        for side in 0...1 {
          let input = Connection.file(directory.path("long"), O_RDONLY)
          if side == 0 { (ours.input, ours.locale) = (input, locale) }
          if side == 1 { (theirs.input, theirs.locale) = (input, locale) }
        }
        let (seen, expected) = (try await ours.run(), try await theirs.run())
        #expect(seen.output == expected.output, "\(option) \(names)")
        seen.expectSilence()
      }
    }
  }

  /// Expects that the numbers of all columns are those of wc.
  private func expectCounts(of names: [String], _ options: String...) async throws {
    let columns = ["-Lmcwl"] + names
    let ours = try await weir(["count"] + options + columns, in: directory).run()
    let theirs = try await other("wc", columns.map { Array($0.utf8) }, in: directory).run()
    ours.expectSilence()
    #expect(difference(ours.output, theirs.output) == nil, "\(options)")
  }

  @Test("every character is counted as wc counts it")
  func characters() async throws {
    for plane in 0..<64 {
      var text: [UInt8] = []
      // A letter on each side shows if the character separates words.
      for value in UInt32(plane) << 10..<UInt32(plane + 1) << 10 {
        guard let scalar = Unicode.Scalar(value) else { continue }
        text += Array("a\(scalar)b\t\(scalar) \(scalar)\n".utf8)
      }
      try directory.write(text, to: "plane\(plane)".utf8)
    }
    for range in 0..<16 {
      var text: [UInt8] = []
      for value in stride(from: UInt32(range + 1) << 16, to: UInt32(range + 2) << 16, by: 7) {
        guard let scalar = Unicode.Scalar(value) else { continue }
        text += Array("a\(scalar)b\n".utf8)
      }
      try directory.write(text, to: "range\(range)".utf8)
    }
    try await expectCounts(of: (0..<64).map { "plane\($0)" } + (0..<16).map { "range\($0)" })
  }

  @Test("a big file has the same counts for any number of jobs")
  func big() async throws {
    var random = SeededGenerator(for: "big")
    // A piece has 4 MiB: a word, a character and a line cross each boundary.
    var text = random.bytes(1 << 20)
    for boundary in 1..<10 {
      let euro = Array("\n\t wörd€wide€€€€€€word\u{A0}".utf8)
      let cut = Int.random(in: 1..<euro.count, using: &random)
      text += [UInt8](repeating: 0x78, count: boundary << 22 - cut - text.count) + euro
    }
    text += random.bytes(12345)
    try directory.write(text, to: "big".utf8)
    for jobs in [1, 2, 7] { try await expectCounts(of: ["big"], "-j\(jobs)") }
  }

  @Test(
    "a list is read for the width, and not kept",
    .enabled(if: bytesInUse() > 0, "a sanitizer needs room of its own"))
  func listMemory() async throws {
    func peak(_ count: Int) async throws -> Int {
      try directory.write([UInt8](String(repeating: "a\n", count: count).utf8), to: "l".utf8)
      return try await residentPeak(
        of: weir("count", "-c", "--files-from", "l", "-", in: directory), lines: count)
    }
    let few = try await peak(1000)
    let many = try await peak(300_000)
    #expect(few > 0 && many > 0 && many < few + 4096, "\(few) and \(many) KiB")
  }
}
