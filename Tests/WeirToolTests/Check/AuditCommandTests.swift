// weir check --audit: the kinds of files, exit statuses, and moved files.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: hasOracle), .serialized, .timeLimit(.minutes(10)))
struct AuditCommandTests {
  /// A block and another one with its MD5, by Wang and Yu. Six bits differ.
  private static let block = """
    0THdAsXm7sRpPZoGmK/5XC/KtYcSRn6rQARYPrj7f4lVrTQGCfSzAoPkiIMlcUFaCFEl6PfNyZ/ZHb3ygDc8W9iCPjFWNI9b\
    rm2s1DbJGcbdU+K0h9oD/QI5YwbSSM2g6Z8zQg9XfujOVLZwgKgNHsaYIby2qIOTlvllK2/3KnA=
    """

  @Test("the exit status is the lowest that applies")
  func status() async throws {
    let directory = try TemporaryDirectory()
    for (what, options, status, output) in [
      (":", [], 0, "a: OK\nb: OK\n"),
      ("echo > t/c", [], 4, "a: OK\nb: OK\nc: new\n"),
      ("mv t/a t/c", ["--quiet"], 4, "a: moved to c\n"),
      ("mv t/a t/c; cp t/c t/d", ["--quiet"], 4, "d: new\na: moved to c\n"),
      ("mv t/a t/c; echo > t/d", ["--status"], 4, ""),
      ("rm t/a", ["--quiet"], 1, "a: FAILED open or read\n"),
      ("rm t/a", ["--quiet", "--ignore-missing"], 0, ""),
      ("rm t/a; echo > t/c", ["--quiet", "--ignore-missing"], 4, "c: new\n"),
      ("echo > t/b; mv t/a t/c", ["--quiet"], 1, "b: FAILED\na: moved to c\n"),
      ("rm t/a; mkdir t/a; echo > t/c", ["--quiet"], 3, "a: FAILED open or read\nc: new\n"),
      ("ln -s l t/l", ["--quiet", "--follow"], 3, "l: new\n"),
      ("ln -s l t/l", ["--quiet"], 0, ""), ("mkfifo t/p", ["--quiet"], 0, ""),
      ("echo > t/c", ["--quiet", "--exclude", "c"], 0, ""),
      ("mkdir t/d; echo > t/d/c", ["--quiet", "--max-depth", "1"], 0, ""),
      (": > M", [], 1, ""), ("echo junk >> M", ["--strict", "--quiet"], 1, ""),
      ("echo 'TIGER (a) = 00000000' >> M", ["--quiet"], 3, ""),
    ] as [(String, [String], Int32, String)] {
      let made = try await shell(
        """
        rm -rf t M; mkdir t; echo a > t/a; echo b > t/b
        (cd t && sha256sum a b) > M; \(what)
        """, in: directory
      ).run()
      made.expectSilence()
      let result = try await weir(["check", "--audit", "t", "M"] + options, in: directory)
        .run()
      #expect(
        result.status == status && !result.wasLate,
        "\(what) \(options) \(result.status): \(result.errorText)")
      #expect(result.outputText == output, "\(what) \(options)")
      if status == 0 && !what.contains("mkfifo") { #expect(result.errorText.isEmpty, "\(what)") }
    }
  }

  @Test(
    "lines have their order, new files that of the walk, what was not found that of names",
    arguments: [1, 4])
  func order(jobs: Int) async throws {
    let result = try await scripted(
      #"""
      mkdir -p t/d t/e; f() { printf %s "$1" >t/$2; }
      f one a; f other b; f one e/k; f '' e/new; f '' e/void; f fresh f; mkfifo t/g
      for n in w x y z; do f two d/$n; done; l() { printf %s "$1" | md5sum | sed "s,-,$2,"; }
      (l one a; l two gone/y; echo nonsense; l one ./b; l '' gone/void; l two gone/q
        l '' gone/void2; l one gone) >M; $0 check -j$1 --audit t M
      """#, "\(jobs)")
    #expect(
      result.outputText == """
        a: OK
        ./b: FAILED
        d/x: new
        d/z: new
        e/new: new
        f: new
        gone: moved to e/k
        gone/q: moved to d/w
        gone/void: moved to e/void
        gone/void2: FAILED open or read
        gone/y: moved to d/y

        """)
  }

  @Test("entries of mtree(5) that are ignored or unsupported are not new")
  func ignored() async throws {
    let result = try await scripted(
      #"""
      mkdir -p t/i/j; for n in a b i/x i/j/y ix; do printf x >t/$n; done
      { echo '#mtree'; for entry in './a type=file size=1' './b type=file rmd160=00' \
        './i type=dir ignore' './none type=dir' \
        "./gone type=file size=1 md5=$(md5sum <t/a | cut -c-32)"; do echo "$entry"; done; } >M
      $0 check --audit t M
      """#)
    let expected = "./a: OK\n./gone: moved to ./ix\n./none: FAILED (missing)\n"
    #expect(result.outputText == expected, "\(result.errorText)")
  }

  @Test("its JSON matches the schema, and has every kind")
  func json() async throws {
    let result = try await scripted(
      """
      mkdir t t/d; for n in a b c d/e; do echo $n > t/$n; done
      (cd t && sha256sum a b c d/e) > M
      mv t/a "t/a
      $(printf '\\377')"; rm t/b; echo > t/c; echo > t/n; ln -s l t/l; mkfifo t/p
      "$0" check --format json --audit t --follow M
      """)
    let schema = try Schema(of: "check")
    let objects = try schema.objects(result.output)
    #expect(
      objects.compactMap { $0["type"] as? String } == [
        "file", "file", "new", "new", "skipped", "moved", "file", "manifest", "summary",
      ])
    #expect(objects[2]["message"] as? String == "Too many levels of symbolic links")
    let to = try #require(objects[5]["to"] as? [String: String])
    #expect(Data(base64Encoded: to["bytes"] ?? "") == Data([0x61, 0x0A, 0xFF]))
    let summary = try #require(objects.last)
    let counts = ["ok", "failed", "missing", "moved", "new", "unreadable"]
    #expect(counts.map { summary[$0] as? Int } == [1, 1, 1, 1, 2, 1])
    #expect(result.status == 1)
  }

  @Test("manifests, the files beside them and the output are not new")
  func notNew() async throws {
    let directory = try TemporaryDirectory()
    let made = try await shell(
      """
      mkdir t t/s; echo a > t/a; (cd t && sha256sum a) > t/M; cp t/M t/s/M2
      touch t/M.mtree t/M.old t/M.partial.next t/s/M2.mtree; echo > t/M2.mtree
      """, in: directory
    ).run()
    made.expectSilence()
    let script = """
      "$0" check --audit t --trace t/trace t/M t/s/M2 > t/out 2> t/err; s=$?; cat t/out t/err; exit $s
      """
    let result = try await shell(script, in: directory).run()
    #expect(result.status == 4)
    let warning = "weir: WARNING: 1 file is not listed\n"
    let unused = ["t/M", "t/s/M2"].map { name in
      "weir: \(name).mtree: cannot be read or has no records of \(name), and is therefore not used: "
        + "rot cannot be told from an edit\n"
    }
    #expect(
      result.outputText == "a: OK\na: OK\nM2.mtree: new\n\(unused.joined())\(warning)")
    // The manifest may also be standard input. The other files exist by now.
    let input = try await shell(
      "cd t && rm -r s *.mtree *.old *.next trace err && \"$0\" check --audit . < M > out; cat out",
      in: directory
    ).run()
    #expect(input.outputText == "a: OK\n" && input.errorText.isEmpty)
  }

  @Test(
    "different names of one file are one file, and new names are written alike",
    arguments: [
      ("a d/b", "--audit t", "n"), ("./a .//d/./b", "--audit t", "./n"),
      ("$PWD/t/a $PWD/t//d/b", "--audit t", "$PWD/t/n"),
      ("$PWD/t/a d/b", "--audit $PWD/t", "$PWD/t/n"),
      ("$PWD/l/a $PWD/l/d/b", "--audit l", "$PWD/l/n"),
      ("$PWD/l/a $PWD/l/d/b", "--audit $PWD/l", "$PWD/l/n"),
      ("$PWD/l/a $PWD/t/d/b", "--audit ./l/", "$PWD/l/n"), ("t/a t/d/b", "--audit t -C .", "t/n"),
      ("t/a ./t/d/b", "--audit ./t// -C $PWD", "t/n"), ("t/a t/d/b", "--audit $PWD/t -C .", "t/n"),
      ("../t/a ../t/d/b", "--audit ../t -C t", "../t/n"),
      ("$PWD/t/a $PWD/t/d/b", "--audit t -C .", "$PWD/t/n"),
    ])
  func names(listed: String, options: String, new: String) async throws {
    let result = try await scripted(
      """
      mkdir t t/d; echo x > t/a; cp t/a t/d/b; ln -s t l; : > t/n
      for name in \(listed); do echo "$(sha256sum < t/a | cut -c1-64)  $name"; done > M
      "$0" check --quiet \(options) M; echo $? \(new)
      """)
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.count == 2, "\(result.outputText) \(result.errorText)")
    let name = lines.first?.dropLast(5) ?? ""
    #expect(lines == ["\(name): new", "4 \(name)"] as [Substring], "\(result.outputText)")
  }

  @Test("files below -C but outside DIR are verified, and never new")
  func partOfTree() async throws {
    let result = try await scripted(
      """
      mkdir r r/s r/o; for n in s/a s/b o/a o/b; do echo $n > r/$n; done
      (cd r && sha256sum s/a s/b o/a o/b) > r/M; echo > r/s/n; echo > r/o/n; mv r/o/b r/s/o
      "$0" check -C r --audit s r/M
      """)
    #expect(result.status == 4)
    #expect(result.outputText == "s/a: OK\ns/b: OK\no/a: OK\ns/n: new\no/b: moved to s/o\n")
  }

  @Test("an audit by a manifest without a line finds nothing new")
  func empty() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.write("a", to: "t/a")
    for options in ["", "--format json"] {
      let result = try await shell(
        "\"$0\" hash -C missing . 2>e | \"$0\" check \(options) --audit t", in: directory
      ).run()
      #expect(result.status == 1 && !result.outputText.contains("\"type\":\"new\""))
      #expect(options != "" || result.output.isEmpty)
      #expect(
        result.errorLines.last == "weir: WARNING: unlisted files were not looked for, since no "
          + "manifest lists a file")
    }
  }

  @Test("mistakes with --audit are reported, and leave no files")
  func trouble() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    try directory.makeDirectory("d")
    try directory.write("x", to: "t/a")
    let sums = try await shell("cd t && sha256sum a > ../M", in: directory).run()
    sums.expectSilence()
    for (arguments, message) in [
      ("--follow", "--follow needs --audit DIR: the files of a manifest are fixed"),
      ("--exclude x", "--exclude needs --audit DIR: the files of a manifest are fixed"),
    ] {
      let result = try await shell("\"$0\" check \(arguments) M", in: directory).run()
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errorText == "weir: \(message); see weir check --help\n")
    }
    for (arguments, message) in [
      ("--audit none", "none: No such file or directory"), ("--audit M", "M: Not a directory"),
      ("--audit none -C t", "none: No such file or directory"),
      ("--audit a -C t", "a: Not a directory"), ("--audit ''", "'': No such file or directory"),
    ] {
      let result = try await shell("\"$0\" check \(arguments) M", in: directory).run()
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errorText == "weir: \(message)\n", "\(arguments)")
    }
    let left = try await shell("ls -A", in: directory).run()
    #expect(left.outputText == "M\nd\nt\n")
  }

  @Test("a file with several lines has moved once, and is not missing")
  func severalLines() async throws {
    let script = """
      mkdir t; echo a >t/a; $0 hash -C t -a md5 -a sha256 . >M; mv t/a t/b
      $0 check --audit t --format json M | grep -c '"missing":0,"moved":1,'
      """
    let result = try await scripted(script)
    #expect(result.outputText == "2\n", "\(result.errorText)")
  }

  @Test("a file has moved only if it has all digests and the size that its line records")
  func movedEntirely() async throws {
    let directory = try TemporaryDirectory()
    var block = Array(try #require(Data(base64Encoded: Self.block)))
    try directory.write(block, to: "one".utf8)
    for index in [19, 45, 59, 83, 109, 123] { block[index] ^= 0x80 }
    try directory.write(block, to: "other".utf8)
    let result = try await shell(
      """
      mkdir t; mv one t/a; echo 1 > t/b; echo 1 > t/c
      for f in mtree text; do "$0" hash --format $f -a md5,sha256 -C t . > $f; done
      sed '/b /s/size=2/size=3/' mtree > size; mkdir u
      mv t/b u/d; mv t/c u/e; mv other u/f; md5sum t/a u/f | cut -c 1-32 | uniq | grep -c .
      grep ./b text > B; grep ./c mtree > C
      for m in mtree text size "B C"; do "$0" check --audit u $m; done
      """, in: directory
    ).run()
    let moves = "./b: moved to ./d\n./c: moved to ./e\n"
    let missing = "./a: FAILED open or read\n"
    #expect(
      result.outputText == """
        1
        ./f: new
        ./a: FAILED (missing)
        \(moves)./f: new
        \(missing)\(missing)\(moves)./e: new
        ./f: new
        ./a: FAILED (missing)
        ./b: FAILED (missing)
        ./c: moved to ./d
        ./f: new
        \(moves)
        """)
  }
}
