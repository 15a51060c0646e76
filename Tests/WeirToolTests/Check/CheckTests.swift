// weir check, compared with sha256sum -c and with the output of other tools.

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
