// Lanes: closures that are freed. (Tests/CLibrary has every order of what
// lanes do.)

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.serialized, .timeLimit(.minutes(10)))
struct LanesTests {
  @Test("a job that is dropped or refused is reported, and the closures of all jobs are freed")
  func freed() async throws {
    let freed = Shared(0)
    let dropped = Shared(0)
    func job() -> @Sendable () -> Void {
      let token = Token { freed.change { $0 += 1 } }
      return { withExtendedLifetime(token) {} }
    }
    func drop() -> @Sendable () -> Void {
      let job = job()
      return {
        dropped.change { $0 += 1 }
        job()
      }
    }
    let lanes = Lanes(label: "freed", width: 2, backlog: 100)
    lanes.suspend()
    for _ in 0..<10 {
      lanes.async(job())
      lanes.async(job(), dropped: drop())
      #expect(lanes.tryAsync(job()))
    }
    #expect(lanes.cancel() == 30)
    #expect(freed.value == 40)
    lanes.close()
    lanes.async(job())
    lanes.async(job(), dropped: drop())
    #expect(!lanes.tryAsync(job()))
    #expect(freed.value == 44 && dropped.value == 11)
    lanes.resume()
  }

  @Test("the closures of notifications and inline jobs are freed too")
  func otherClosuresAreFreed() async throws {
    let freed = Latch()
    let lanes = Lanes(label: "notify-leak", width: 1)
    do {
      let token = Token { freed.open() }
      lanes.notify(on: DispatchQueue(label: "notified")) { withExtendedLifetime(token) {} }
    }
    #expect(try await onThread { freed.wait() })
    let inline = Shared(0)
    do {
      let token = Token { inline.change { $0 += 1 } }
      Lanes.inline(label: "inline-leak").async { withExtendedLifetime(token) {} }
    }
    #expect(inline.value == 1)
  }
}

/// An object that reports its destruction.
final class Token: Sendable {
  private let onDeinit: @Sendable () -> Void

  init(_ onDeinit: @escaping @Sendable () -> Void) {
    self.onDeinit = onDeinit
  }

  deinit {
    onDeinit()
  }
}
