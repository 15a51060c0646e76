// weir hash --update of a tree without changes, and with the first one at any place.

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct UpdateUnchangedTests {
  /// A tree of 900 files, whose lines take more than a piece of 64 KiB. `update` writes M, and `same` a
  /// manifest of the tree as it is, which has to be M.
  private static let begin = """
    weir=$0 options=$1; mkdir -p t/a t/b t/c t/empty; ln -s a t/link
    for i in $(seq 100 399); do echo $i >t/a/$i; echo b$i >t/b/$i; echo c$i >t/c/$i; done
    update() { "$weir" hash $options -o M --update "$@" t >out || echo "status $?"; }
    same() { "$weir" hash $options -o F --update t && cmp M F; test ! -e F.mtree || cmp M.mtree F.mtree; rm F*; }
    update

    """

  private static let forms = ["--format text", "--format mtree", "-a sha256,xxh128", "--zero"]

  private func run(_ script: String, _ options: String) async throws -> String {
    let outcome = try await scripted(UpdateUnchangedTests.begin + script, options)
    let errors = outcome.errorText.split(separator: "\n").filter { !$0.contains("first time") }
    return outcome.outputText + errors.joined(separator: "\n")
  }

  @Test("without a change all files of the manifest stay as they are", arguments: forms)
  func unchanged(options: String) async throws {
    let text = try await run(
      """
      echo 1 >>t/b/200; update; stat -c '%n %i %z %s' M* >before; update; cat out
      stat -c '%n %i %z %s' M* | cmp - before; cmp M.old M 2>&1 | grep -c differ
      """, options)
    #expect(text == "900 files not read, 0 read, 0 replaced, 0 new, 0 gone\n1\n")
  }

  @Test("without a change nothing is written to the disk", .enabled("strace", straceWorks))
  func unwritten() async throws {
    let text = try await run(
      """
      strace -f -o calls -e trace=fsync,fdatasync,rename "$weir" hash -o M --update t >/dev/null
      grep -c sync calls; grep -c rename calls; ls
      """, "--format text")
    #expect(text == "0\n0\nM\nM.mtree\ncalls\nout\nt\n", "\(text)")
  }

  @Test("an update that finds what was open before leaves all files too", arguments: forms)
  func open(options: String) async throws {
    let text = try await run(
      """
      rm t/b/200; update; stat -c '%n %i %z %s' M* >before; update; cat out
      stat -c '%n %i %z %s' M* | cmp - before; cmp -s M.old.mtree M.mtree && echo lost
      """, options)
    #expect(text.hasPrefix("status 1\nstatus 1\nt/b/200: gone"), "\(text)")
    #expect(!text.contains("differ") && !text.contains("lost"), "\(text)")
  }

  @Test("wherever the first change is, the manifest is that of the tree", arguments: forms)
  func changed(options: String) async throws {
    let text = try await run(
      """
      for i in a/100 a/101 b/250 c/399; do echo 1 >>t/$i; update; same; done
      for i in a/0 b/250x zz; do echo 1 >t/$i; update; same; rm t/$i; update --accept-gone; same; done
      for i in a/100 c/399; do rm t/$i; update --accept-gone; same; done
      for i in a/d b/d zz; do mkdir t/$i; update; same; rmdir t/$i; update; same; done
      ln -sfn b t/link; update; same; rm t/link; update; same; ln -s a t/a/link; update; same
      rmdir t/empty; update; same; mv t/b t/x; update --accept-gone; same
      """, options)
    #expect(text.isEmpty, "\(text)")
  }

  @Test("a line that is missing or too many in the manifest is none of an unchanged one")
  func edited() async throws {
    let text = try await run(
      """
      sed -i '$d' M; update; same; sed -i 3d M; update; same
      echo '# a comment' >>M; update; same; echo '#weir source 0' >>M.mtree; update; same
      sed -i 1s/0[.]/1./ M.mtree; update; same
      """, "-a sha256,xxh128")
    #expect(text.isEmpty, "\(text)")
  }
}
