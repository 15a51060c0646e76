// weir compare: verdicts against an oracle, and its limits.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(15)))
struct CompareTests {
  @Test("the verdicts on random pairs are those of an oracle", .enabled(if: isInstalled("xxhsum")))
  func oracle() async throws {
    let shared = try TemporaryDirectory()
    let contents = try await ModelContents(in: shared)
    for number in Array(0..<2000).sampled(oneIn: 16, for: "CompareTests.oracle") {
      var random = SeededGenerator(for: "CompareTests.oracle \(number)")
      let pair = ModelPair(&random)
      let directory = try TemporaryDirectory()
      try pair.a.write(to: "A", contents, isZero: pair.isZero, in: directory, &random)
      try pair.b.write(to: "B", contents, isZero: pair.isZero, in: directory, &random)
      let memory = Bool.random(using: &random) ? ["--memory", "8M"] : []
      let result = try await weir(
        ["compare", "A", "B"] + pair.arguments + memory, in: directory
      ).run()
      let expected = pair.expected()
      let what = "\(number): \(pair.a.form) \(pair.b.form) \(pair.arguments)"
      #expect(!result.wasLate && result.status == expected.status, "\(what) \(result.errorText)")
      #expect(
        result.output == expected.output,
        """
        \(what)
        \(String(decoding: result.output, as: UTF8.self))
        expected:
        \(String(decoding: expected.output, as: UTF8.self))
        """)
    }
  }

  @Test("a time in whole seconds equals any time within that second, on either side")
  func wholeSeconds() async throws {
    let script = """
      mkdir s; echo a >s/a; touch -d @1.5 s/a
      for t in 1 2; do printf '#mtree\\n./a type=file size=2 time=%d.0\\n' $t >T$t; done
      for pair in "s T1" "T1 s" "s T2" "T2 s"; do $0 compare $pair; done
      """
    let outcome = try await scripted(script)
    #expect(outcome.outputText == "a: differs (time)\na: differs (time)\n")
    #expect(outcome.errorText.isEmpty)
  }

  @Test("a planted mistake is found in any format and order, and the exit status is that of diff")
  func planted() async throws {
    let directory = try TemporaryDirectory()
    let made = try await shell(
      """
      mkdir -p A/d; for i in $(seq 300); do echo $i > A/d/$i; done; cp -a A B; cp -a A C
      echo 7 > B/d/8; cp -p B/d/9 B/new; rm B/d/9; touch -d 2001-01-01 B/d/10
      for t in A B C; do (cd $t
        sha256sum $(find . -type f) > ../$t.sums; $0 hash . > ../$t.ordered
        $0 hash -a md5,sha256 . > ../$t.both; $0 hash --format mtree . > ../$t.mtree); done
      """, in: directory
    ).run()
    made.expectSilence()
    let forms = ["sums", "ordered", "both", "mtree"]
    for form in forms {
      for other in forms {
        let same = try await weir("compare", "A.\(form)", "C.\(other)", in: directory).run()
        same.expectSilence()
        #expect(same.output.isEmpty)
        let result = try await weir("compare", "A.\(form)", "B.\(other)", in: directory).run()
        #expect(result.status == 1 && result.errorText.isEmpty, "\(form) \(other)")
        #expect(result.outputText == "d/8: differs (sha256)\nd/9: moved to new\n")
      }
    }
    for (arguments, output, status) in [
      (["A", "C"], "", 0), (["--read", "A", "C"], "", 0), (["A.sums", "A.sums"], "", 0),
      (["--status", "A.sums", "B.sums"], "", 1),
      (["--read", "A", "B"], "d/8: differs (xxh128)\nd/9: moved to new\n", 1),
      (["--read", "--exclude", "8", "A.sums", "B"], "d/8: only in A.sums\nd/9: moved to new\n", 1),
      (["A.sums", "none"], "", 2), (["A.sums"], "", 2), (["-", "-"], "", 2),
      (["--read", "A.sums", "B.sums"], "", 2), (["--memory", "1K", "A", "B"], "", 2),
    ] as [([String], String, Int32)] {
      let result = try await weir(["compare"] + arguments, in: directory).run()
      #expect(result.status == status && !result.wasLate, "\(arguments) \(result.errorText)")
      #expect(result.outputText == output, "\(arguments)")
    }
  }

  @Test("lines that cannot be used, names without a common one, and files without a basis are told")
  func messages() async throws {
    let directory = try TemporaryDirectory()
    try await shell(
      """
      mkdir -p t/d; echo a > t/a; echo b > t/d/b; sha256sum t/a t/d/b > M
      (cd t; sha256sum a d/b) > N; sed 's|  |  /x/y/|' N > A; sed 's|  |  x/y-|' N > S; (cat N; echo junk; echo 'TIGER (x) = 00000000') > J
      "$0" hash -a blake3 -C t a > L; "$0" hash -a sha256 --tag -C t a | sed 's/= ./= 0/; s/= 00/= 01/' > O
      (cat N; sed 's/^./0/; s/^0\\(0*\\)/1\\1/' N) > K
      """, in: directory
    ).run().expectSilence()
    for (arguments, output, message, status) in [
      (["M", "t", "--read"], "", "no name is in both M and t; with --strip-a 1 most are", 1),
      (["N", "M"], "", "no name is in both N and M; with --strip-b 1 most are", 1),
      (
        ["--strip-b", "1", "N", "A"], "", "no name is in both N and A; with --strip-b 3 most are", 1
      ),
      (
        ["N", "S"], "", "no name is in both N and S; --strip-a and --strip-b remove components", 1
      ),
      (["M", "t", "--read", "--strip-a", "1"], "", "", 0),
      (
        ["N", "J"], "",
        "J: 2 lines could not be used; the first is line 3: it is improperly formatted", 2
      ),
      (
        ["N", "t", "--all"],
        "a: cannot tell (no digest or size in common)\nd/b: cannot tell (no digest or size in common)\n",
        "2 names could not be compared; --read reads the files of a directory", 2
      ),
      // An untagged line may be one of BLAKE3, but that it is not equal does not say so.
      (
        ["N", "L", "--all"], "a: cannot tell (no digest or size in common)\nd/b: only in N\n", nil,
        2
      ),
      (["N", "O", "--all"], "a: differs (sha256)\nd/b: only in N\n", nil, 1),
      (
        ["N", "K"],
        "a: cannot tell (its lines contradict each other)\nd/b: cannot tell (its lines contradict each other)\n",
        "", 2
      ),
    ] as [([String], String, String?, Int32)] {
      let result = try await weir(["compare"] + arguments, in: directory).run()
      #expect(result.status == status && !result.wasLate, "\(arguments) \(result.outputText)")
      if let message {
        #expect(result.errorText == (message.isEmpty ? "" : "weir: \(message)\n"), "\(arguments)")
      }
      if !output.isEmpty { #expect(result.outputText == output, "\(arguments)") }
    }
  }

  @Test("a lost empty file is lost, times are compared to the end, and the ledger is read")
  func defects() async throws {
    let directory = try TemporaryDirectory()
    try await shell(
      """
      mkdir A B C D; : > A/__init__.py; : > B/other.txt; : > B/third; mkdir B/d; : > B/d/__init__.py
      touch -d @1 A/* B/d/*
      : > D/other.txt; sha256sum A/* > A.sums; (cd D; sha256sum * > ../D.sums)
      echo x > C/x; echo y > C/y; touch -d 2300-01-01 C/x C/y; "$0" hash -o M -C C .
      cp -a C E; touch -d 2400-01-01 E/x; cp -a C F; rm F/x
      cp M G; sed 's/^\\(.*x type=file\\)/#weir gone since=2026-11-28T01:30:05Z\\n\\1/
        s/^\\(.*y type=file\\)/#weir rot\\n\\1/' M.mtree > G.mtree
      """, in: directory
    ).run().expectSilence()
    for (arguments, output, status) in [
      (
        ["A", "B"],
        "__init__.py: moved to d/__init__.py\nd: only in B\nother.txt: only in B\nthird: only in B\n",
        1
      ),
      (["A", "D"], "__init__.py: only in A\nother.txt: only in D\n", 1),
      (["A", "D", "--read"], "__init__.py: only in A\nother.txt: only in D\n", 1),
      (["A.sums", "D.sums"], "A/__init__.py: only in A.sums\nother.txt: only in D.sums\n", 1),
      (["C", "E"], "x: differs (time)\n", 1), (["M", "C"], "", 0), (["C", "M"], "", 0),
      (["M", "E"], "x: differs (time)\n", 1), (["M", "F"], "x: only in M\n", 1),
      (["G", "F"], "x: only in G\ny: cannot tell (no digest or size in common)\n", 2),
      (["G.mtree", "C", "--read"], "", 0),
    ] as [([String], String, Int32)] {
      let result = try await weir(["compare"] + arguments, in: directory).run()
      #expect(result.outputText == output, "\(arguments)")
      #expect(result.status == status, "\(arguments) \(result.errorText)")
    }
  }

  @Test("nested directories of a small manifest take neither memory nor time, nor long output")
  func nestedDirectories() async throws {
    // Names of 3.6 KiB, in order and not.
    let result = try await scripted(
      """
      mkdir t; echo x > t/x; (echo '#mtree'; yes 'dddddddd type=dir' | head -n 400
      seq 600 | sed 's/.*/a& type=file size=3 sha256=5e/' | sed "s/$/$(printf '%062d' 0)/") > M
      (head -n 401 M; tail -n 600 M | tac) > N
      ulimit -v 400000
      for p in 'compare M t' 'compare N t' 'check --audit t N'; do "$0" $p 2> e | wc -c; done; "$0" compare M N
      """)
    #expect(
      result.outputText == "2895705\n2895705\n2902699\n", "\(result.outputText) \(result.errorText)"
    )
  }

  @Test("a directory whose names lose components is read by its own names")
  func strippedDirectory() async throws {
    let directory = try TemporaryDirectory()
    // The names without their first component are those of other files in A.
    _ = try await shell(
      """
      mkdir -p A/d A/p/d A/q B/d; echo good | tee A/d/f B/d/f > B/f; echo evil > A/p/d/f
      echo here | tee A/d/old > B/old; echo gone | tee A/p/d/old > B/new
      echo one | tee A/p/two > B/two; echo two > A/q/two
      find A B -type f | xargs touch -d 2001-01-01; (cd B; sha256sum * d/* 2> /dev/null > ../M)
      """, in: directory
    ).run()
    for (other, basis) in [("B", "xxh128"), ("M", "sha256")] {
      let result = try await weir(
        "compare", "--read", "--all", "--strip-a", "1", "A", other, in: directory
      ).run()
      #expect(result.status == 2 && result.errorText.isEmpty, "\(other) \(result.errorText)")
      let lines = [
        "d/f: differs (\(basis))", "d/old: moved to new", "f: same (\(basis))",
        "old: same (\(basis))", "two: cannot tell (several files have the name)",
      ]
      let names = result.outputText.split(separator: "\n").map(String.init)
      #expect(names.filter { !$0.hasSuffix("(type)") } == lines, "\(other)")
    }
  }

  @Test("names that have too few components are counted for each side, and are trouble")
  func shortNames() async throws {
    let directory = try TemporaryDirectory()
    try await shell(
      """
      mkdir -p A/d B/d; echo 1 > A/top; echo 2 > B/top; echo 3 | tee A/d/f > B/d/f; ln -s x B/link
      for t in A B; do (cd $t; sha256sum top d/f > ../$t.sums; sha256sum d/f top > ../$t.sorted
        $0 hash -a md5,sha256 . > ../$t.both; $0 hash -a sha256 --format mtree . > ../$t.mtree); done
      """, in: directory
    ).run().expectSilence()
    for (arguments, messages, status) in [
      (
        ["--read", "--strip-a", "1", "--strip-b", "1", "A", "B"],
        [
          "1 name in A has no more than 1 component and was left out",
          "2 names in B have no more than 1 component and were left out",
        ], 2
      ),
      (
        ["--strip-a", "99", "--strip-b", "99", "A.sums", "B.sorted"],
        ["A.sums", "B.sorted"].map {
          "2 names in \($0) have no more than 99 components and were left out"
        }, 2
      ),
      (
        ["--strip-a", "1", "--strip-b", "1", "A.mtree", "A.sorted"],
        ["A.mtree", "A.sorted"].map {
          "1 name in \($0) has no more than 1 component and was left out"
        }, 2
      ),
      (
        ["--strip-a", "1", "--strip-b", "1", "B.both", "A.both"],
        ["B.both", "A.both"].map {
          "1 name in \($0) has no more than 1 component and was left out"
        }, 2
      ),
      // Only directories are left out.
      (["--exclude", "top", "--strip-a", "1", "--strip-b", "1", "A", "A"], [], 0),
    ] as [([String], [String], Int32)] {
      let result = try await weir(["compare"] + arguments, in: directory).run()
      #expect(result.status == status && result.output.isEmpty, "\(arguments)")
      #expect(result.errorLines == messages.map { "weir: \($0)" }, "\(arguments)")
    }
    let json = try await weir(
      "compare", "--format", "json", "--strip-b", "1", "A", "B", in: directory
    ).run()
    let summary = try #require(try Schema(of: "compare").objects(json.output).last)
    #expect(summary["left_out_a"] as? Int == 0 && summary["left_out_b"] as? Int == 2)
  }

  @Test("a file that cannot be read is trouble, and is told")
  func unreadable() async throws {
    let directory = try TemporaryDirectory()
    try await shell(
      "mkdir A B; echo a > A/a; echo b > A/b; cp A/* B; ln -s /proc/self/mem A/m; ln -s /proc/self/mem B/m",
      in: directory
    ).run().expectSilence()
    let result = try await weir(
      "compare", "--read", "--follow", "--format", "json", "A", "B", in: directory
    ).run()
    #expect(result.status == 2)
    let objects = try Schema(of: "compare").objects(result.output)
    #expect(objects.contains { $0["status"] as? String == "unknown" })
    #expect(objects.last?["unreadable"] as? Int == 2)
    #expect(result.errorLines.count == 2)
  }

  @Test("two manifests have no walk and nothing to read")
  func usage() async throws {
    let script = """
      mkdir A; echo a >A/a; (cd A; "$0" hash . >../M)
      for o in --read --exclude=a --max-depth=1 --follow --one-file-system; do "$0" compare $o M M; echo $?; done
      "$0" compare --exclude=a A M; echo $?
      """
    let result = try await scripted(script)
    #expect(result.outputText == "2\n2\n2\n2\n2\na: only in M\n1\n", "\(result.outputText)")
  }

  @Test(
    "nothing is said of names below a directory that cannot be read", arguments: ["", "--read"])
  func unreadableDirectory(option: String) async throws {
    let user = getuid() == 0 ? "setpriv --reuid 65534 --clear-groups --inh-caps=-all" : ""
    let result = try await scripted(
      """
      mkdir -p A/u B/u; echo moved >A/u/x; echo v >A/v; cp -pr A/* B; cp -p A/u/x A/z; mkdir A/u/d; echo >B/u.c
      (cd A; "$0" hash --format mtree -o ../M .; sha256sum u/x z >../O)
      chmod 0 A/u; chown -R 65534 . 2>/dev/null
      for b in B M O; do \(user) "$0" compare \(option) A $b 2>/dev/null; echo $?; done
      """)
    #expect(
      result.outputText == """
        u: cannot tell (could not be read)
        u/x: cannot tell (could not be read)
        u.c: only in B
        z: only in A
        2
        u: cannot tell (could not be read)
        u/d: cannot tell (could not be read)
        u/x: cannot tell (could not be read)
        2
        u: cannot tell (could not be read)
        u/x: cannot tell (could not be read)
        v: only in A
        \(option.isEmpty ? "z: cannot tell (no digest or size in common)\n" : "")2

        """)
  }

  @Test("its JSON matches the schema, and has every verdict")
  func json() async throws {
    let directory = try TemporaryDirectory()
    try await shell(
      """
      mkdir A B; for n in same touched differs old a; do echo $n > A/$n; done; cp -p A/* B
      mv B/old B/moved; rm B/a; echo b > B/b; echo other > B/differs; touch -d 2001-01-01 B/touched
      cp A/same "A/$(printf 'odd\\377')"
      """, in: directory
    ).run().expectSilence()
    let result = try await weir(
      "compare", "--read", "--all", "--format", "json", "A", "B", in: directory
    ).run()
    #expect(result.status == 1)
    let objects = try Schema(of: "compare").objects(result.output)
    let statuses = Set(objects.compactMap { $0["status"] as? String })
    #expect(statuses == ["same", "differs", "moved", "only_a", "only_b"])
    let summary = try #require(objects.last)
    for (name, count) in [
      ("same", 2), ("touched", 1), ("differs", 1), ("moved", 1), ("only_a", 2), ("only_b", 1),
      ("unknown", 0),
    ] {
      #expect(summary[name] as? Int == count, "\(name)")
    }
  }

  @Test("nothing but sorts in --memory is kept, and eight descriptors suffice")
  func limits() async throws {
    let directory = try TemporaryDirectory()
    try await shell(
      """
      awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%064x  t/d%03d/f%05d\\n", i, i / 100, i }' > A
      awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%064x  u/d%03d/g%05d\\n", i, i / 100, 60000 - i }' |
        sort -k 1.62,1.64 > B
      """, in: directory
    ).run().expectSilence()
    // All files have moved: every sort is as large as it can be.
    let result = try await shell(
      "ulimit -n 8; $0 compare --memory 8M --summary A B | tail -n 1; $0 compare A A", in: directory
    ).run()
    #expect(result.status == 0)
    #expect(result.outputText.hasSuffix(" moved to u/d599/g00001\n"))
    #expect(result.errorText.contains("60,000 moved"))
    #expect(directory.names(beginningWith: "weir").isEmpty)
  }

  @Test("names alone are what another program needs to repair a copy")
  func only() async throws {
    let script = """
      mkdir a b; for f in 1 2 3 4; do echo $f >a/$f; done; cp -p a/1 b; echo X >b/2; cp -p a/4 b/moved
      printf n >"a/$(printf 'x\\ny')"; echo new >b/5
      $0 compare --read --only a a b; echo; $0 compare --read --only b a b
      $0 compare --read --only a --only differs -z a b >list; echo $?
      (cd a && xargs -0 cp -p -t ../b <../list); $0 compare --read --only a --only differs a b
      $0 compare --read --only b a b; $0 compare --only b --format json a b; echo $?
      """
    let result = try await scripted(script)
    let expected = ["3", "4", "\\x\\ny", "", "moved", "5", "1", "5", "moved", "2", ""].joined(
      separator: "\n")
    #expect(result.outputText == expected, "\(result.errorText)")
  }

  @Test("owners, permissions and a window of time are compared if asked for")
  func rights() async throws {
    let script = """
      mkdir a a/d; for f in 1 2 3; do echo $f >a/$f; done; cp -a a b; touch -d @100 a/1; touch -d @102.5 b/1
      touch -d @200 a/2; touch -d @203 b/2; chmod 600 b/3; chmod 700 b/d; chmod 755 a/d
      $0 compare a b; echo; $0 compare --modify-window 2 --mode a b; echo; $0 compare --modify-window 3 a b
      echo $?; $0 compare --owner --modify-window 3 a b; echo $?
      [ "$(id -u)" = 0 ] && chown 1:2 b/3 b/d; $0 compare --owner --modify-window 3 a b
      $0 hash -o M -C a .; $0 compare --mode M b; echo $?
      """
    let result = try await scripted(script)
    let owner = getuid() == 0 ? "3: differs (owner)\nd: differs (owner)\n" : ""
    let expected = """
      1: differs (time)
      2: differs (time)

      2: differs (time)
      3: differs (mode)
      d: differs (mode)

      0
      0
      \(owner)2

      """
    #expect(result.outputText == expected, "\(result.errorText)")
    #expect(result.errorText.contains("--owner and --mode need two directories"))
  }

  /// The first line appears when all moves are known, and the pipe holds no more than some of the rest.
  @Test(
    "the search for moves takes no more memory for 150,000 files than for 30,000",
    .enabled(if: bytesInUse() > 0, "a sanitizer needs room of its own"))
  func movesMemory() async throws {
    let script = """
      mkfifo p
      for count in 30000 150000; do
        for side in a b; do
          awk -v count=$count -v side=$side 'BEGIN {
            step = side == "a" ? 7919 : 104729
            for (i = 0; i < count; i++)
              printf "%08d%024d  %s/%06d/file-%s\\n", i * step % count, 0, side, i, side
          }' >$side
        done
        $0 compare --memory 8M a b >p 2>err & pid=$!
        exec 3<p; read -r line <&3
        sed -n 's/VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$pid/status
        grep -c ': moved to ' <&3; wait
      done
      """
    let directory = try TemporaryDirectory()
    var command = shell(script, in: directory)
    command.limit = 300
    let lines = try await command.run().outputText.split(separator: "\n").compactMap { Int($0) }
    try #require(lines.count == 4)
    #expect(lines[1] == 29_999 && lines[3] == 149_999)
    #expect(lines[2] - lines[0] < 4096, "\(lines[0]) and \(lines[2]) KiB")
  }
}
