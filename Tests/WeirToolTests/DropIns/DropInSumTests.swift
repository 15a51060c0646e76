// Called as b2sum or cksum, weir matches that tool of GNU coreutils 9.1 byte for byte: every
// algorithm, every length, and the options that the other checksum tools do not have.

import Glibc
import TestSupport
import Testing

/// The algorithms of cksum.
private let cksumAlgorithms = [
  "bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3",
]

@Suite(.enabled(if: hasGNU91), .serialized, .timeLimit(.minutes(10)))
struct DropInSumTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "f")
    try directory.makeDirectory("d")
  }

  @Test("b2sum and cksum at every length, and its lines verified")
  func lengths() async throws {
    var random = SeededGenerator(for: "lengths")
    try directory.write(random.bytes(3000), to: "g".utf8)
    var calls: [Invocation] = []
    for length in Array(stride(from: 8, through: 512, by: 8)).sampled(oneIn: 3, for: "b2sum -l") {
      for tool in [["b2sum"], ["b2sum", "--tag"], ["cksum", "-a", "blake2b"]] {
        let call = Invocation(
          tool[0], (tool.dropFirst() + ["-l", "\(length)", "f", "g"]).map { Array($0.utf8) })
        calls.append(call)
        let manifest = "\(tool.count).\(length)"
        try directory.write(try Sides(in: directory).theirs.run(call).output, to: manifest.utf8)
        calls.append(Invocation(tool[0], "-c", "--strict", manifest))
      }
      calls.append(Invocation("cksum", "-a", "blake2b", "-l", "64", "-wc", "3.\(length)"))
    }
    try await compare(calls, in: directory)
  }

  @Test("the argument of --length: numbers, no numbers, and too large ones, in both locales")
  func lengthArguments() async throws {
    let arguments: [[UInt8]] =
      [
        "", "0", "00", "+8", " 8", "\t16", "8 ", "-8", "--8", "7", "9", "520", "512", "0x10",
        "010", "8x", "x", "18446744073709551608", "18446744073709551615", "18446744073709551616",
        "99999999999999999999999999", "1e3", "8k", "'", "it's", "a\\b", "a\nb\u{1}", "ö",
        "\u{2019}", "\u{200B}", "?", "a b",
      ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0x38, 0x80]]
    var calls: [Invocation] = []
    for argument in arguments {
      for locale in ["C", "C.UTF-8"] {
        for words in [
          ["b2sum", "-l"], ["b2sum", "--tag", "-c", "-l"], ["cksum", "-l"],
          ["cksum", "-ablake2b", "-l"], ["cksum", "-amd5", "-l"],
        ] {
          let options = words.dropFirst().map { Array($0.utf8) }
          var call = Invocation(words[0], options + [argument, Array("f".utf8)])
          call.locale = locale
          calls.append(call)
        }
        var call = Invocation("cksum", [Array("-a".utf8), argument, Array("f".utf8)])
        call.locale = locale
        calls.append(call)
      }
    }
    try await compare(calls, in: directory, table: "cksum --length")
  }

  @Test(
    "every algorithm of cksum: files of many sizes, standard input, all forms of a line",
    arguments: cksumAlgorithms)
  func algorithms(algorithm: String) async throws {
    var random = SeededGenerator(for: "cksum \(algorithm)")
    let sizes = [
      0, 1, 2, 3, 7, 8, 63, 64, 65, 127, 128, 511, 512, 513, 1023, 1024, 1025, 32_767, 32_768,
      65_535,
      65_536, 65_537, (1 << 20) + 1, Int.random(in: 1...300_000, using: &random),
    ]
    var names: [[UInt8]] = []
    for size in sizes {
      names.append(Array("s\(size)".utf8))
      try directory.write(random.bytes(size), to: names[names.count - 1])
    }
    for name in ["new\nline", "back\\slash", "a b", "-x", "ö"] {
      names.append(Array(name.utf8))
      try directory.write(random.bytes(300), to: name.utf8)
    }
    var calls: [Invocation] = []
    for options in [
      [], ["--untagged"], ["--tag"], ["--untagged", "--tag"], ["--tag", "--untagged"], ["-z"],
      ["-z", "--untagged"], ["--debug"],
    ] {
      let words = (["-a", algorithm] + options).map { Array($0.utf8) }
      calls.append(Invocation("cksum", words + [Array("--".utf8)] + names))
      calls.append(Invocation("cksum", words + names + [Array("gone".utf8)]))
      for input in [Input.pipe(random.bytes(60_000)), .file(directory.path("s65537")), .nothing] {
        var call = Invocation("cksum", words)
        call.input = input
        calls.append(call)
        call.arguments += ["f", "-", "gone", "f"].map { Array($0.utf8) }
        calls.append(call)
      }
    }
    calls.append(Invocation("cksum", "-a", algorithm, "-c", "f"))
    calls.append(Invocation("cksum", "-c", "-a", algorithm))
    calls.append(Invocation("cksum", "-l", "8", "-a", algorithm, "f"))
    if algorithm != "crc" { calls.append(Invocation("cksum", "-a", algorithm, "d", "f")) }
    try await compare(calls, in: directory, table: "cksum -a \(algorithm)")
  }

  @Test("lines of several algorithms in one manifest, valid, damaged and of none")
  func mixedManifest() async throws {
    var lines: [[UInt8]] = []
    for algorithm in cksumAlgorithms {
      for form in ["--tag", "--untagged"] {
        let call = other(
          "/usr/bin/cksum", ["-a", algorithm, form, "f"].map { Array($0.utf8) }, in: directory)
        lines.append(try await call.run().output)
      }
    }
    let others = [
      "BLAKE2b-24 (f) = 000000", "BLAKE2b-24 (f) = 00000", "BLAKE2b-7 (f) = 00",
      "BLAKE2b- (f) = 00",
      "MD5 (f) = 00", "MD5x(f) = 00", "MD5", "MD5 ", "SHA256", "SHA2", "BLAKE2b", "CRC (f) = 1",
      "BSD (f) = 1", "sm3 (f) = 00", "junk", "", "# comment",
      "MD5X (f) = b1946ac92492d2347c6235b4d2611184", "MD5X(f) = b1946ac92492d2347c6235b4d2611184",
    ]
    lines += others.map { Array("\($0)\n".utf8) }
    // The beginning of a digest. After such a line GNU's tool, with --algorithm, expects as few
    // digits in untagged lines; no tool writes one, and weir does not follow there.
    let short = [
      "SM3-8 (f) = 00", "MD5-16 (f) = b194", "MD5-16 (f) = b195", "MD5-0x8 (f) = b1",
      "MD5-0 (f) = b1",
      "MD5-128 (f) = b1946ac92492d2347c6235b4d2611184",
      "MD5-136 (f) = b1946ac92492d2347c6235b4d261118400",
    ].map { Array("\($0)\n".utf8) }
    var random = SeededGenerator(for: "mixed manifest")
    var calls: [Invocation] = []
    for number in 0..<24 {
      let count = number < 2 ? lines.count : Int.random(in: 1...12, using: &random)
      let chosen = lines.shuffled(using: &random).prefix(count)
      try directory.write(chosen.flatMap { $0 }, to: "n\(number)".utf8)
      let algorithm = cksumAlgorithms[3 + number % 8]
      calls.append(Invocation("cksum", "-a", algorithm, "-wc", "n\(number)"))
      let all = (chosen + short.shuffled(using: &random).prefix(number % 4)).shuffled(
        using: &random)
      try directory.write(all.flatMap { $0 }, to: "m\(number)".utf8)
      let options = [["-c"], ["-wc"], ["-c", "--strict", "--quiet"], ["-c", "--tag"]][number % 4]
      let words = options + ["m\(number)", "m\(number / 2)"]
      calls.append(Invocation("cksum", words.map { Array($0.utf8) }))
    }
    try await compare(calls, in: directory)
  }

  @Test("pairs of options of cksum, with --check and without")
  func pairs() async throws {
    let lines = try await other(
      "/usr/bin/cksum", ["-amd5", "f"].map { Array($0.utf8) }, in: directory
    )
    .run().output
    try directory.write(lines + Array("no line\n".utf8), to: "m".utf8)
    let options = [
      "--tag", "--untagged", "-z", "-w", "--quiet", "--status", "--strict", "-b", "--debug", "-l8",
      "-amd5", "-acrc", "-ablake2b", "-a", "--a=md5", "--u",
    ]
    var calls: [Invocation] = []
    for first in options {
      for second in options {
        calls.append(Invocation("cksum", first, second, "f"))
        calls.append(Invocation("cksum", first, "-c", second, "m"))
      }
    }
    try await compare(calls, in: directory, table: "pairs of cksum")
  }
}
