// weir hash --update with manifests of other programs, unreadable files and excluded files.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct UpdateOldManifestTests {
  /// Makes files whose order in a walk is not that of the shell.
  private func fill(_ directory: TemporaryDirectory) async throws {
    let made = try await shell(
      """
      mkdir -p p/a p/b && for i in a.x a/1 a/2 b/1 b-2 b/3 z 'c d'; do echo "$i" > "p/$i"; done && \
      find p -type f -exec touch -d @1600000000 {} +
      """, in: directory
    ).run()
    try #require(made.status == 0)
  }

  /// Returns the lines of an update after a shell script, in which `$0` is weir.
  private func said(
    _ script: String, status: Int32 = 0, in directory: TemporaryDirectory
  ) async throws -> (output: [String], errors: [String]) {
    let result = try await shell(script, in: directory).run()
    #expect(result.status == status, "\(script): \(result.errorText)")
    return (result.outputText.split(separator: "\n").map(String.init), result.errorLines)
  }

  @Test(
    "an update compares with the lines of any checksum tool, in any order",
    arguments: [
      ("find p -type f -print0 | sort -rz | xargs -0 sha256sum > M", "p"),
      ("find ./p -type f -exec md5sum {} + > M", "-a sha256 p"),
      (
        "find p -type f -exec sha1sum {} + > M; find p -type f -exec sha256sum {} + >> M",
        "-a sha256 p"
      ),
      ("$0 hash -a sha256,md5 p > M", "-a sha256 p"),
      ("$0 hash -z p > M", "-z p"),
      ("find p -type f -exec b2sum {} + > M", "-a blake2b ./p/"),
      ("find p -type f -exec b3sum {} + > M", "-a blake3 ./p/"),
      ("find p -type f > l; $0 hash --files-from l > M", "--files-from l"),
      (
        "find p -type f | sort -r | xargs -d '\\n' sha256sum > M",
        "p/z p/a p/b p/a.x p/b-2 'p/c d' p/n"
      ),
    ])
  func text(make: String, paths: String) async throws {
    let directory = try TemporaryDirectory()
    try await fill(directory)
    let list = paths.contains("l") && paths.hasPrefix("--") ? "; echo p/n >> l" : ""
    let before = paths.hasPrefix("./") || paths.contains(" ./") ? "./p" : "p"
    let (output, errors) = try await said(
      """
      \(make)\(list); touch -r p/z r && echo Z > p/z && touch -r r p/z && rm p/b/3 && \
      echo n > p/n && $0 hash -o M --update \(paths)
      """,
      status: 1, in: directory)
    let expected = ["z: edited", "n: new", "b/3: gone"].map { "\(before)/\($0)" }
    #expect(Set(output.dropLast()) == Set(expected) && output.count == 4)
    #expect(output.last == "0 files not read, 8 read, 1 replaced, 1 new, 1 gone")
    let warning = "1 file has another digest, and without a ledger rot is not told from an edit"
    if list.isEmpty { #expect(errors == ["weir: M: \(warning)"]) }
  }

  @Test(
    "an update compares with a manifest of mtree(8)",
    .enabled(if: isInstalled("mtree")), arguments: ["sha256", "sha256,size,time", "md5,type"])
  func mtree(keywords: String) async throws {
    let directory = try TemporaryDirectory()
    try await fill(directory)
    let (output, errors) = try await said(
      """
      mtree -c -k \(keywords) > ../$$ ; mv ../$$ M; echo other > p/z; rm p/b/3; \
      $0 hash -o M -a sha256 --format mtree --update p
      """, status: 1, in: directory)
    #expect(errors.isEmpty)
    let last =
      keywords.contains("time")
      ? "6 files not read, 1 read, 1 replaced, 0 new, 1 gone"
      : "0 files not read, 7 read, 1 replaced, 0 new, 1 gone"
    #expect(Set(output) == ["p/z: edited", "p/b/3: gone", last] && output.last == last)
  }

  @Test(
    "lines of another algorithm are not replaced, unless --accept-rot is given",
    arguments: [
      ("-a blake3 --plain", "", "sha256"), ("-a blake2b", "-a sha512", "sha512"),
      ("-a blake2b", "-a sha256", "sha512"), ("-a xxh128", "-a md5", "md5"),
    ])
  func otherDigests(lines: String, options: String, assumed: String) async throws {
    let directory = try TemporaryDirectory()
    let (output, errors) = try await said(
      """
      mkdir t; echo a >t/a; echo b >t/b; $0 hash \(lines) t >M; cp M N; update="hash -o M --update t"
      $0 $update \(options); echo $?; echo n >t/c; $0 $update \(options); echo $?; cmp M N; ls M*
      $0 $update \(lines); echo $?; rm M.mtree; cp N M; $0 $update \(options) --accept-rot
      """, in: directory)
    #expect(
      output == [
        "2", "2", "M", "t/c: new", "0 files not read, 3 read, 0 replaced, 1 new, 0 gone", "0",
        "t/a: edited", "t/b: edited", "t/c: new",
        "0 files not read, 3 read, 2 replaced, 1 new, 0 gone",
      ])
    let error =
      "weir: M: is left unchanged, since no file has its digest by \(assumed); name the "
      + "algorithm with -a, or add --accept-rot to replace all digests"
    #expect(errors == [error, error])
  }

  @Test("a manifest with lines that cannot be compared is left unchanged, without --accept-rot")
  func useless() async throws {
    let directory = try TemporaryDirectory()
    try await fill(directory)
    let first = try await said("$0 hash -o M --update p", in: directory)
    #expect(first.errors == ["weir: M: 8 files are recorded for the first time"])
    let ending = "be compared; mend them, or add --accept-rot to replace them"
    for (made, reason) in [
      ("sha256sum p/z; echo nonsense", "1 line cannot"),
      ("printf './p/z type=file size=1\\n'", "no line can"),
    ] {
      let result = try await said(
        """
        rm -f M*; { \(made); } > M; cp M M0; $0 hash -o M --update p; echo $?; cmp M M0
        $0 hash -o M --update --accept-rot p > lines; echo $?
        """, in: directory)
      #expect(
        result.errors.first == "weir: M: is left unchanged, since \(reason) \(ending)", "\(made)")
      #expect(result.output == ["2", "0"], "\(made)")
    }
  }

  @Test("a file that is no manifest is left unchanged by --accept-rot too")
  func noManifest() async throws {
    let directory = try TemporaryDirectory()
    try await fill(directory)
    for made in ["echo a letter", "$0 hash --format json p", "head -c 99 /dev/urandom"] {
      let result = try await said(
        """
        rm -f M*; { \(made); } > M; cp M M0; $0 hash -o M --update p; echo $?
        $0 hash -o M --update --accept-rot p; echo $?; cmp M M0; ls M*
        """, in: directory)
      let error =
        "weir: M: is not a manifest and is left unchanged; choose another name, or remove it"
      #expect(result.errors == [error, error], "\(made)")
      #expect(result.output == ["2", "2", "M", "M0"], "\(made)")
    }
  }

  @Test("two digests of a file that differ, and appended records, leave the manifest unchanged")
  func contradictions() async throws {
    let directory = try TemporaryDirectory()
    try await fill(directory)
    let both = "$0 hash p > new; echo x >> p/z; $0 hash p > old"
    for (made, reason) in [
      (
        "\(both); cat new old",
        "has two digests of p/z that differ; see weir check, and remove the wrong line"
      ),
      ("$0 hash p > new; cat new new", ""),
      (
        "$0 hash --format mtree p > new; cat new new",
        "was cut, or has a line that cannot be read; restore it, or remove it"
      ),
    ] {
      let result = try await said(
        "rm -f M*; (\(made)) > M; cp M M0; $0 hash -o M --update p > lines; echo $?; cmp M M0 >cmp 2>&1; true",
        in: directory)
      #expect(result.errors == (reason.isEmpty ? [] : ["weir: M: \(reason)"]), "\(made)")
      #expect(result.output == [reason.isEmpty ? "0" : "2"], "\(made)")
    }
  }

  @Test(
    "a file that cannot be examined keeps its record, and rot in it stays known",
    .enabled(if: getuid() != 0 || isInstalled("setpriv")),
    arguments: [
      ("--files-from l", "--files-from l"), ("--files-from l", "--files-from m"),
      ("--follow t v", "--follow t v"), ("t u/x", "./t .//u/x"), ("t u", "t u/x"),
    ], [("chmod 0 u", "chmod 755 u"), ("mv u w; ln -s u u", "rm u; mv w u")])
  func unexamined(
    paths: (before: String, now: String), change: (begin: String, end: String)
  ) async throws {
    let directory = try TemporaryDirectory()
    let (output, errors) = try await said(
      """
      \(ordinary); mkdir t u v; for i in 1 2 3 4; do echo $i >t/$i; done; echo good >u/x
      ln -s ../u/x v/l; ls -d t/* u/* >l; sed "s,^,$PWD/," l >m
      update() { ordinary $0 hash -a sha256,md5 -o M --update "$@"; echo $?; }
      $0 hash -o M \(paths.before); touch -r u/x r; echo BAD! >u/x; touch -r r u/x
      update \(paths.before) >log; tail -1 log; \(change.begin)
      update \(paths.now) | sed 's/.*rot since .*/rot/'
      \(change.end); update \(paths.now) >log; grep -c 'rot since' log; tail -1 log
      """, in: directory)
    #expect(
      output == [
        "1", "rot", "4 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1 rotten, 1 kept", "1",
        "1", "1",
      ])
    #expect(errors.count == 2, "\(errors)")
  }
}
