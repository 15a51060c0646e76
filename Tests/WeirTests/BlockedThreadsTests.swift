// Time-outs and children while all threads that libdispatch has for serial queues are blocked.

import Dispatch
import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct BlockedThreadsTests {
  /// Serial queues that occupy all 255 threads of one quality of service until the latch opens.
  struct Blockage {
    private let begun = Shared(0)
    private let hold = Latch()

    init() async {
      let (begun, hold) = (begun, hold)
      for _ in 0..<300 {
        DispatchQueue(label: "blocked").async {
          begun.change { $0 += 1 }
          hold.wait()
        }
      }
      if !(await eventually { begun.value >= 255 }) { fatalError("only \(begun.value) threads") }
    }

    /// Ends the blockage. Returns false if a thread had been free before.
    func end() -> Bool {
      defer { hold.open() }
      return begun.value == 255
    }
  }

  nonisolated(nonsending) private static func hasTimedOut() async -> Bool {
    do {
      try await Gate(label: "paused", permits: 0).acquire(timeout: .milliseconds(1)).release()
      return false
    } catch {
      return error is TimeoutError
    }
  }

  @MainActor private static func hasTimedOutOnMain() async -> Bool { await hasTimedOut() }

  @Test("waits of tasks time out")
  func waits() async throws {
    await #expect(processExitsWith: .success) {
      let blockage = await Blockage()
      let short = Duration.milliseconds(1)
      #expect(await Self.hasTimedOut())
      await #expect(throws: TimeoutError.self) {
        try await [0].mapConcurrently(limit: 1, options: MapOptions(timeout: short)) { _ in
          await untilCancelled()
        }
      }
      await #expect(throws: TimeoutError.self) {
        try await withTimeout(short) {
          await untilCancelled()
          try Task.checkCancellation()
        }
      }
      let lanes = Lanes(label: "stuck", width: 1)
      let group = WorkGroup(label: "stuck")
      group.async(on: lanes) {}
      #expect(await lanes.wait(timeout: short) == .timedOut)
      #expect((try? await group.wait(timeout: short)) == .timedOut)
      #expect(blockage.end())
      await lanes.wait()
    }
  }

  @Test("children are started, read, waited for and ended")
  func children() async throws {
    await #expect(processExitsWith: .success) {
      let blockage = await Blockage()
      let result = try await ChildProcess.run(["sh", "-c", "echo said; exit 3"])
      #expect(result.terminationStatus == .exited(3))
      #expect(result.standardOutput == Array("said\n".utf8))
      await #expect(throws: TimeoutError.self) {
        try await ChildProcess.run(["sleep", "1000"], timeout: .milliseconds(1))
      }
      let sleeper = try await ChildProcess(["sleep", "1000"])
      #expect(try await sleeper.collect(timeout: .milliseconds(1)) { _ in } == nil)
      sleeper.send(SIGKILL)
      #expect(try await sleeper.wait() == .signaled(SIGKILL))
      // Its SIGKILL, a second after SIGTERM, needs no thread either.
      let task = Task {
        try await ChildProcess.run(["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"])
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(blockage.end())
    }
  }

  @Test("lanes leave threads to the main actor")
  func mainActor() async throws {
    await #expect(processExitsWith: .success) {
      let hold = Latch()
      let lanes = [Lanes(label: "first", width: 150), Lanes(label: "second", width: 150)]
      for lanes in lanes {
        for _ in 0..<150 { lanes.async { hold.wait() } }
      }
      #expect(await eventually { lanes.map(\.statistics.running).reduce(0, +) == 240 })
      #expect(lanes.contains { $0.statistics.isShortOfThreads })
      #expect(await Self.hasTimedOutOnMain())
      #expect(lanes.map(\.statistics.running).reduce(0, +) == 240)
      hold.open()
      for lanes in lanes { await lanes.wait() }
      #expect(!lanes.contains { $0.statistics.isShortOfThreads })
    }
  }
}
