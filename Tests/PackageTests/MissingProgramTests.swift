// A test that needs a program which is not installed fails at once, with one
// sentence, and leaves no zombie: Swift Testing waits for its exit tests with
// waitid(P_ALL, WNOWAIT), to which a zombie is the answer forever.

import Foundation
import TestSupport
import Testing

@Suite("A missing program", .timeLimit(.minutes(1)))
struct MissingProgramTests {
  @Test("fails with a sentence that names the Debian package")
  func sentence() async throws {
    let empty = try TemporaryDirectory()
    await #expect(processExitsWith: .success) { [path = empty.text as String] in
      setenv("PATH", path, 1)
      let error = #expect(throws: MissingProgram.self) {
        try Command("xxhsum", "-H1").runBlocking()
      }
      #expect(
        error?.description == "xxhsum is not installed; Debian's package xxhash contains it")
    }
  }

  @Test("leaves no zombie")
  func noZombie() async {
    await #expect(processExitsWith: .success) {
      #expect(throws: MissingProgram.self) { try Command("no-such-program").runBlocking() }
      let child = waitpid(-1, nil, WNOHANG)
      #expect(child == -1 && errno == ECHILD)
    }
  }

  @Test("in a test that ends early, a running one is killed and reaped")
  func abandoned() async {
    await #expect(processExitsWith: .success) {
      _ = try Child(Command("sleep", "60"))
      let child = waitpid(-1, nil, WNOHANG)
      #expect(child == -1 && errno == ECHILD)
    }
  }
}
