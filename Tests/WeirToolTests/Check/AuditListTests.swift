// weir check --names0 and --audit: files that a list must not replace, temporary files, and
// weir's own files, which are not new.

import Foundation
import Glibc
import TestSupport
import Testing

@testable import WeirTool

@Suite(.enabled(if: hasOracle), .serialized, .timeLimit(.minutes(5)))
struct AuditListTests {
  private static let manifestReason =
    "is a manifest or kept beside one, and a list of names would replace it"

  @Test(
    "a list never replaces a manifest, a file kept beside it, or another list",
    arguments: [
      ("--names0 changed=S S", "S", manifestReason),
      ("--names0 changed=./S S", "./S", manifestReason),
      ("--names0 changed=l S", "l", manifestReason),
      ("--names0 changed=S l", "S", manifestReason),
      ("--names0 changed=S - < S", "S", manifestReason),
      ("--names0 missing=N --names0 changed=h S", "h", manifestReason),
      ("--names0 changed=S.mtree S", "S.mtree", manifestReason),
      ("--names0 changed=S S.mtree", "S", manifestReason),
      ("-C . --audit d --names0 new=d/../S S", "d/../S", manifestReason),
      ("-C d --names0 changed=../S ../S", "../S", manifestReason),
      (
        "--names0 changed=L --names0 missing=./L S", "./L",
        "is the file of another list of --names0"
      ),
      ("--names0 changed=m --names0 missing=n S", "n", "is the file of another list of --names0"),
      ("--trace T --names0 changed=T S", "T", "is the file of --trace"),
    ])
  func refused(arguments: String, name: String, reason: String) async throws {
    let directory = try TemporaryDirectory()
    let made = try await shell(
      """
      mkdir d; echo 1 > d/1; echo 2 > d/2; "$0" hash d > S; echo x >> d/2
      echo '#mtree' > S.mtree; ln -s S l; ln S h; ln -s ./N m; ln -s d/../N n
      find . -type f -not -name sums -exec md5sum {} + > sums
      """, in: directory
    ).run()
    made.expectSilence()
    let result = try await shell("\"$0\" check \(arguments)", in: directory).run()
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errorText == "weir: \(name): \(reason)\n")
    let after = try await shell(
      "rm -f T; md5sum --quiet -c sums && find . -not -type d | wc -l; ls -A", in: directory
    ).run()
    #expect(after.outputText == "9\nS\nS.mtree\nd\nh\nl\nm\nn\nsums\n", "\(after.outputText)")
  }

  @Test(
    "a verified file is left unchanged, and the other lists are written",
    arguments: [
      ("d/2", "d/2", "S"), ("./d//2", "d/2", "S"), ("link", "d/2", "S"), ("d/2", "d/2", "R"),
      ("d/1", "l/1", "Q"), ("d/2", "./d/2", "--audit ."),
    ])
  func listed(file: String, name: String, manifest: String) async throws {
    let directory = try TemporaryDirectory()
    let result = try await shell(
      """
      mkdir d; echo 1 > d/1; echo 2 > d/2; ln -s d l; ln -s d/2 link
      "$0" hash d > S; "$0" hash --format mtree d > R; "$0" hash l/1 > Q; "$0" hash ./d > A
      echo x >> d/2; cp d/1 1; cp d/2 2
      case "\(manifest)" in --audit*) m="--audit . A";; *) m="\(manifest)";; esac
      "$0" check --status --names0 missing=M --names0 changed=\(file) --names0 unreadable=U $m
      s=$?; cmp 1 d/1; cmp 2 d/2; ls -A d; test -L link && wc -c < M; wc -c < U; exit $s
      """, in: directory
    ).run()
    #expect(result.status == 2)
    #expect(
      result.errorLines == [
        "weir: \(file): was left unchanged, since a manifest lists it as \(name)"
      ], "\(result.errorText)")
    #expect(result.outputText.hasPrefix("1\n2\n") && result.outputText.hasSuffix("0\n"))
  }

  @Test("a link is followed, also if its target does not exist yet")
  func links() async throws {
    let directory = try TemporaryDirectory()
    let result = try await shell(
      """
      mkdir d e; echo 1 > d/1; "$0" hash d > S; echo x >> d/1; echo old > e/there
      ln -s there e/first; ln -s e/first L; ln -s "$PWD/e/none" K
      "$0" check --status --names0 changed=L --names0 missing=K S
      stat -c '%F %n' L K e/*; tr '\\0' '|' < L
      "$0" check -C d --status --names0 changed=../L ../S; ln -s O O; "$0" check --names0 changed=O S
      echo $?; ls -A . e
      """, in: directory
    ).run()
    #expect(
      result.outputText == """
        symbolic link L
        symbolic link K
        symbolic link e/first
        regular empty file e/none
        regular file e/there
        d/1|2
        .:
        K
        L
        O
        S
        d
        e

        e:
        first
        none
        there

        """)
  }

  @Test("the files that weir keeps beside a manifest are not new, whichever is verified")
  func companions() async throws {
    let directory = try TemporaryDirectory()
    let result = try await shell(
      """
      echo 1 > a; "$0" hash -o M .; for m in M.mtree M; do
      "$0" check --audit . $m || echo $?
      done; for n in M M.mtree; do
        touch $n.partial $n.partial.next $n.partial.text $n.old $n.old.mtree
      done
      "$0" check --audit . M.mtree || echo $?; rm M.mtree.*
      "$0" check --audit . M || echo $?
      touch .mtree Mx N.mtree; "$0" check --quiet --audit . M.mtree; echo $?
      """, in: directory
    ).run()
    #expect(result.errorText == "weir: WARNING: 3 files are not listed\n")
    let ok = "./a: OK\n"
    #expect(
      result.outputText == ok + ok + ok + ok + "./.mtree: new\n./Mx: new\n./N.mtree: new\n4\n",
      "\(result.outputText)")
  }

  /// Starts an audit that has written its first line and reads its manifest.
  private func waiting(
    in directory: TemporaryDirectory, then body: @escaping @Sendable (Child) throws -> Void
  ) async throws -> Outcome {
    let line = try await shell(
      "mkdir -p t s; echo a > t/a; echo old > N; (cd t; sha256sum a)", in: directory
    ).run().output
    var command = weir(
      words("check", "--audit", "t", "--names0", "new=N", "--names0", "missing=s/L"),
      in: directory)
    command.input = .bytes(line)
    let asked = command
    return try await onThread {
      let child = try Child(asked, holdsInput: true)
      #expect(child.collect(limit: 40) { output, _ in output.contains(0x0A) })
      try body(child)
      return try child.finish(limit: 40)
    }
  }

  @Test(
    "a run that one or two signals end leaves no temporary lists",
    arguments: [1, 2])
  func abandoned(signals: Int) async throws {
    let directory = try TemporaryDirectory()
    let result = try await waiting(in: directory) { child in
      kill(child.pid, SIGTERM)
      let said = { (text: String) in
        child.collect(limit: 40) { String(decoding: $1, as: UTF8.self).contains(text) }
      }
      // Unless the run is complete by then.
      if said("interrupted: finishing the open files") && signals == 2 {
        kill(child.pid, SIGTERM)
      }
    }
    #expect(result.signal == SIGTERM && !result.wasLate)
    let left = try await shell("ls -A . s; cat N", in: directory).run()
    #expect(
      left.outputText == ".:\nN\ns\nt\n\ns:\nold\n", "\(left.outputText) \(result.errorText)")
  }

  @Test("temporary lists of killed runs are not new beside a list, and new elsewhere")
  func killed() async throws {
    let directory = try TemporaryDirectory()
    let result = try await waiting(in: directory) { child in kill(child.pid, SIGKILL) }
    #expect(result.signal == SIGKILL)
    let later = try await shell(
      """
      (cd t; sha256sum a) > M; mv .weir-names0-* t; mv s/.weir-names0-* t; ls -A t | wc -l
      touch t/.weir-names0-short t/.weir-names0-0000000000OOO
      "$0" check --quiet --audit t --names0 new=t/N --names0 missing=L M; echo $?; rm t/N
      "$0" check --quiet --audit t --names0 new=N M | wc -l
      """, in: directory
    ).run()
    #expect(
      later.outputText
        == "3\n.weir-names0-0000000000OOO: new\n.weir-names0-short: new\n4\n4\n",
      "\(later.outputText)")
  }

  @Test("new names are written like listed ones, whatever the path above the root")
  func absolute() async throws {
    let directory = try TemporaryDirectory()
    let result = try await shell(
      """
      mkdir -p x/srv; echo 1 > x/srv/a; "$0" hash --format mtree "$PWD/x/srv" > M
      echo 2 > x/srv/new; "$0" check --quiet --audit x/srv M; echo "$PWD/x/srv/new: new"
      """, in: directory
    ).run()
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.count == 2 && lines.first == lines.last, "\(result.outputText)")
  }

  @Test("a moved file is reported and counted once, whatever its lines")
  func movedOnce() async throws {
    let directory = try TemporaryDirectory()
    let result = try await shell(
      """
      mkdir d; cd d; echo 1 > b; "$0" hash -a md5,sha256 b > ../S; mv ../S S; mv b bb; cp S T
      "$0" check --audit . --summary --exclude T S
      "$0" check --audit . --format json S T | grep -c '"type":"moved"'
      """, in: directory
    ).run()
    #expect(result.outputText == "b: moved to bb\n2\n")
    #expect(
      result.errorText.hasPrefix(
        "weir: WARNING: 1 listed file has moved\nweir: 0 lines verified, 1 moved; "),
      "\(result.errorText)")
  }

  /// A block and another one with its MD5, by Wang and Yu. Six bits differ.
  private static let block = """
    0THdAsXm7sRpPZoGmK/5XC/KtYcSRn6rQARYPrj7f4lVrTQGCfSzAoPkiIMlcUFaCFEl6PfNyZ/ZHb3ygDc8W9iCPjFWNI9b\
    rm2s1DbJGcbdU+K0h9oD/QI5YwbSSM2g6Z8zQg9XfujOVLZwgKgNHsaYIby2qIOTlvllK2/3KnA=
    """

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

  @Test("an audit determines the storage of its root and of the working directory")
  func storage() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "M")
    let result = try await weir(
      words(
        "check", "--verbose", "-C", directory.text, "--audit", "/proc/sys/kernel/random",
        "--max-depth", "1",
        "M"),
      in: directory
    ).run()
    #expect(
      result.errorLines.first?.hasPrefix("weir: /proc/sys/kernel/random: memory (proc: ") == true,
      "\(result.errorText)")
    #expect(result.errorLines.dropFirst().first?.hasPrefix("weir: .: ") == true)
  }

  @Test("a missing directory or link does not count as an unreadable file")
  func missingOthers() async throws {
    let directory = try TemporaryDirectory()
    let result = try await shell(
      """
      mkdir d d/e d/f; touch d/a d/b; ln -s a d/l; "$0" hash --format mtree d > M
      for n in e "f d/l" a b; do rm -r d/$n; "$0" check M 2>&1 > out | grep WARN; done
      "$0" check --ignore-missing M
      """, in: directory
    ).run()
    let begin = "weir: WARNING: "
    #expect(
      result.outputText == """
        \(begin)1 listed directory or link is missing
        \(begin)3 listed directories or links are missing
        \(begin)1 listed file could not be read
        \(begin)3 listed directories or links are missing
        \(begin)2 listed files could not be read
        \(begin)3 listed directories or links are missing

        """, "\(result.outputText)")
    #expect(!result.errorText.contains("WARNING"), "\(result.errorText)")
  }

  @Test("nothing is new if a manifest could not be read to its end")
  func unreadManifest() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    for name in ["a", "b"] { try directory.write(name, to: "t/\(name)") }
    try await shell("$0 hash -o A t/a && $0 hash -o B t", in: directory).run().expectSilence()
    for (manifest, status) in [(["nothing"], 2), (["A", "nothing"], 3), (["A", "t"], 3)] {
      let names = manifest.map { Array($0.utf8) }
      let outcome = try await weir(
        ["check", "-C", ".", "--audit", "t"].map { Array($0.utf8) } + names, in: directory
      ).run()
      #expect(outcome.status == Int32(status))
      #expect(!outcome.outputText.contains("new"))
      #expect(
        outcome.errorLines.last
          == "weir: WARNING: unlisted files were not looked for, since a manifest could not be read"
      )
    }
    let whole = try await weir("check", "-C", ".", "--audit", "t", "A", in: directory).run()
    #expect(whole.status == 4 && whole.outputText == "t/a: OK\nt/b: new\n")
  }
}
