// weir count, compared with wc, for files, trees and lists.

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
    try directory.makeDirectory("t")
    try directory.makeDirectory("t/u")
    for name in ["t/b", "t/u/c", "t/z"] { try directory.write("\(name) is it\n", to: name) }
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

  @Test("a directory is walked, in order, and the columns are seven wide")
  func tree() async throws {
    let result = try await weir("count", "t", in: directory).run()
    result.expectSilence()
    #expect(
      result.outputText == """
              1       3      10 t/b
              1       3      12 t/u/c
              1       3      10 t/z
              3       9      32 total

        """)
    for options in [["--unordered"], ["-j1"], ["-j", "7"]] {
      let words = ["count", "t"] + options
      let other = try await weir(words.map { Array($0.utf8) }, in: directory).run()
      #expect(
        other.lines.sorted { $0.lexicographicallyPrecedes($1) }
          == result.lines.sorted { $0.lexicographicallyPrecedes($1) })
    }
  }

  @Test("the columns of a list are as wide as those of wc", arguments: ["list", "-"])
  func lists(list: String) async throws {
    try directory.write(Array("a\0long\0t/b\0".utf8), to: "list".utf8)
    var ours = weir("count", "--files0-from", list, in: directory)
    var theirs = other("wc", words("--files0-from=\(list)"), in: directory)
    let input = Connection.bytes(Array("a\0long\0t/b\0".utf8))
    (ours.input, theirs.input) = (input, input)
    let (seen, expected) = (try await ours.run(), try await theirs.run())
    #expect(seen.output == expected.output)
    seen.expectSilence()
  }

  @Test("unreadable files are reported, the others are counted, and the status is 3")
  func troubles() async throws {
    try directory.makeFIFO("fifo")
    let result = try await weir("count", "a", "gone", "fifo", in: directory).run()
    #expect(result.status == 3)
    #expect(result.errorLines[0] == "weir: gone: No such file or directory")
    #expect(
      result.errorLines[1].hasPrefix("weir: fifo: is a FIFO; to read it, use: weir count - <"))
    #expect(result.outputText == " 2  3 18 a\n 2  3 18 total\n" || result.lines.count == 2)
    let one = try await weir("count", "gone", in: directory).run()
    #expect(one.output.isEmpty && one.status == 3)
  }

  @Test("--zero ends lines with NUL and quotes no names")
  func zero() async throws {
    let result = try await weir("count", "-lz", "a", "new\nline", in: directory).run()
    result.expectSilence()
    #expect(result.outputText == " 2 a\0 1 new\nline\0 3 total\0")
  }

  @Test("the JSON matches its schema: files, errors, the total and the summary")
  func json() async throws {
    let schema = try Schema(of: "count")
    for options in [[], ["-l"], ["-lwmcL"], ["-z"]] {
      let words = ["count", "--format=json"] + options + ["a", "gone", "t", "new\nline"]
      let result = try await weir(words.map { Array($0.utf8) }, in: directory).run()
      #expect(result.status == 3)
      let separator: UInt8 = options == ["-z"] ? 0 : 0x0A
      let objects = try schema.objects(result.output, separator: separator)
      #expect(
        objects.compactMap { $0["type"] as? String } == [
          "file", "error", "file", "file", "file", "file", "total", "summary",
        ])
      #expect(objects[0]["lines"] as? Int == 2)
      #expect(objects[6]["lines"] as? Int == 6)
      #expect((objects[0]["longest"] as? Int) == (options == ["-lwmcL"] ? 11 : nil))
    }
  }

  @Test("works with eight descriptors and a file that all cores share")
  func fewDescriptors() async throws {
    var text = Array("some words \n".utf8)
    while text.count < 20 << 20 { text += text }
    try directory.write(text, to: "big".utf8)
    let result = try await shell(
      "ulimit -n 8; exec \"$0\" count -lw big t a", in: directory
    ).run()
    result.expectSilence()
    let expected = try await other("wc", words("-lw", "big"), in: directory).run()
    let numbers: [Substring] = expected.outputText.split(separator: " ")
    let line = String(decoding: result.lines[0], as: UTF8.self)
    #expect(line.split(separator: " ").prefix(2) == numbers.prefix(2))
  }

  @Test("invalid values of options are usage errors")
  func usage() async throws {
    let result = try await weir("count", "--characters", in: directory).run()
    #expect(result.status == 2)
    #expect(result.errorText.contains("unknown option --characters"))
    let format = try await weir("count", "--format", "mtree", in: directory).run()
    #expect(format.status == 2)
  }
}
