// Programmers' errors at a gate: a message with its name, then a trap; and calls that resemble
// an error but are none.

import Dispatch
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct GateMisuseTests {
  @Test func aNegativeNumberIsReported() async {
    await expectMisuse("\"few\"", "-1") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        _ = Gate(label: "few", permits: -1)
      }
    }
    await expectMisuse("\"few\"", "-2") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        _ = try? await Gate(label: "few", permits: 1).acquire(-2).count
      }
    }
    await expectMisuse("\"few\"", "resized to -3") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        Gate(label: "few", permits: 1).permits = -3
      }
    }
    await expectMisuse("3 permits were to be split off from 2") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        var permit = try await Gate(label: "few", permits: 2).acquire(2)
        permit.split(3).release()
      }
    }
  }

  @Test func withPermitOfAClosedGateIsReported() async {
    await expectMisuse("\"shut\"", "is closed", "use withPermits") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let gate = Gate(label: "shut", permits: 1)
        gate.close()
        startThread { gate.withPermit {} }
        while true { try await Task.sleep(for: .seconds(1)) }
      }
    }
  }

  @Test func aTaskThatWaitsForItselfIsReported() async {
    await expectMisuse("\"nested\"", "1 more permit by a task", "holds 2 of its 2", "needs at once")
    {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let gate = Gate(label: "nested", permits: 2)
        try await gate.withPermit {
          try await gate.withPermit { try await gate.withPermit {} }
        }
      }
    }
    // Although another task could still release a permit, two are needed.
    await expectMisuse("\"nested\"", "2 more permits by a task", "holds 2 of its 3") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let gate = Gate(label: "nested", permits: 3)
        let other = try await gate.acquire()
        try await gate.withPermits(2) {
          let permit = try await gate.acquire(2)
          permit.release()
        }
        other.release()
      }
    }
  }

  /// A scope does not end before its body, wherever the body runs.
  @Test func aThreadThatWaitsForItselfIsReported() async {
    await expectMisuse("\"nested\"", "1 more permit by a thread", "holds 1 of its 1") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let gate = Gate(label: "nested", permits: 1)
        startThread { gate.withPermit { gate.withPermit {} } }
        while true { try await Task.sleep(for: .seconds(1)) }
      }
    }
    await expectMisuse("\"nested\"", "1 more permit by a thread", "holds 2 of its 2") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let gate = Gate(label: "nested", permits: 2)
        let lanes = Lanes(label: "jobs", width: 1)
        lanes.async { try? gate.withPermits(2) { gate.withPermit {} } }
        await lanes.wait()
      }
    }
    await expectMisuse("\"nested\"", "1 more permit by a thread", "holds 1 of its 1") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let gate = Gate(label: "nested", permits: 1)
        try gate.async(on: DispatchQueue(label: "queue")) { gate.withPermit {} }
        while true { try await Task.sleep(for: .seconds(1)) }
      }
    }
    // The permit that lanes within a gate take for their job.
    await expectMisuse("\"nested\"", "1 more permit by a thread", "holds 1 of its 1") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let gate = Gate(label: "nested", permits: 1)
        let lanes = Lanes(label: "jobs", width: 1, within: gate)
        lanes.async { gate.withPermit {} }
        await lanes.wait()
      }
    }
    // A synchronous function that a task calls in its scope.
    await expectMisuse("\"nested\"", "1 more permit by a thread", "holds 1 of its 1") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let gate = Gate(label: "nested", permits: 1)
        @Sendable func synchronous() { gate.withPermit {} }
        try await gate.withPermit { synchronous() }
      }
    }
  }

  @Test func tasksThatWaitForEachOtherAreReported() async {
    await expectMisuse("\"crossed\"", "all who hold permits wait for each other") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let gate = Gate(label: "crossed", permits: 2)
        @Sendable func cross() {
          gate.withPermit {
            _ = eventuallyBlocking { gate.statistics.inUse == 2 }
            gate.withPermit {}
          }
        }
        startThread { cross() }
        startThread { cross() }
        while true { try await Task.sleep(for: .seconds(1)) }
      }
    }
    await expectMisuse("\"crossed\"", "all who hold permits wait for each other") {
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        prepareToDie()
        let gate = Gate(label: "crossed", permits: 2)
        _ = try await (0..<4).mapConcurrently(limit: 4, within: gate) { _ in
          // Both have begun before either asks for more.
          while gate.statistics.inUse < 2 { await Task.yield() }
          let permit = try await gate.acquire()
          permit.release()
        }
      }
    }
  }

  /// Each wait is longer than the time after which a wait for oneself is reported.
  @Test func waitsThatMayStillBeServedAreNotReported() async throws {
    let gate = Gate(label: "patient", permits: 1)
    let patience = Duration.seconds(5)
    async let ofAnother: Void = gate.withPermit {
      // Inherits the scope, and is served when that has ended.
      let heir = Task { try await gate.withPermit {} }
      try await Task.sleep(for: patience)
      _ = heir
    }
    let small = Gate(label: "to be resized", permits: 1)
    startThread { if eventuallyBlocking({ small.statistics.waiting == 1 }) { small.permits = 2 } }
    async let resized: Void = small.withPermit {
      let permit = try await small.acquire()
      permit.release()
    }
    // Carried off by a job, and given back by somebody else.
    let carried = Gate(label: "carried", permits: 1)
    let lanes = Lanes(label: "jobs", width: 1)
    lanes.async {
      guard let owned = try? carried.acquire().owned() else { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(4)) { owned.release() }
      carried.withPermit {}
    }
    // Another thread returns what the scope of this one lacks.
    let shared = Gate(label: "shared", permits: 2)
    let other = try await shared.acquire().owned()
    startThread { shared.withPermit { shared.withPermit {} } }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(4)) { other.release() }
    let timed = Gate(label: "timed", permits: 1)
    let timedOut = Task {
      try await timed.withPermit {
        let permit = try await timed.acquire(timeout: .seconds(3))
        permit.release()
      }
    }
    try await ofAnother
    try await resized
    await #expect(throws: GateError.timedOut) { try await timedOut.value }
    #expect(await eventually { gate.statistics.inUse == 0 && gate.statistics.acquired == 2 })
    await lanes.wait()
    #expect(await eventually { shared.statistics.inUse == 0 && shared.statistics.acquired == 3 })
    #expect(carried.statistics.inUse == 0 && carried.statistics.acquired == 2)
  }
}

/// No core file.
func prepareToDie() {
  var none = rlimit()
  setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
}

/// Expects one sentence with all these words, before a trap.
func expectMisuse(
  _ words: String..., location: SourceLocation = #_sourceLocation,
  of child: () async -> ExitTest.Result?
) async {
  let result = await child()
  let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  let lines = text.split(separator: "\n").filter { $0.hasPrefix("weir: misuse: ") }
  // Two threads that wait for each other may find it at once.
  #expect(Set(lines).count == 1, "\(text)", sourceLocation: location)
  for word in words {
    #expect(lines.first?.contains(word) == true, "\(text)", sourceLocation: location)
  }
  let trapped = [ExitStatus.signal(SIGILL), .signal(SIGTRAP)]
  #expect(result.map { trapped.contains($0.exitStatus) } == true, sourceLocation: location)
}
