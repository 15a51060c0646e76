// What takes seconds: `make test-waits` runs these tests.

import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LongWaitTests {
  @Test("a check whose time is over after files that are missing is no success")
  func missingInTime() async throws {
    let run = try await scripted(
      """
      for i in 1 2 3 4 5 6; do echo $i >f$i; done; sha256sum f* >S; rm f*
      (head -n 3 S; sleep 8; tail -n 3 S) | $0 check --ignore-missing --max-time 4
      """)
    #expect(run.status == 1 && run.errorText == "weir: no file was verified\n")
  }

  @Test("--progress never and auto show nothing without a terminal", arguments: ["never", "auto"])
  func noProgress(when: String) async throws {
    // One and a half times the delay of progress.
    let script = "{ echo hello; sleep 0.75; } | \"$0\" hash --progress \"$1\""
    try await scripted(script, when).expectSilence()
  }

  /// Standard input without data is such a file.
  @Test("SIGUSR1 reports a file that takes ten seconds, and none before")
  func longFile() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", to: "a")
    var command = weir("hash", "a", "-", in: directory)
    command.input = .bytes(Array("hello".utf8))
    let asked = command
    let result = try await onThread {
      let child = try Child(asked, holdsInput: true)
      #expect(child.collect { output, _ in output.contains(0x0A) })
      #expect(
        eventuallyBlocking {
          kill(child.pid, SIGUSR1)
          return child.collect(limit: 0.1) { _, errors in
            String(decoding: errors, as: UTF8.self).contains(", 6 B, ")
          }
        })
      let tells = { (_: [UInt8], errors: [UInt8]) in
        String(decoding: errors, as: UTF8.self).contains(" has been working on - for ")
      }
      #expect(!child.collect(limit: 0, until: tells))
      var isTold = false
      for _ in 0..<150 where !isTold {
        kill(child.pid, SIGUSR1)
        isTold = child.collect(limit: 0.1, until: tells)
      }
      #expect(isTold)
      child.closeInput()
      return try child.finish()
    }
    #expect(result.status == 0 && result.lines.count == 2)
    #expect(result.errorText.contains("weir: lane "))
  }
}
