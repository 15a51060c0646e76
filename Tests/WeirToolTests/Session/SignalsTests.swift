// The set of signals that a run answers.

import Glibc
import TestSupport
import Testing

@testable import WeirTool

@Suite(.timeLimit(.minutes(2)))
struct SignalsTests {
  @Test("a signal that was ignored at the start is not waited for")
  func ignored() async {
    await #expect(processExitsWith: .success) {
      for number in [SIGINT, SIGTERM, SIGHUP, SIGUSR1] { signal(number, SIG_IGN) }
      let signals = Signals()
      signals.block()
      for number in [SIGINT, SIGTERM, SIGHUP, SIGUSR1] {
        raise(number)
        guard signals.pending() == .timeout else { fatalError("\(number)") }
      }
    }
  }
}
