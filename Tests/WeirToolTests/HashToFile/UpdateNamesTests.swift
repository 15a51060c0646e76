// weir hash --update with PATHs and lists in another order or spelling, with few of the former
// files, and with names that are hard to read.

import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct UpdateNamesTests {
  /// A directory w with the trees t and u of five files each, and a directory o with lists and
  /// the manifest. `rot FILE` changes a file without a change of size and time, and `hash` writes
  /// the manifest.
  private static let begin = """
    rot() { touch -r "$1" ../r; tr a-z b-za <"$1" >../x; cat ../x >"$1"; touch -r ../r "$1"; }
    weir=$0; hash() { "$weir" hash -o ../o/M "$@"; }
    mkdir o w; cd w; mkdir t u; for i in 1 2 3 4 5; do echo t$i >t/$i; echo u$i >u/$i; done
    find t u -type f | sort >../o/l; sort -r ../o/l >../o/m; sed 's,^,.//,' ../o/l >../o/n
    find t -type f >../o/t; find u -type f | sort -R >../o/u

    """

  private func run(_ script: String) async throws -> Outcome {
    try await scripted(UpdateNamesTests.begin + script)
  }

  @Test("a link that is not there any more has a line, once")
  func unlinked() async throws {
    let outcome = try await run(
      """
      ln -s 1 t/a; ln -s 2 t/b; hash t u; rm t/a t/b; echo b >t/b; hash --update --dry-run t u | grep unlinked
      hash --update t u; hash --update t u | grep -c unlinked
      """)
    let words = "t/a: unlinked\nt/b: unlinked\n"
    #expect(outcome.outputText.hasPrefix("\(words)t/a: unlinked\nt/b: "), "\(outcome.outputText)")
    #expect(outcome.outputText.contains("1 new, 0 gone, 2 unlinked\n0\n"))
    #expect(outcome.errorText.isEmpty, "\(outcome.errorText)")
  }

  @Test("a link that is left out now has no line")
  func excludedLink() async throws {
    let outcome = try await run(
      """
      ln -s 1 t/a; ln -s 2 t/b; hash t; rm t/b; hash --update --exclude a t
      ln -s 2 t/b; hash --update t >/dev/null; hash --update --follow t
      """)
    let files = "5 files not read, 0 read, 0 replaced, 0 new, 0 gone"
    #expect(outcome.outputText.hasPrefix("t/b: unlinked\n\(files), 1 unlinked\n"))
    #expect(!outcome.outputText.contains("t/a: unlinked"), "\(outcome.outputText)")
  }

  @Test("a link below a directory that is a link now is not there any more")
  func linkBehindLink() async throws {
    let outcome = try await run(
      """
      mkdir t/d t/e; ln -s x t/d/l; ln -s x t/e/l; hash t; rm -r t/d; ln -s e t/d
      hash --update t; hash --update t | grep -c unlinked
      """)
    #expect(outcome.outputText.hasPrefix("t/d/l: unlinked\n"), "\(outcome.outputText)")
    #expect(outcome.outputText.hasSuffix(", 1 unlinked\n0\n"), "\(outcome.outputText)")
  }

  @Test("an entry that mtree(5) says to ignore is a record as any other")
  func ignored() async throws {
    let outcome = try await run(
      """
      printf '#mtree\\n./t/1 type=file sha256digest=%064d ignore\\n' 0 >../o/M; hash --update t
      """)
    #expect(outcome.outputText.hasPrefix("t/1: edited\n"), "\(outcome.outputText)")
  }

  @Test("links below a directory that cannot be read keep their records")
  func hiddenLinks() async throws {
    let user = getuid() == 0 ? "setpriv --reuid 65534 --clear-groups --inh-caps=-all" : ""
    let outcome = try await run(
      """
      mkdir t/d; echo f >t/d/f; ln -s f t/d/l; hash t; cp ../o/M.mtree ../before; chmod 0 t/d
      chown -R 65534 .. 2>/dev/null; \(user) "$weir" hash -o ../o/M --update --quiet t 2>/dev/null; echo $?
      grep -c 'link=f' ../o/M.mtree; chmod 755 t/d; rm t/d/l; hash --update t | head -n 1
      """)
    #expect(outcome.outputText == "3\n1\nt/d/l: unlinked\n", "\(outcome.errorText)")
  }

  /// The changed names take 1.2 MB, more than is kept in memory where a file can hold them.
  @Test("thousands of new names are printed after the replacement", arguments: [1024, 10])
  func manyNew(descriptors: Int) async throws {
    let outcome = try await run(
      """
      hash t; mkdir v; cd v; n=$(printf %200s | tr ' ' n)
      awk -v n=$n 'BEGIN { for (i = 0; i < 6000; i++) { f = n i; printf "" >f; close(f) } }'; cd ..
      (ulimit -n \(descriptors) && hash --update t v) >../log || exit 9
      wc -l <../log; grep -c ': new$' ../log; tail -1 ../log; wc -l <../o/M; ls -A ../o
      """)
    #expect(outcome.status == 0, "\(outcome.errorText)")
    let end = "5 files not read, 6,000 read, 0 replaced, 6,000 new, 0 gone"
    let lists = "M\nM.mtree\nM.old\nM.old.mtree\nl\nm\nn\nt\nu"
    #expect(outcome.outputText == "6001\n6000\n\(end)\n6005\n\(lists)\n")
  }

  @Test("a file that is reached by another name has moved there, whatever leads to it")
  func both() async throws {
    let outcome = try await run(
      """
      hash t u; ln -s u v; hash --update t v | tail -1; cut -c67- ../o/M | xargs
      """)
    #expect(
      outcome.outputText
        == "5 files not read, 5 read, 0 replaced, 0 new, 0 gone, 5 moved\n"
        + "t/1 t/2 t/3 t/4 t/5 v/1 v/2 v/3 v/4 v/5\n")
  }

  // MARK: Other working directories

  /// A directory p with files of the same names one level deeper, in p/p. `at DIR` runs weir there.
  private static let nested = """
    M=$PWD/../o/M; mkdir -p p/p p/s; for i in 1 2 3 4; do echo o$i >p/$i; echo i$i >p/p/$i; done
    lists() { find p -type f | sort -R >../o/p; (cd p; find . -type f) >../o/c; up; }
    up() { (cd p/s; find .. -type f) >../o/d; }
    at() { d=$1; shift; (cd $d; "$weir" hash -o $M "$@"); }; lists

    """

  @Test(
    "an update from another directory gives no file the record of a namesake",
    arguments: [
      ("p .", ". p"), (". p", "p ."), ("p .", ". --files-from ../o/p"), (". p", "t ../p"),
      (". --files-from ../o/p", "p --files-from ../../o/c"), ("p .", "p/s .."),
      (". --files-from ../o/p", "p/p $PWD/p"), ("p --files-from ../../o/c", ". p"),
      ("p/s ..", "p/p ../../p"), ("p/p ..", ". p"), ("p/p ..", "p/s/.. --files-from ../../o/c"),
      ("/ $PWD/p", ". p"), ("p ..", "p/p ../.."), ("p .", "p/s --files-from ../../../o/d"),
      (". --files-from ../o/p", "p/s --files-from ../../../o/d"),
    ])
  func otherDirectory(paths: (before: String, now: String)) async throws {
    let outcome = try await run(
      Self.nested + """
        at \(paths.before); rot p/3; rot p/p/4; echo e >>p/p/2; rm p/1; echo >p/n; lists
        for i in 1 2; do at \(paths.now) --update -a sha256,md5; test $? = 1 || exit 9; done
        """)
    #expect(outcome.status == 0, "\(outcome.errorText)")
    let lines = outcome.outputText.split(separator: "\n").map { line in
      String(line.split(separator: "/").last ?? "")
    }
    #expect(
      lines.filter { !$0.contains(" read") }.map { String($0.split(separator: " since ")[0]) }
        .sorted()
        == [
          "1: gone", "1: gone", "2: edited", "3: rot", "3: rot", "4: rot", "4: rot", "n: new",
        ],
      "\(outcome.outputText)")
  }

  @Test("a list in a directory that has a namesake finds the record of the file that it names")
  func namesake() async throws {
    let outcome = try await run(
      Self.nested + """
        touch -d @1 p/p/1; echo 1 >../o/l; at p --files-from ../../o/l; rot p/1
        printf '%s\n' 1 ../1 >../o/l
        at p/p --files-from ../../../o/l --update -a sha256,md5; echo $?
        """)
    #expect(outcome.outputText.contains("../1: rot\n") && outcome.outputText.hasSuffix("\n1\n"))
  }

  @Test(
    "a copied tree has the names of the original, wherever it is",
    arguments: [
      ("p .", "../q/p ."), (". t u", "../q t u"), (". t u", "s u t"), ("t .", "s/t ./"),
      (". --files-from ../o/l", "s --files-from ../../o/m"), ("p/s ..", "../q/p/s .."),
    ])
  func copied(paths: (before: String, now: String)) async throws {
    let outcome = try await run(
      Self.nested + """
        at \(paths.before); cp -a . ../q; mkdir s; cp -a t u s; at \(paths.now) --update; echo $?
        """)
    #expect(outcome.outputText.hasSuffix(" files not read, 0 read, 0 replaced, 0 new, 0 gone\n0\n"))
  }

  // MARK: Many files that are gone

  @Test(
    "more records than --max-gone permits, or more than half of them, do not end",
    arguments: [
      ("mkdir v; touch v/x; hash --update --accept-gone v", 10),
      ("hash --update --accept '[1-3]' t u --exclude '[1-3]'", 6),
      ("hash --update --accept-gone </dev/null", 10),
      ("rm t/*; hash --max-gone 49% --update u", 5), ("hash --max-gone 4 --update u", 5),
      (": >../o/l; hash --update --accept-gone --files-from ../o/l t/1", 9),
    ])
  func manyGone(script: String, count: Int) async throws {
    let outcome = try await run(
      "hash t u; cp -r ../o ../before; \(script); s=$?; diff -r ../o ../before >&2; exit $s")
    #expect(outcome.status == 2 && outcome.outputText.isEmpty)
    let line = outcome.errorLines.first { $0.contains("is left unchanged, since ") } ?? ""
    #expect(
      line.hasPrefix("weir: ../o/M: is left unchanged, since \(count) of its 10 files"),
      "\(outcome.errorText)")
    #expect(
      line.hasSuffix(
        "; mount what is missing, name the PATHs as before, or add --max-gone 100%"))
    if !script.hasPrefix(":") { #expect(outcome.errorLines.count == 1) }
  }

  @Test(
    "an update with a list that cannot be read is refused", arguments: ["L2", "/proc/self/mem"])
  func unreadableList(name: String) async throws {
    let outcome = try await run(
      """
      hash t u; cp -r ../o ../before; mkdir L2
      hash --update --files-from ../o/t --files-from \(name); s=$?; diff -r ../o ../before; exit $s
      """)
    #expect(outcome.status == 2 && outcome.outputText.isEmpty)
    let error = name == "L2" ? "Is a directory" : "Input/output error"
    #expect(
      outcome.errorLines == [
        "weir: \(name): \(error)",
        "weir: \(name): is a list that could not be read to its end; ../o/M is left unchanged",
      ])
  }

  @Test(
    "an emptied PATH is refused, also beside a list, however it is spelled",
    arguments: [
      "--files-from ../o/t u", "--files-from ../o/t ./u/", "--files-from ../o/t $PWD/u", "t u",
    ])
  func emptiedBesideList(paths: String) async throws {
    let before = paths.hasPrefix("t") ? paths : "--files-from ../o/t u"
    let outcome = try await run(
      """
      hash \(before); cp -r ../o ../before; rm u/*
      hash --update \(paths); s=$?; diff -r ../o ../before; exit $s
      """)
    #expect(outcome.status == 2 && outcome.outputText.isEmpty)
    #expect(
      outcome.errorText.contains(": nothing was found in it, and ../o/M has 5 files below it; "),
      "\(outcome.errorText)")
  }

  @Test(
    "what is gone stays in the ledger, however much it is; half of it may end, or as --max-gone says",
    arguments: [
      ("", "hash --update u", 5), ("", "mkdir v; touch v/x; hash --update v", 10),
      ("--accept-gone", "hash --update --accept-gone u", 5),
      ("--accept-gone", "hash --update --accept-gone --max-gone 100% u/1", 9),
      ("--accept GLOB", "hash --update --accept '[1-3]' --accept 't/4' --max-gone 60% u", 4),
    ])
  func fewGone(option: String, script: String, count: Int) async throws {
    let outcome = try await run(
      "hash t u; \(script); echo $?; cut -c67- ../o/M | wc -l")
    #expect(outcome.errorText.isEmpty)
    let gone = outcome.outputText.split(separator: "\n").filter { $0.contains(": gone") }
    if option.isEmpty {
      #expect(gone.count == count && gone.allSatisfy { $0.hasSuffix(": gone") })
      #expect(outcome.outputText.contains(" \(count) gone\n1\n"))
    } else {
      #expect(gone.filter { $0.hasSuffix(": gone, accepted") }.count == count)
      #expect(outcome.outputText.hasSuffix("\n\(10 - count)\n"), "\(outcome.outputText)")
    }
  }

  @Test("--max-gone takes a number or a percentage, and needs --update")
  func maxGone() async throws {
    let directory = try TemporaryDirectory()
    for value in ["", "x", "-1", "101%", "%", "1.5", "50 %"] {
      let outcome = try await weir(
        "hash", "-o", "M", "--update", "--max-gone=\(value)", in: directory
      )
      .run()
      #expect(outcome.status == 2)
      #expect(outcome.errorText.contains("--max-gone takes a number, or a percentage such as 50%"))
    }
    let alone = try await weir("hash", "-o", "M", "--max-gone", "1", "x", in: directory).run()
    #expect(alone.status == 2 && alone.errorText.contains("--max-gone needs --update"))
  }

  // MARK: The former manifest

  @Test("the former manifest stays until the next update, and can be updated itself")
  func former() async throws {
    let outcome = try await run(
      """
      hash t u; cp ../o/M ../M1; cp ../o/M.mtree ../M1.mtree; echo new >t/n; hash --update t u >&2
      cmp ../M1 ../o/M.old; cmp ../M1.mtree ../o/M.old.mtree; cp ../o/M ../M2
      hash --update --accept-gone u/1 2>&- ; cmp ../M1 ../o/M.old
      rm t/n; hash --update t u >&2; cmp ../M2 ../o/M.old
      "$weir" hash -o ../o/M.old --update --accept-gone t u; ls ../o
      """)
    #expect(
      outcome.outputText
        == "t/n: gone, accepted\n10 files not read, 0 read, 0 replaced, 0 new, 0 gone, 1 ended\n"
        + "M\nM.mtree\nM.old\nM.old.mtree\nM.old.old\nM.old.old.mtree\nl\nm\nn\nt\nu\n")
  }

  @Test(
    "a ledger whose manifest is missing or empty is not forgotten",
    arguments: ["rm ../o/M", ": >../o/M"])
  func ledgerAlone(loss: String) async throws {
    let outcome = try await run(
      """
      hash t; cp ../o/M ../M; rot t/1; \(loss); hash t; echo $?; hash --update t; echo $?
      cmp ../M ../o/M; \(loss); hash --resume t; echo $?; cmp ../M ../o/M
      \(loss); hash --replace t; echo $?; cmp -s ../M ../o/M; echo $?
      """)
    let same = "5 files not read, 0 read, 0 replaced, 0 new, 0 gone\n"
    #expect(outcome.outputText == "2\n\(same)0\n\(same)0\n0\n1\n", "\(outcome.errorText)")
    #expect(
      outcome.errorText.hasPrefix("weir: ../o/M.mtree: is the ledger of a manifest and is left "))
  }

  @Test("the end of an open point is said, and a plan names those that it cannot examine")
  func ends() async throws {
    let outcome = try await run(
      """
      hash t u; mv t/1 ../kept; hash --update --quiet t u 2>&-; echo damaged >t/1
      hash --update --quiet t u | sed 's/since .*/since/'; rot u/1
      hash --update --quiet -a md5,sha256 t u 2>&-
      hash --update --quiet -a md5,sha256 --dry-run t u >>u/1 2>&-; echo $?
      touch t/2; hash --update -a md5,sha256 t u 2>&1 >/dev/full | tail -1
      """)
    let lines = [
      "t/1: gone", "t/1: edited, was gone since", "u/1: rot", "1",
      "weir: ../o/M is complete, the rest of the output is not",
    ]
    #expect(outcome.outputText == lines.map { $0 + "\n" }.joined())
  }

  @Test("a directory of -C that is a link to another, empty one keeps no names of the first")
  func otherVolume() async throws {
    let outcome = try await run(
      """
      ln -s t v; hash -C v .; cp ../o/M ../o/before; mkdir e; ln -sfn e v; hash --update -C v .
      echo $?; cmp ../o/M ../o/before
      """)
    #expect(outcome.outputText == "2\n", "\(outcome.errorText)")
    #expect(outcome.errorText.contains(".: nothing was found in it, and ../o/M has 5 files below"))
  }

  @Test("a manifest keeps its mode, and a run is continued by one with the same options alone")
  func modeAndOptions() async throws {
    let outcome = try await run(
      """
      echo >t/a=b; hash --exclude=a=b t; chmod 440 ../o/M; hash --update --exclude=a=b t >&2
      stat -c %a ../o/M; wc -l <../o/M; rm ../o/M; mv ../o/M.mtree ../o/M.partial
      for option in --one-file-system --follow --zero; do
        hash --resume --exclude=a=b $option t 2>&1 | sed 's/.*continued: //'; done
      """)
    let lines = ["440", "5", "other --one-file-system", "other --follow", "other --zero"]
    #expect(outcome.outputText == lines.map { $0 + "\n" }.joined(), "\(outcome.errorText)")
  }

  @Test("a file below another PATH that has become a link, or was one, does not stop a resume")
  func coveredLink() async throws {
    let outcome = try await run(
      """
      interrupted() { rm ../o/M; mv ../o/M.mtree ../o/M.partial; }
      hash t t/1; interrupted; mv t/1 v; ln -s ../v t/1; hash --resume t t/1; echo $?
      interrupted; rm t/1; mv v t/1; hash --resume t t/1; echo $?; cut -c67- ../o/M | head -1
      interrupted; hash --resume t t/1 u; echo $?
      """)
    #expect(outcome.outputText == "0\n0\nt/1\n2\n", "\(outcome.errorText)")
    #expect(outcome.errorText.contains("other PATH"))
  }

  @Test("a PATH that held links alone and is empty is refused")
  func emptiedOfLinks() async throws {
    let outcome = try await run(
      """
      mkdir v; ln -s x v/l; hash t v; cp -r ../o ../before; rm v/l
      hash --update t v; echo $?; diff -r ../o ../before
      """)
    #expect(outcome.outputText == "2\n")
    #expect(
      outcome.errorText.contains("v: nothing was found in it, and ../o/M has 1 link below it; "),
      "\(outcome.errorText)")
  }

  @Test("the former manifest is not among the files, and replaces no other file")
  func formerOfOthers() async throws {
    let outcome = try await scripted(
      """
      echo a >a; $0 hash -o M .; $0 hash -o M --update .; $0 hash -o M --update .; wc -l <M
      echo a poem >M.old; $0 hash -o M --update .; echo $?; cat M.old
      """)
    let same = "1 file not read, 0 read, 0 replaced, 0 new, 0 gone\n"
    #expect(outcome.outputText == same + same + "1\n2\na poem\n")
    #expect(
      outcome.errorLines == [
        "weir: M: lies in the tree of ., and is left out of it",
        "weir: M.old: was not written by weir and is left unchanged; choose another name",
      ])
  }

  @Test("the former manifest is the last one, in every order of formats")
  func formerFormats() async throws {
    let outcome = try await scripted(
      """
      echo 0 >a; $0 hash -o M a; for f in mtree mtree text text mtree text; do
        cp M before; echo 1 >>a; $0 hash -o M --update --format $f a >&2; cmp M.old before
        cp M.old back; cp M.mtree back.mtree; test $f = text && cp M.old.mtree back.mtree
        $0 hash -o back --update a >&2
      done
      """)
    #expect(outcome.outputText.isEmpty, "\(outcome.outputText)")
    #expect(!outcome.errorText.contains("weir: "), "\(outcome.errorText)")
  }

  @Test(
    "the former manifest of another program can be replaced by the next update",
    arguments: [
      "#mtree\\n/set type=file\\n./a sha256=%s\\n",
      "#\\t user: root\\n. type=dir\\n    a sha256=%s\\n..\\n",
      "# sums\\n%s  a\\n", "\\357\\273\\277%s  a\\n", "\\n%s  a\\n", "  %s  a\\n",
    ])
  func formerOfOtherPrograms(form: String) async throws {
    let outcome = try await scripted(
      """
      echo 1 >a; d=$(sha256sum <a | cut -c -64); for s in $d $(echo $d | tr a-f A-F); do
        rm -f M*; printf '\(form)' $s >M; cp M before; $0 hash -o M --update ./a; echo $?
        cmp before M.old; cp M before; touch a; $0 hash -o M --update ./a; echo $?; cmp before M.old; done
      """)
    let ends = outcome.outputText.split(separator: "\n").filter {
      !$0.contains("read") && $0 != "./a: touched"
    }
    #expect(ends == ["0", "0", "0", "0"], "\(outcome.outputText)\(outcome.errorText)")
  }

  @Test("an update that was interrupted after the new manifest got its name leaves the former one")
  func formerOfResumed() async throws {
    let outcome = try await run(
      """
      find t -type f | xargs sha256sum >../o/M; cp ../o/M ../M0; echo e >>t/1; hash --update t
      mv ../o/M.mtree ../o/M.partial; hash --update --resume t; cmp ../M0 ../o/M.old; ls ../o
      """)
    #expect(
      outcome.outputText.hasSuffix(
        " 0 read, 0 replaced, 0 new, 0 gone\nM\nM.mtree\nM.old\nl\nm\nn\nt\nu\n"),
      "\(outcome.outputText)\(outcome.errorText)")
  }

  @Test("so does one that was interrupted after the new ledger got its name, too")
  func formerOfComplete() async throws {
    let outcome = try await run(
      """
      hash t; cp ../o/M ../M0; cp ../o/M.mtree ../R0; echo e >>t/1; hash --update t >r
      cp ../o/M.mtree ../o/M.partial; hash --update --resume t
      cmp ../M0 ../o/M.old; cmp ../R0 ../o/M.old.mtree; ls ../o
      """)
    #expect(
      outcome.outputText.hasSuffix(
        " 0 read, 0 replaced, 0 new, 0 gone\nM\nM.mtree\nM.old\nM.old.mtree\nl\nm\nn\nt\nu\n"),
      "\(outcome.outputText)\(outcome.errorText)")
  }

  // MARK: Formats

  @Test("an update of mtree(5) writes mtree(5), unless another format is given")
  func keepsFormat() async throws {
    let outcome = try await run(
      """
      hash --format mtree t; echo n >t/n; hash --update t; head -c 6 ../o/M; echo
      hash --update --zero t; echo $?; hash --update --format text t; head -1 ../o/M
      """)
    #expect(
      outcome.outputText == """
        t/n: new
        5 files not read, 1 read, 0 replaced, 1 new, 0 gone
        #mtree
        2
        6 files not read, 0 read, 0 replaced, 0 new, 0 gone
        465c49ce69b998fd4f6d15bd24f74a9e9fc651f4902cbafb055252008e2d66f7  t/1

        """)
    #expect(
      outcome.errorLines == [
        "weir: ../o/M: is mtree(5), whose lines end in a newline; omit --zero, or add --format text"
      ])
  }

  @Test("a rotten file that two PATHs find is recorded as new by none, relative or not")
  func overlap() async throws {
    let outcome = try await run(
      """
      touch -d @9 t/5; hash ..//w/t; rm t/5; hash --update t >r; hash --update t ./t/4 . >r
      hash --update t "$PWD" >r; echo tt >t/5; touch -d @9 t/5; hash --update t "$PWD" >r
      s=$?; sed "s,$PWD,PWD," r; echo $s; grep -c rot ../o/M.mtree
      """)
    let lines = outcome.outputText.split(separator: "\n")
    #expect(
      lines.filter { $0.contains("t/5") } == ["t/5: rot", "PWD/t/5: rot"],
      "\(outcome.outputText) \(outcome.errorText)")
    #expect(lines.suffix(2) == ["1", "2"])
  }
}
