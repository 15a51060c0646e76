// weir check with a budget of time, which takes seconds.

import TestSupport
import Testing

@Suite
struct CheckStateTests {
  @Test("a run whose time is over after files that are missing is no success")
  func missingInTime() async throws {
    let run = try await scripted(
      """
      for i in 1 2 3 4 5 6; do echo $i >f$i; done; sha256sum f* >S; rm f*
      (head -n 3 S; sleep 8; tail -n 3 S) | $0 check --ignore-missing --max-time 4
      """)
    #expect(run.status == 1 && run.errorText == "weir: no file was verified\n")
  }
}
