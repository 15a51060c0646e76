// weir check --audit: weir's own files, which are not new, names, and moved files.

import Foundation
import Glibc
import TestSupport
import Testing

@testable import WeirTool

@Suite(.enabled(if: hasOracle), .serialized, .timeLimit(.minutes(5)))
struct AuditListTests {

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
