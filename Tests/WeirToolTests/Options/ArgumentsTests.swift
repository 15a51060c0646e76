// The arguments of the process without /proc, as in a bare chroot, where Swift does not find
// them.

import TestSupport
import Testing

/// A command prefix that runs with an empty /proc, in a private mount namespace.
private let enter = "exec unshare --map-root-user --mount sh -c 'mount -t tmpfs none /proc && "

/// True if this machine allows such a namespace.
private let canEnter: Bool = {
  guard let directory = try? TemporaryDirectory(),
    let outcome = try? shell(enter + "exec true'", in: directory).runBlocking()
  else { return false }
  if outcome.status != 0 { print("skipped: nobody may mount over /proc here") }
  return outcome.status == 0
}()

@Suite(
  .enabled(if: canEnter), .enabled(if: bytesInUse() > 0, "a sanitizer needs /proc"),
  .timeLimit(.minutes(10)))
struct ArgumentsTests {
  @Test("are complete without /proc", arguments: ["weir", "sha256sum"])
  func withoutProc(name: String) async throws {
    let script = """
      printf x > "$(printf 'no\\377utf8')"; ln -s "$0" sha256sum; ln -s "$0" weir
      \(enter)exec ./\(name) \(name == "weir" ? "hash" : "") no*utf8'
      """
    let outcome = try await scripted(script)
    // The undefined behaviour sanitizer reports that it does not find its own name.
    let said = outcome.errorText.split(separator: "\n").filter { !$0.contains("==WARNING: ") }
    #expect(outcome.status == 0 && said.isEmpty, "\(outcome.errorText)")
    let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    #expect(outcome.output == Array("\(digest)  no".utf8) + [0xFF] + Array("utf8\n".utf8))
  }
}
