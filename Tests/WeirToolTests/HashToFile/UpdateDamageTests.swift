// weir hash --update with a manifest or records that were damaged or edited.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct UpdateDamageTests {
  /// A change of the manifest M or its records, as a shell command, and the first line that differs.
  static let damages = [
    // Records that a copy has cut, in a line and between two.
    ("head -c -20 M.mtree >x; mv x M.mtree", 4),
    ("sed -i '$d' M.mtree", 4),
    // Zeros, as a file system may leave them.
    ("sed -i 's,^./t/c .*,\\x00\\x00\\x00,' M.mtree", 3),
    ("sed -i '/^.\\/t\\/b /s/ size=1/ size=x/' M.mtree", 2),
    ("sed -i 's,sha256=.,sha256=x,' M.mtree", 1),
    // A manifest that was edited.
    ("sed -i 2d M", 2),
    ("sed -i '$d' M", 4),
    ("sed -i '3s/^../ff/' M", 3),
    ("printf 'no line\\n' >>M", 5),
    ("sed -n 2p M >>M", 5),
    ("tac M >x; mv x M", 1),
  ]

  @Test("nothing is updated, and the message names the line", arguments: damages)
  func refused(damage: (command: String, line: Int)) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in ["a", "b", "c", "d"] { try directory.write(name, to: "t/\(name)") }
    try await shell(
      "$0 hash -o M t && cp M M0 && cp M.mtree R0 && \(damage.command)", in: directory
    ).run().expectSilence()
    let before = ["M", "M.mtree"].map { directory.content($0) }
    // Records that are read in the order of the walk, and records that are sorted.
    for spelling in ["t", "./t"] {
      let outcome = try await weir("hash", "-o", "M", "--update", spelling, in: directory).run()
      #expect(outcome.status == 2 && outcome.outputText.isEmpty)
      #expect(
        outcome.errorLines == [
          "weir: M: line \(damage.line) and what follows differ from M.mtree; one of the two is "
            + "damaged or was edited: weir check both, remove the wrong one, and --update uses the "
            + "other"
        ])
    }
    let isUnchanged = ["M", "M.mtree"].map { directory.content($0) } == before
    #expect(isUnchanged)
    #expect(directory.names(beginningWith: "M.p") == [])
    // The way out: without the damaged one, the other has all files.
    for (wrong, right, saved) in [("M", "M.mtree", "R0"), ("M.mtree", "M", "M0")] {
      try await shell("cp \(saved) \(right); rm \(wrong)", in: directory).run().expectSilence()
      let again = try await weir("hash", "-o", "M", "--update", "t", in: directory).run()
      #expect(again.status == 0 && again.outputText.contains(" 0 replaced, 0 new, 0 gone"))
      let isSame = directory.content("M") == directory.content("M0")
      #expect(isSame)
    }
  }

  @Test(
    "records that were emptied, zeroed or cut at their beginning are refused",
    arguments: [
      "truncate -s 0 M.mtree", "head -c $(stat -c %s M.mtree) /dev/zero >M.mtree",
      "truncate -s 1 M.mtree", "truncate -s 5 M.mtree", "truncate -s 17 M.mtree",
    ], ["text", "mtree"])
  func emptied(damage: String, format: String) async throws {
    let outcome = try await scripted(
      """
      mkdir t; echo a >t/a; $0 hash -o M t; \(damage); mkdir o; cp M* o
      $0 hash -o M --format \(format) --update t; s=$?
      for f in o/*; do cmp $f ${f#o/}; done; exit $s
      """)
    #expect(outcome.status == 2 && outcome.outputText.isEmpty)
    #expect(outcome.errorLines.count == 1 && outcome.errorText.contains("; "))
    #expect(outcome.errorText.contains("M.mtree"), "\(outcome.errorText)")
  }

  @Test(
    "manifests and records of every form agree",
    arguments: [
      "", "-a sha256,md5", "--tag -a md5,blake3,xxh64", "-a blake3 --plain", "-z -a sha512,xxh32",
      "-a blake2b-128,sha3-256,sm3", "-a crc32", "-a blake3-512,blake2b-504",
    ])
  func agrees(options: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in ["a", "new\nline", "back\\slash", "\\t", " b ", "-"] {
      try directory.write(Array("content of \(name)".utf8), to: Array("t/\(name)".utf8))
    }
    try directory.write("", to: "-")
    try await shell("$0 hash \(options) -o M ./- t t/a t ./t//", in: directory).run()
      .expectSilence()
    let same = try await shell(
      "$0 hash \(options) -o M --update ./- t t/a t ./t//", in: directory
    ).run()
    #expect(same.status == 0, "\(same.errorText)")
    #expect(same.outputText == "7 files not read, 0 read, 0 replaced, 0 new, 0 gone\n")
  }
}
