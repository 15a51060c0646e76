// mtree(5) manifests: written, verified, and exchanged with mtree(8) and bsdtar.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct MtreeManifestTests {
  /// The programs that write such manifests of the tree `t`.
  enum Writer: String, CaseIterable {
    case weir, mtree, bsdtar
  }

  private func manifest(by writer: Writer, in directory: TemporaryDirectory) async throws
    -> [UInt8]?
  {
    let keywords = "type,size,time,link,sha256,md5"
    let command: Command
    switch writer {
    case .weir:
      command = weir("hash", "-asha256,md5", "-C", "t", "--format", "mtree", ".", in: directory)
    case .mtree:
      guard isInstalled("mtree") else { return nil }
      command = other("mtree", words("-c", "-k", keywords, "-p", "t"), in: directory)
    case .bsdtar:
      guard isInstalled("bsdtar") else { return nil }
      command = other(
        "bsdtar",
        words("-cf-", "-C", "t", "--format=mtree", "--options=!all,\(keywords)", "."),
        in: directory)
    }
    let result = try await command.run()
    result.expectSilence()
    return result.output
  }

  /// Makes a tree `t` of files with difficult names, and returns the names.
  private func makeTree(
    _ directory: TemporaryDirectory, _ random: inout SeededGenerator, without bytes: String = ""
  ) throws -> [[UInt8]] {
    let files = try directory.fill("t", files: 200, using: &random) { random in
      while true {
        let name = random.name()
        if !name.contains(where: bytes.utf8.contains) { return name }
      }
    }
    try directory.makeDirectory("t/~empty")
    try directory.link("t/~link", to: "a b\n\\#=\u{E9}/..")
    return files
  }

  // MARK: - Exchange

  @Test(
    "mtree(8) and the reader of bsdtar confirm the manifest",
    .enabled(if: isInstalled("mtree") && isInstalled("bsdtar")))
  func written() async throws {
    var random = SeededGenerator(for: "mtree written")
    let directory = try TemporaryDirectory()
    // mtree(8) takes these for patterns even if they are escaped.
    let files = try makeTree(directory, &random, without: "*?[")
    for sources in [["."], ["./"]] {
      let written = try await weir(
        ["hash", "-C", "t", "--format", "mtree", "-asha256,md5,sha1,sha384,sha512"]
          .map { Array($0.utf8) } + sources.map { Array($0.utf8) }, in: directory
      ).run()
      written.expectSilence()
      try directory.write(written.output, to: "m".utf8)
      let result = try await other("mtree", words("-f", "m", "-p", "t"), in: directory).run()
      let said = result.outputText + result.errorText
      #expect(said.isEmpty, "\(said.prefix(400))")
      #expect(result.status == 0)
    }
    let listed = try await other("bsdtar", words("-tf", "m"), in: directory).run()
    #expect(listed.errorText == "" && listed.status == 0)
    #expect(listed.lines.filter { $0.last != UInt8(ascii: "/") }.count >= files.count)
  }

  @Test(
    "mtree(8) also verifies a tree that is not named .",
    .enabled(if: isInstalled("mtree")))
  func roots() async throws {
    let directory = try TemporaryDirectory()
    for path in ["a", "a/b", "a/b/c", "d"] { try directory.makeDirectory(path) }
    for path in ["a/1", "a/b/2", "a/b/c/3", "d/4"] { try directory.write(path, to: path) }
    for sources in [["a", "d"], ["a/b/c", "a/1", "d/4", "a/b/2"], ["a/", "./d"]] {
      let written = try await weir(
        words("hash", "--format", "mtree") + sources.map { Array($0.utf8) }, in: directory
      ).run()
      written.expectSilence()
      var command = other("mtree", words("-e", "-p", "."), in: directory)
      command.input = .bytes(written.output)
      let result = try await command.run()
      #expect(result.outputText + result.errorText == "" && result.status == 0)
    }
    let absolute = try await weir(
      words("hash", "--format", "mtree") + [directory.path("a")], in: directory
    ).run()
    var command = other("mtree", words("-e", "-p", "/"), in: directory)
    command.input = .bytes(absolute.output)
    let result = try await command.run()
    // mtree(8) also examines the entries beside the tree, which other programs change.
    let own = directory.text.drop { $0 == "/" }
    #expect(!(result.outputText + result.errorText).contains(own), "\(result)")
  }

  @Test("links are listed with their targets, or followed, and verified both ways")
  func links() async throws {
    let directory = try TemporaryDirectory()
    for path in ["t", "t/d"] { try directory.makeDirectory(path) }
    try directory.write("x", to: "t/d/f")
    for (name, target) in [("t/a", "d/f"), ("t/b", "d"), ("t/c", "nowhere")] {
      try directory.link(name, to: target)
    }
    let plain = try await shell(
      "\"$0\" hash --format mtree --summary t > m; \"$0\" check m", in: directory
    ).run()
    #expect(plain.outputText == "t/d/f: OK\n" && plain.status == 0)
    #expect(plain.errorText.hasPrefix("weir: 1 file read, 3 symbolic links listed; "))
    let text = try await other("grep", words("link=", "m"), in: directory).run().outputText
    #expect(
      text == """
        ./t/a type=link link=d/f
        ./t/b type=link link=d
        ./t/c type=link link=nowhere

        """)
    #expect(try await other("rm", words("t/c"), in: directory).run().status == 0)
    let followed = try await shell(
      "\"$0\" hash --format mtree --follow t > m; \"$0\" check m", in: directory
    ).run()
    followed.expectSilence()
    #expect(followed.outputText == "t/a: OK\nt/b/f: OK\nt/d/f: OK\n")
  }

  @Test("files deeper than the longest path are verified too", arguments: [8, 1024])
  func deep(limit: Int) async throws {
    let directory = try TemporaryDirectory()
    let part = String(repeating: "d", count: 100)
    let way = try await directory.makeDeep("t", part, levels: 90, "echo f > f; ln -s f l; mkdir e")
    let made = try await shell(
      "cd t && \"$0\" hash --format mtree . > ../m && cd .. && \"$0\" hash -o O t", in: directory
    ).run()
    made.expectSilence()
    let inside = way.dropFirst("t".count)
    for (arguments, name) in [
      ("-C t m", ".\(inside)"), ("--audit t m", ".\(inside)"), ("O.mtree", way),
    ] {
      let script = "ulimit -n \(limit); exec \"$0\" check \(arguments)"
      let result = try await shell(script, in: directory).run()
      result.expectSilence()
      #expect(result.outputText == "\(name)/f: OK\n")
    }
    // A link with another target, and a directory that was replaced.
    let change =
      "cd t && for i in $(seq 90); do cd -P d*; done; ln -sf e/g l && rm -r e && echo > e"
    (try await shell(change, in: directory).run()).expectSilence()
    let changed = try await weir("check", "O.mtree", in: directory).run()
    #expect(changed.status == 1)
    #expect(
      changed.lines.map { String(decoding: $0, as: UTF8.self) } == [
        "\(way)/e: FAILED (is a regular file)", "\(way)/f: OK",
        "\(way)/l: FAILED (points elsewhere)",
      ])
  }

  // MARK: - Verdicts

  @Test(
    "rot, edited, touched, missing and the others are distinguished", arguments: Writer.allCases)
  func verdicts(writer: Writer) async throws {
    let directory = try TemporaryDirectory()
    for path in ["t", "t/d"] { try directory.makeDirectory(path) }
    let files = ["same", "rot", "edited", "larger", "older", "touched", "gone", "type", "d/x"]
    for name in files { try directory.write("content", to: "t/\(name)") }
    let stamp = "2020-01-01 00:00:01.123456789"
    let touch = { (name: String) in
      try await other("touch", words("-d", stamp, "t/\(name)"), in: directory).run()
    }
    for name in files { _ = try await touch(name) }
    guard let manifest = try await manifest(by: writer, in: directory) else { return }
    try directory.write(manifest, to: "m".utf8)
    for name in ["rot", "edited"] { try directory.write("c0ntent", to: "t/\(name)") }
    _ = try await touch("rot")
    try directory.write("contents", to: "t/larger")
    _ = try await touch("larger")
    let changes = """
      touch -d '2020-01-01 00:00:01.123456788' t/older t/touched && rm -r t/gone t/type t/d &&
      mkdir t/type && printf x > t/d
      """
    (try await shell(changes, in: directory).run()).expectSilence()
    let result = try await weir("check", "-C", "t", "m", in: directory).run()
    let expected = [
      "./d/x: FAILED (missing)", "./d: FAILED (is a regular file)",
      "./edited: FAILED (edited)", "./gone: FAILED (missing)", "./larger: FAILED (edited)",
      "./older: OK (touched)", "./rot: FAILED (rot)", "./same: OK", "./touched: OK (touched)",
      "./type: FAILED (is a directory)",
    ]
    #expect(result.status == 1)
    let lines: [String] = result.outputText.split(separator: "\n").map { String($0) }
    #expect(lines.sorted() == expected)
    #expect(
      Set(result.errorLines) == [
        "weir: ./d/x: No such file or directory",
        "weir: ./gone: No such file or directory",
        "weir: WARNING: 2 listed files are missing",
        "weir: WARNING: 2 listed names did NOT match in type or target",
        "weir: WARNING: 2 listed files were edited", "weir: WARNING: 1 listed file has ROT",
      ])
    let quiet = try await weir("check", "--quiet", "-C", "t", "m", in: directory).run()
    let quietLines: [String] = quiet.outputText.split(separator: "\n").map { String($0) }
    let differing: [String] = expected.filter { !$0.contains("OK") }
    #expect(quietLines.sorted() == differing)
    try await json(directory)
  }

  @Test(
    "a file whose content does not have its size is verified by its content",
    arguments: [["/proc/version"], ["/proc/version", "-asha256,md5"], ["/sys/class/net/lo/mtu"]])
  func unsized(arguments: [String]) async throws {
    let path = arguments[0]
    guard access(path, R_OK) == 0 else { return print("skipped: there is no \(path)") }
    let directory = try TemporaryDirectory()
    let hashed = try await weir(
      (["hash", "--format", "mtree"] + arguments).map { Array($0.utf8) }, in: directory
    ).run()
    hashed.expectSilence()
    try directory.write(hashed.output, to: "m".utf8)
    let same = try await weir("check", "m", in: directory).run()
    same.expectSilence()
    #expect(same.outputText == "\(path): OK\n")
    // Other content of the recorded length, and of another length.
    let edits = [
      "s/sha256=[0-9a-f]*/sha256=\(String(repeating: "0", count: 64))/": "FAILED",
      "s/size=[0-9]*/size=3/": "FAILED (edited)", "s/size=[0-9]*/size=99999/": "FAILED (edited)",
    ]
    for (edit, verdict) in edits {
      let other = try await shell(
        "sed \"$1\" m > n && exec \"$0\" check n", edit, in: directory
      ).run()
      #expect(other.status == 1 && other.outputText == "\(path): \(verdict)\n", "\(edit)")
    }
  }

  /// The same as JSON.
  private func json(_ directory: TemporaryDirectory) async throws {
    let schema = try Schema(of: "check")
    let result = try await weir(
      "check", "--format", "json", "--summary", "-C", "t", "m", in: directory
    ).run()
    let objects = try schema.objects(result.output)
    let statuses = objects.compactMap { $0["status"] as? String }.sorted()
    #expect(
      statuses == [
        "edited", "edited", "failed", "failed", "missing", "missing", "ok", "rot",
        "touched", "touched",
      ])
    for sums in objects.suffix(2) {
      let counts = ["ok", "touched", "failed", "edited", "rot", "missing", "others"].map {
        sums[$0] as? Int
      }
      #expect(counts == [3, 2, 5, 2, 1, 2, 1])
    }
    let last = try #require(result.errorLines.last)
    #expect(
      last.hasPrefix(
        """
        weir: 11 lines: 3 right (2 with another time), 1 directory or link, 2 something else, \
        2 edited, 1 rotten, 2 missing; 
        """))
  }

  @Test(
    "only the keywords of an entry are verified",
    arguments: [
      ("./f type=file", "./f: OK\n", 0), ("./f type=dir", "./f: FAILED (is a regular file)\n", 1),
      ("./f type=file size=1", "./f: OK\n", 0), ("./f size=2", "./f: FAILED (edited)\n", 1),
      ("./f size=1 time=5.000000006", "./f: OK\n", 0), ("./f time=5.6", "./f: OK\n", 0),
      ("./f size=1 time=5.0", "./f: FAILED (edited)\n", 1),
      ("./e size=0 time=5.0", "./e: OK (touched)\n", 0),
      ("./f md5=9dd4e461268c8034f5c8564e155c67a6", "./f: OK\n", 0),
      ("./f md5=00d4e461268c8034f5c8564e155c67a6", "./f: FAILED\n", 1),
      ("./f time=5.6 md5digest=00d4e461268c8034f5c8564e155c67a6", "./f: FAILED (rot)\n", 1),
      ("./f type=file rmd160=00", "", 3), ("./f type=file cksum=1 size=1 xxh64=zz", "", 1),
      ("./gone type=file optional", "", 0), ("./gone type=dir optional", "", 0),
      ("./gone type=file ignore", "", 0), ("./d type=dir size=1 time=1.0 mode=0", "", 0),
      ("./l type=link", "", 0), ("./l type=link link=f", "", 0),
      ("./l type=link link=e", "./l: FAILED (points elsewhere)\n", 1),
      ("./l type=file size=1", "./l: OK\n", 0), ("./p type=fifo", "", 0),
      ("./p type=file", "./p: FAILED (is a FIFO)\n", 1),
      ("./f/x type=file", "./f/x: FAILED (missing)\n", 1),
      ("./f type=file ./g", "", 1), ("/set type=file\n./f", "./f: OK\n", 0),
      ("/set md5=9dd4e461268c8034f5c8564e155c67a6\n./f type=file", "./f: OK\n", 1),
    ])
  func entries(lines: String, output: String, status: Int) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "f")
    try directory.write("", to: "e")
    try directory.makeDirectory("d")
    try directory.makeFIFO("p")
    try directory.link("l", to: "f")
    try directory.write("#mtree\n. type=dir\n\(lines)\n", to: "m")
    let touch = words("-h", "-d", "1970-01-01 00:00:05.000000006 UTC", "f", "e")
    #expect(try await other("touch", touch, in: directory).run().status == 0)
    let result = try await weir("check", "m", in: directory).run()
    #expect(result.outputText == output && result.status == Int32(status))
  }

  // MARK: - Manifests and lines

  @Test(
    "a manifest is recognized by its beginning",
    arguments: [
      ("#mtree\n./f\n", true), ("#mtree v2.0 whatever\n\n./f\n", true),
      ("/set type=file\nf\n", true),
      ("#\t user: x\n\n# .\n/set type=file nlink=1\n.  type=dir\nf\n", true),
      ("\n. type=dir mode=0755 \\\n  uid=0\n./f\n", true), ("\u{FEFF}./f mode=0644\n", true),
      ("f optional\n", false), ("#mtreelike\nf\n", false), ("f\n", false), ("# mtree\nf\n", false),
      ("./f a=b\n", false), ("f mode=0644\n", false),
      ("9dd4e461268c8034f5c8564e155c67a6  type=file\n", false),
      ("\\9dd4e461268c8034f5c8564e155c67a6  type=file\n", false),
      ("deadbeefdeadbeeff type=file size=1\n", false),
      ("./9dd4e461268c8034f5c8564e155c67af type=file size=1\n", true),
    ])
  func recognized(text: String, isMtree: Bool) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "f")
    try directory.write("x", to: "type=file")
    try directory.write("x", to: "deadbeefdeadbeeff")
    try directory.write("x", to: "9dd4e461268c8034f5c8564e155c67af")
    try directory.write(text, to: "m")
    let result = try await weir("check", "m", in: directory).run()
    if text.contains("  type=file") {
      #expect(result.outputText == "type=file: OK\n" && result.status == 0)
    } else if isMtree {
      #expect(result.outputText.hasSuffix("f: OK\n") && result.status == 0)
      let warning = "weir: WARNING: 1 listed file has no digest: the content was NOT verified"
      #expect(result.errorLines == [warning])
    } else {
      #expect(
        result.errorText == "weir: m: no properly formatted checksum lines found\n"
          && result.status == 1)
    }
  }

  @Test("each manifest is recognized separately")
  func mixture() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "b"] { try directory.write(name, to: name) }
    let script = """
      "$0" hash a > 1; "$0" hash --format mtree b > 2; "$0" hash -z b > 0
      "$0" check 1 2 1 2 - < 2; "$0" check -z 0; "$0" check -z 2
      """
    let result = try await shell(script, in: directory).run()
    #expect(result.outputText == "a: OK\nb: OK\na: OK\nb: OK\nb: OK\nb: OK\n")
    #expect(
      result.errorText == "weir: 2: no properly formatted checksum lines found\n")
  }

  @Test("malformed lines are counted, and reported with their numbers")
  func malformed() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "f")
    try directory.write("#mtree\n./f type=\n./f\n./f md5=0 \\\n size=1\n./f size=1\\\n", to: "m")
    let result = try await weir("check", "-w", "m", in: directory).run()
    #expect(result.outputText == "./f: OK\n" && result.status == 1)
    #expect(
      result.errorLines == [
        "weir: m: 2: improperly formatted checksum line",
        "weir: m: 4: improperly formatted checksum line",
        "weir: m: 6: improperly formatted checksum line",
        "weir: WARNING: 3 lines are improperly formatted",
        "weir: WARNING: 1 listed file has no digest: the content was NOT verified",
      ])
  }

  @Test(
    "incompatible options are reported",
    arguments: [
      (["hash", "--format", "mtree", "--tag"], "--tag applies to --format text"),
      (["hash", "--format", "mtree", "-z"], "--zero does not apply to --format mtree"),
      (["check", "--format", "mtree"], "--format takes text or json, not mtree"),
    ])
  func usage(arguments: [String], message: String) async throws {
    let directory = try TemporaryDirectory()
    let result = try await weir(arguments.map { Array($0.utf8) }, in: directory).run()
    #expect(result.status == 2 && result.errorText.contains(message))
  }
}
