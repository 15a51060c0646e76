// What people reported of time-outs and children of other libraries, one sentence and one test each.

import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

private struct Bad: Error {}

@Suite(.timeLimit(.minutes(10)))
struct TimeReports {
  @Test("nothing of a body runs after its time-out has been thrown")
  func waitsForItsBody() async throws {
    let isRunning = Shared(true)
    await #expect(throws: TimeoutError.self) {
      try await withTimeout(.milliseconds(1)) {
        await untilCancelled()
        for _ in 0..<1000 { await Task.yield() }
        isRunning.change { $0 = false }
        try Task.checkCancellation()
      }
    }
    #expect(!isRunning.value)
  }

  @Test("the time of a request does not include its wait for a turn")
  func turn() async throws {
    let clock = ManualClock()
    let gate = Gate(label: "server", permits: 1)
    let held = try await gate.acquire()
    let request = Task {
      try await gate.withPermit { try await withTimeout(.seconds(1), clock: clock) { 42 } }
    }
    try #require(await eventually { gate.statistics.waiting == 1 })
    clock.advance(by: .seconds(3600))
    held.release()
    #expect(try await request.value == 42)
  }

  @Test("an error of the body is not taken for a time-out, nor a time-out for an error of the body")
  func toldApart() async throws {
    await #expect(throws: Bad.self) { try await withTimeout(.seconds(3600)) { throw Bad() } }
    let error = await #expect(throws: TimeoutError.self) {
      try await withTimeout(.seconds(3600), label: "outer") {
        try await withTimeout(.milliseconds(1), label: "inner") {
          try await Task.sleep(for: .seconds(3600))
        }
      }
    }
    #expect(error?.label == "inner")
  }

  @Test("a cancelled task is cancelled, not late")
  func cancelled() async throws {
    let gate = Gate(label: "held", permits: 0)
    let task = Task { try await withTimeout(.seconds(3600)) { try await gate.withPermit {} } }
    try #require(await eventually { gate.statistics.waiting == 1 })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(gate.statistics.waiting == 0)
  }

  @Test("a time-out of a blocked pool of threads comes nevertheless")
  func blockedPool() async throws {
    let lanes = Lanes(label: "stuck", width: 64)
    let hold = Latch()
    for _ in 0..<64 { lanes.async { hold.wait() } }
    defer { hold.open() }
    #expect(await lanes.wait(timeout: .milliseconds(1)) == .timedOut)
    await #expect(throws: TimeoutError.self) {
      try await withTimeout(.milliseconds(1)) { try await lanes.run {} }
    }
  }

  @Test("a grandchild that keeps the pipe open holds up neither a time-out nor a cancellation")
  func grandchild() async throws {
    let script = ["sh", "-c", "sleep 3600 & echo said; wait"]
    let error = await #expect(throws: TimeoutError.self) {
      try await ChildProcess.run(script, timeout: .milliseconds(300))
    }
    #expect(error?.childResult?.hasTimedOut == true)
    let task = Task { try await ChildProcess.run(script) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a child that fills both pipes, one after the other, is read to its end")
  func bothPipes() async throws {
    let script = [
      "sh", "-c", "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero; exit 4",
    ]
    let result = try await ChildProcess.run(script, input: Array(repeating: 0, count: 1_000_000))
    #expect(result.terminationStatus == .exited(4))
    #expect(result.standardOutput.count == 1_000_000 && result.standardError.count == 1_000_000)
  }
}
