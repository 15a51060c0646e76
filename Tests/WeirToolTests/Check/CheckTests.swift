// weir check, compared with sha256sum -c, and its own features.

import TestSupport
import Testing

/// Makes mostly correct manifests of a few files.
private struct Manifests {
  let directory: TemporaryDirectory
  var random: SeededGenerator
  /// The digests and names of the existing files.
  private(set) var files: [(digest: String, name: [UInt8])] = []

  init(for test: String) async throws {
    random = SeededGenerator(for: test)
    directory = try TemporaryDirectory()
    let names = random.names(40)
    for name in names { try directory.write(random.bytes(20), to: name) }
    for name in names {
      let output = try await other("sha256sum", [[0x2D, 0x2D], name], in: directory).run().output
      let digest = output.drop { $0 == UInt8(ascii: "\\") }.prefix(64)
      files.append((String(decoding: digest, as: UTF8.self), name))
    }
    try directory.makeDirectory("dir")
  }

  private func escaped(_ name: [UInt8]) -> (begin: String, name: [UInt8]) {
    let odd: [UInt8: [UInt8]] = [10: [92, 110], 13: [92, 114], 92: [92, 92]]
    guard name.contains(where: { odd[$0] != nil }) else { return ("", name) }
    return ("\\", name.flatMap { odd[$0] ?? [$0] })
  }

  private mutating func entry(missing: Bool, wrong: Bool) -> (String, [UInt8]) {
    let number = Int.random(in: 0..<files.count, using: &random)
    var (digest, name) = files[number]
    if wrong { digest = String(digest.reversed()) }
    if missing { name = name + Array("~none".utf8) }
    if Int.random(in: 0..<30, using: &random) == 0 { name = Array("dir".utf8) }
    return (digest, name)
  }

  /// Returns a line and the byte that ends it.
  mutating func line() -> [UInt8] {
    let kind = Int.random(in: 0..<20, using: &random)
    if kind == 0 { return Array("# comment\n".utf8) }
    if kind == 1 { return Array("no checksum line\n".utf8) }
    if kind == 2 { return [10] }
    var (digest, name) = entry(missing: kind == 3, wrong: kind == 4)
    if Bool.random(using: &random) { digest = digest.uppercased() }
    let (begin, shown) = escaped(name)
    let end = Array(Int.random(in: 0..<8, using: &random) == 0 ? "\r\n".utf8 : "\n".utf8)
    if Bool.random(using: &random) {
      return Array("\(begin)SHA256 (".utf8) + shown + Array(") = \(digest)".utf8) + end
    }
    let mark = Bool.random(using: &random) ? " " : "*"
    return Array("\(begin)\(digest) \(mark)".utf8) + shown + end
  }

  mutating func manifest(_ lines: Int) -> [UInt8] { (0..<lines).flatMap { _ in line() } }
}

/// Returns a message of sha256sum in the words of weir.
private func translated(_ errors: String) -> String {
  errors.replacing("sha256sum: ", with: "weir: ")
    .replacing(
      "improperly formatted SHA256 checksum line", with: "improperly formatted checksum line"
    )
    .replacing(
      "no properly formatted SHA256 checksum lines", with: "no properly formatted checksum lines")
}

extension String {
}

@Suite(.enabled(if: hasOracle), .serialized, .timeLimit(.minutes(10)))
struct CheckTests {
  @Test("output, messages and their order are those of sha256sum -c")
  func sideBySide() async throws {
    var manifests = try await Manifests(for: "side by side")
    let choices = ["--quiet", "--status", "--warn", "--strict", "--ignore-missing"]
    for round in 0..<40 {
      let count = [0, 1, 2, 5, 200][round % 5]
      let names = (0..<Int.random(in: 1...3, using: &manifests.random)).map { "m\($0)" }
      for name in names {
        try manifests.directory.write(manifests.manifest(count), to: name.utf8)
      }
      // For GNU the last of the first three decides; weir combines them.
      let options =
        choices[..<3].shuffled(using: &manifests.random).prefix(round % 2)
        + choices[3...].filter { _ in Bool.random(using: &manifests.random) }
      let begin = ["-c", "exec \"$@\" 2>&1", "sh"]
      let sh = { (words: [[UInt8]]) in
        other("sh", begin.map { Array($0.utf8) } + words, in: manifests.directory)
      }
      let rest = (options + names).map { Array($0.utf8) }
      let leniency = options.contains("--strict") ? [] : ["--lenient"]
      let ours = sh([weirPath] + words("check") + leniency.map { Array($0.utf8) } + rest)
      let theirs = sh(words("sha256sum", "-c") + rest)
      let (our, their) = (try await ours.run(), try await theirs.run())
      let what = "\(options) \(names)"
      let expected = translated(String(decoding: their.output, as: UTF8.self))
      let got = our.outputText
        .replacing(" found: it is empty", with: " found")
      #expect(
        difference(got.split(separator: "\n"), expected.split(separator: "\n")) == nil, "\(what)")
      #expect((our.status == 0) == (their.status == 0), "\(what)")
    }
  }

  @Test(
    "the output of the other tools is verified, in every algorithm and form",
    arguments: [
      ("sha256sum", ""), ("md5sum", ""), ("sha1sum", ""), ("sha224sum", "--tag"),
      ("sha384sum", "-b"), ("sha512sum", "--tag"), ("sha256sum", "-z"), ("md5sum", "--tag -z"),
      ("b2sum", "-a"), ("b2sum", "--tag"), ("xxhsum", "-H1"), ("xxhsum", "-H1 --tag"),
      ("xxhsum", "-H2 --tag --little-endian"), ("xxhsum", "-H0 --tag"),
      ("xxhsum", "-H3"), ("cksum", "-a sha256"),
      ("cksum", "-a blake2b"), ("cksum", "-a md5"), ("cksum", "-a sha512 --untagged"),
      ("openssl", "dgst -sha256"), ("openssl", "dgst -md5"), ("openssl", "dgst -r -sha1"),
      ("openssl", "dgst -sha512-256"), ("openssl", "dgst -sha3-256"), ("openssl", "dgst -sm3"),
      ("openssl", "dgst -sha3-512"), ("cksum", "-a sm3"), ("b2sum", "-l 256 --tag"),
      ("b2sum", "-a -l 8"), ("b3sum", ""),
    ])
  func otherTools(tool: String, options: String) async throws {
    guard isInstalled(tool) else { return }
    var random = SeededGenerator(for: "\(tool) \(options)")
    let directory = try TemporaryDirectory()
    // xxhsum and openssl write newlines unescaped; b3sum writes names that are not UTF-8 in
    // another form.
    let isPlain = tool == "xxhsum" || tool == "openssl" || tool == "b3sum"
    let names =
      isPlain
      ? (0..<50).map { Array("a \($0) (b) = c".utf8) } : random.names(150)
    for name in names { try directory.write(random.bytes(50), to: name) }
    let isBlake = options.hasPrefix("-a") && tool == "b2sum"
    let words = options.split(separator: " ").dropFirst(isBlake ? 1 : 0).map { Array($0.utf8) }
    let separator: [[UInt8]] = tool == "openssl" || tool == "xxhsum" ? [] : [Array("--".utf8)]
    let theirs = try await other(tool, words + separator + names, in: directory).run()
    try #require(theirs.status == 0)
    var check = weir(
      ["check"] + (options.contains("-z") ? ["-z"] : []) + (isBlake ? ["-a", "blake2b"] : []),
      in: directory)
    check.input = .bytes(theirs.output)
    let result = try await check.run()
    result.expectSilence()
    #expect(result.lines.count { $0.suffix(4).elementsEqual(": OK".utf8) } == names.count)
  }

  @Test("the exit status distinguishes differences, unreadable files and success")
  func status() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write(name, to: name) }
    try directory.makeDirectory("d")
    try directory.makeFIFO("p")
    let sums = try await other("sha256sum", words("a", "b"), in: directory).run().outputText
    let zeros = String(repeating: "0", count: 64)
    for (manifest, options, status) in [
      (sums, [], 0), (sums + "junk\n", [], 1), (sums + "junk\n", ["--lenient"], 0),
      (sums + "\(zeros)  a\n", [], 1), (sums + "\(zeros)  none\n", [], 1),
      (sums + "\(zeros)  none\n", ["--ignore-missing"], 0), ("", [], 1), ("junk\n", [], 1),
      ("\(zeros)  none\n", ["--ignore-missing"], 1), (sums + "\(zeros)  d\n", [], 3),
      (sums + "\(zeros)  p\n", [], 3), (sums + "\(zeros)  d\n\(zeros)  b\n", [], 1),
      ("\(zeros)  d\n", [], 3), (sums, ["none"], 3), (sums, ["-"], 1),
    ] as [(String, [String], Int32)] {
      try directory.write(manifest, to: "m")
      var command = weir(["check", "m"] + options, in: directory)
      command.input = .bytes([])
      let result = try await command.run()
      #expect(result.status == status && !result.wasLate, "\(manifest) \(options)")
    }
    for arguments in [
      ["none"], ["d"], ["p"], ["none", "d"], ["--ignore-missing", "none"], ["--nonsense"],
      ["-a", "sha257"], ["-j", "0"], ["-C", "none", "m"],
    ] {
      #expect(try await weir(["check"] + arguments, in: directory).run().status == 2)
    }
  }

  @Test("well-formed lines of unknown algorithms are reported, and are not a success")
  func unsupported() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    let good = try await other("sha256sum", words("a"), in: directory).run().outputText
    for (tool, options, tag) in [
      ("openssl", "dgst -sha512-224", "SHA2-512/224"),
      ("openssl", "dgst -sha3-384", "SHA3-384"), ("openssl", "dgst -blake2s256", "BLAKE2S-256"),
    ] where isInstalled(tool) {
      let begin = options.split(separator: " ").map { Array($0.utf8) }
      let line = try await other(tool, begin + words("a"), in: directory).run().outputText
      let message = "weir: m: 2: \(tag) is not supported\n"
      for (rest, status) in [("", 3), (good, 3), (good.replacing("a\n", with: "none\n"), 1)]
        as [(String, Int32)]
      {
        try directory.write("#\n" + line + rest, to: "m")
        for options in [[], ["--strict"], ["--status"]] {
          let result = try await weir(["check", "m"] + options, in: directory).run()
          #expect(result.status == status && result.errorText.hasPrefix(message), "\(tool)")
        }
      }
      let result = try await weir(["check", "--summary", "m"], in: directory).run()
      #expect(result.errorText.contains("weir: WARNING: 1 line could not be verified\n"))
      #expect(result.errorLines.last?.contains("1 could not be verified") == true)
    }
    // A line of a known algorithm is malformed if it is wrong.
    for line in [
      "SHA256 (a) = \(String(repeating: "0", count: 62))", "SM3 (a) = 0000000g",
      "SM3 () = 00000000",
      "BLAKE2b-256 (a) = 00000000", "SM3 a = 00000000", "SM3 (a) 00000000",
    ] {
      try directory.write(good + line + "\n", to: "m")
      let result = try await weir(["check", "--warn", "m"], in: directory).run()
      let said = result.errorText.hasPrefix("weir: m: 2: improperly formatted checksum line\n")
      #expect(result.status == 1 && said, "\(line)")
    }
  }

  @Test("files that are not manifests are reported")
  func trouble() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededGenerator(for: "trouble")
    try directory.write("", to: "empty")
    try directory.write("hello\nworld\n", to: "text")
    try directory.write(random.bytes(300_000) + [10], to: "binary".utf8)
    try directory.write([UInt8](repeating: 0, count: 3_000_000), to: "zeros".utf8)
    try directory.makeFIFO("p")
    try directory.makeDirectory("d")
    for (name, message) in [
      ("empty", "weir: empty: no properly formatted checksum lines found: it is empty"),
      ("text", "weir: text: no properly formatted checksum lines found"),
      ("binary", "weir: binary: no properly formatted checksum lines found"),
      ("zeros", "weir: zeros: no properly formatted checksum lines found"),
      ("p", "weir: p: is not a regular file; to read it, use: weir check - < p"),
      (
        "d",
        "weir: d: is a directory without bagit.txt, and so no bag; to hash it, use weir hash, to "
          + "compare it with another or with a manifest, weir compare"
      ),
      ("none", "weir: none: No such file or directory"),
    ] {
      let result = try await weir(["check", name], in: directory).run()
      #expect(result.output.isEmpty && result.errorText == message + "\n" && !result.wasLate)
    }
  }

  @Test("a manifest whose files are elsewhere ends with the option that finds them")
  func wrongPlace() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("x")
    for number in 0..<20 { try directory.write("\(number)", to: "x/\(number)") }
    // The names are those of one level higher.
    let sums = try await weir("hash", "x", in: directory).run().output
    try directory.write(sums, to: "M".utf8)
    let wrong = try await weir("check", "-C", "x", "M", in: directory).run()
    #expect(wrong.status == 1 && wrong.output.isEmpty && wrong.errorLines.count == 2)
    #expect(
      wrong.errorLines.last == "weir: none of the listed files exists in x; with -C . most do")
    // One file that is found is enough.
    try directory.makeDirectory("x/x")
    try directory.write("19", to: "x/x/19")
    let found = try await weir("check", "-C", "x", "M", in: directory).run()
    #expect(!found.errorText.contains("most do"))
    let silent = try await weir("check", "--status", "-C", "x", "M", in: directory).run()
    #expect(!silent.errorText.contains("most do"))
    // A ledger has the directory of its run.
    let elsewhere = try TemporaryDirectory()
    let tree = String(decoding: directory.path("x"), as: UTF8.self)
    _ = try await weir("hash", "-o", "L", "-C", tree, ".", in: elsewhere).run()
    for name in ["L", "L.mtree"] {
      let lost = try await weir("check", name, in: elsewhere).run()
      #expect(lost.errorLines.last?.hasSuffix(" exists here; with -C \(tree) most do") == true)
    }
  }

  @Test("names of descriptors in a manifest are the descriptors open at the start")
  func descriptors() async throws {
    let directory = try TemporaryDirectory()
    for name in ["/dev/stdin", "/dev/fd/0", "/dev/fd/7", "-"] {
      let number = name.hasSuffix("7") ? 7 : 0
      let result = try await shell(
        "printf hi | \"$0\" hash \(name) \(number)<&0 > m && printf hi | \"$0\" check m \(number)<&0",
        in: directory
      ).run()
      result.expectSilence()
      #expect(result.outputText == "\(name): OK\n")
      // Not that of the manifest, whose rest would be verified.
      let own = try await shell(
        "\"$0\" check /dev/fd/\(number) \(number)< m", in: directory
      ).run()
      #expect(own.status == 1 && own.output.isEmpty)
    }
    // Nor one that the program opened itself.
    let zeros = String(repeating: "0", count: 64)
    let lines = (3..<30).map { "\(zeros)  /dev/fd/\($0)\n" }
    try directory.write(lines.joined(), to: "m")
    let closed = (3..<30).map { "\($0)<&-" }.joined(separator: " ")
    for manifests in ["m", "/dev/fd/9 m"] {
      let result = try await other(
        "bash", [Array("-c".utf8), Array("\"$0\" check \(manifests) \(closed)".utf8), weirPath],
        in: directory
      ).run()
      #expect(result.status == 3)
      #expect(
        result.outputText
          == (3..<30).map { "/dev/fd/\($0): FAILED open or read\n" }.joined())
      #expect(result.errorLines.allSatisfy { $0.contains("Bad file") || $0.contains("WARNING") })
    }
  }

  @Test("a verdict is written when its line arrives, not at the end of the manifest")
  func slowManifest() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "f")
    var command = weir(["check"], in: directory)
    command.input = .bytes(
      Array("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  f\n".utf8))
    let asked = command
    try await onThread {
      let child = try Child(asked, holdsInput: true)
      #expect(child.collect(limit: 20) { output, _ in output == Array("f: OK\n".utf8) })
      #expect(try child.finish(limit: 20).status == 0)
    }
  }

  @Test("one read decides 32 consecutive lines with one name, and any one digit")
  func manyLines() async throws {
    let result = try await scripted(
      #"""
      A=md5,sha1,sha224,sha256,sha384,sha512,sha512-256,sha3-256,sha3-512,sm3,blake2b,blake3
      A=$A,xxh64,xxh3,xxh128
      for n in a b; do head -c 300000 /dev/urandom >$n; $0 hash --tag -a $A $n >$n.m; done
      cat a.m a.m a.m b.m b.m | sed '3s/= ......../= 00000000/' | $0 check --summary --quiet 2>&1
      printf x >f; $0 hash --tag -a $A f | awk '{
        for (i = index($0, "= ") + 2; i <= length($0); i++)
          print substr($0, 1, i - 1) (substr($0, i, 1) == "0") substr($0, i + 1)
        print }' | $0 check 2>/dev/null | sort | uniq -c
      """#)
    let lines = result.outputText.split(separator: "\n")
    #expect(
      lines.first == "a: FAILED" && lines.suffix(2) == ["    992 f: FAILED", "     15 f: OK"])
    #expect(result.outputText.contains("75 lines: 74 right, 1 did not match; 900.0 kB in "))
  }

  @Test(
    "untagged digests of another algorithm of the same length are recognized",
    arguments: [("xxh128", "md5"), ("blake2b", "sha512")])
  func otherAlgorithm(algorithm: String, taken: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    let made = try await weir("hash", "-a", algorithm, "a", in: directory).run()
    try directory.write(made.output, to: "M".utf8)
    let result = try await weir("check", "M", in: directory).run()
    #expect(result.status == 1)
    #expect(
      result.errorLines.last
        == "weir: M: no line matched as \(taken); if the digests are of \(algorithm), "
        + "use -a \(algorithm), if of b3sum -l, use -a blake3"
    )
    // With the algorithm given, there is nothing to guess.
    let given = try await weir("check", "-a", taken, "M", in: directory).run()
    #expect(!given.errorText.contains("no line matched"))
  }

  @Test("ten times the lines need no more memory")
  func memory() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write("x", to: name) }
    let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    for (name, count) in [("few", 5000), ("many", 50_000)] {
      try directory.write(
        String(repeating: "\(digest)  a\n\(digest)  b\n", count: count), to: name)
    }
    // Each lane has buffers, and a busy machine gets more lanes.
    let check = { (manifest: String) in weir(["check", "-j2", manifest, "-"], in: directory) }
    var (few, many) = (0, Int.max)
    for _ in 0..<3 {
      few = max(few, try await residentPeak(of: check("few"), lines: 10_000))
      many = min(many, try await residentPeak(of: check("many"), lines: 100_000))
    }
    #expect(few > 0 && many > 0 && many - few < 1536, "\(few) KiB and \(many) KiB")
  }
}
