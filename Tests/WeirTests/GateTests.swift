// Gate: one queue in order for threads and tasks; waits that end early and hold nothing; permits
// that are released at the end of their life; and the text of errors and statistics.

import CWeir
import Dispatch
import TestSupport
import Testing

@testable import Weir

@Suite(.timeLimit(.minutes(10)))
struct GateTests {
  @Test("a scope returns and throws like its body, with its permits, in every form")
  func scopes() async throws {
    let gate = Gate(label: "plain", permits: 1)
    try await onThread {
      let one = gate.withPermit { gate.statistics.inUse }
      let several = try gate.withPermits(1) { gate.statistics.inUse }
      #expect(one == 1 && several == 1)
      #expect(throws: Bad()) { try gate.withPermit { () throws(Bad) in throw Bad() } }
      #expect(throws: Bad()) { try gate.withPermits(1) { throw Bad() } }
    }
    #expect(try await gate.withPermit { gate.statistics.inUse } == 1)
    #expect(try await gate.withPermits(1) { gate.statistics.inUse } == 1)
    await #expect(throws: Bad()) { try await gate.withPermit { throw Bad() } }
    #expect(gate.statistics.inUse == 0 && gate.permits == 1 && gate.label == "plain")
  }

  @Test("a number of permits above the highest counts as the highest")
  func highest() {
    let gate = Gate(label: "without a limit", permits: .max)
    #expect(gate.permits == (1 << 45) - 1)
    gate.permits = 1
    gate.permits = .max
    #expect(gate.permits == Gate.permitsMax)
    #expect(weir_gate_resize(gate.handle, Gate.permitsMax + 1) != 0)
  }

  /// The body is the caller's own code: on its actor, with values that are not Sendable.
  @Test("a body runs on the caller's actor")
  func isolation() async throws {
    final class Notes { var count = 0 }
    actor Keeper {
      var count = 0
      func keep(_ gate: Gate) async throws -> Int {
        for _ in 0..<10 {
          try await gate.withPermit {
            count += 1
            await Task.yield()
            self.assertIsolated()
          }
        }
        let notes = Notes()
        return try await gate.withPermit {
          notes.count += 10
          return notes.count + count
        }
      }
    }
    #expect(try await Keeper().keep(Gate(label: "kept", permits: 1)) == 20)
  }

  @Test("a permit is released once, at the latest at the end of its life, also after its gate's")
  func permits() async throws {
    let gate = Gate(label: "values", permits: 8)
    func held() -> Int { gate.statistics.inUse }
    let permit = try await gate.acquire(5)
    #expect(held() == 5)
    let owned = permit.owned()
    #expect(held() == 5)
    owned.release()
    #expect(owned.release() == 0 && held() == 0)
    do { _ = try await gate.acquire(2) }
    #expect(held() == 0)
    var kept: OwnedPermit? = try await gate.acquire(2).owned()
    #expect(kept != nil && held() == 2)
    kept = nil
    #expect(held() == 0)
    do {
      let permit = try await gate.acquire(2)
      extendLifetime(permit)
      await Task.yield()
      // It lives to the end of its scope, whether it is looked at or not.
      #expect(held() == 2)
    }
    #expect(held() == 0)
    var gone: Gate? = Gate(label: "gone", permits: 2)
    let outliving = try await gone?.acquire(1).owned()
    let other = try await gone?.acquire(1).owned()
    gone = nil
    #expect(outliving?.release() == 0)
    _ = other
  }

  /// Threads, tasks, asynchronous work and callers in C arrive in turn.
  @Test(
    "all stand in one queue, and a release returns the number it lets through", arguments: [1, 3])
  func queue(permits: Int) async throws {
    let gate = Gate(label: "one queue", permits: permits)
    let order = Shared<[Int]>([])
    let permit = try await gate.acquire(permits)
    let queue = DispatchQueue(label: "work")
    let comers = 24
    for number in 0..<comers {
      let note: @Sendable () -> Void = { order.change { $0.append(number) } }
      switch number % 4 {
      case 0: startThread { _ = try? gate.withPermits(permits) { note() } }
      case 1: Task { try await gate.withPermits(permits) { note() } }
      case 2: try gate.async(permits, on: queue, note)
      default:
        nonisolated(unsafe) let handle = gate.handle
        startThread {
          if weir_gate_wait(handle, permits, ~0) == 0 {
            note()
            weir_gate_signal(handle, permits)
          }
        }
      }
      #expect(await eventually { gate.statistics.waiting == number + 1 })
    }
    #expect(permit.release() == 1)
    #expect(await eventually { order.value.count == comers && gate.statistics.inUse == 0 })
    #expect(order.value == Array(0..<comers))
  }

  /// Also a wait that is granted and then cancelled before the task runs again.
  @Test("a cancelled task takes nothing")
  func cancelled() async throws {
    let gate = Gate(label: "late", permits: 1)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await gate.withPermit {}
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(gate.statistics.inUse == 0 && gate.statistics.acquired == 0)
    let lanes = Lanes(label: "executor", width: 1)
    let permit = try await gate.acquire()
    let late = Task(executorPreference: lanes) { try await gate.withPermit {} }
    #expect(await eventually { gate.statistics.waiting == 1 })
    lanes.suspend()
    permit.release()
    #expect(gate.statistics.inUse == 1 && gate.statistics.waiting == 0)
    late.cancel()
    lanes.resume()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(gate.statistics.inUse == 0)
  }

  @Test("a cancellation handler may use the gate")
  func cancellationHandlers() async throws {
    let gate = Gate(label: "one", permits: 1)
    let held = try await gate.acquire()
    let tasks = (0..<50).map { _ in
      Task {
        try await withTaskCancellationHandler {
          try await gate.withPermit {}
        } onCancel: {
          #expect((try? gate.tryAcquire()?.release()) == .some(.none))
        }
      }
    }
    try #require(await eventually { gate.statistics.waiting == 50 })
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    held.release()
    try await gate.withPermit {}
  }

  @Test("a wait times out in every form, and holds nothing")
  func timesOut() async throws {
    let gate = Gate(label: "busy", permits: 1)
    let permit = try await gate.acquire()
    let soon = Duration.milliseconds(5)
    await #expect(throws: TimeoutError.self) { try await gate.withPermit(timeout: soon) {} }
    await #expect(throws: TimeoutError.self) { try await gate.withPermits(1, timeout: soon) {} }
    await #expect(throws: TimeoutError.self) { try await gate.acquire(timeout: .zero).release() }
    try await onThread {
      #expect(throws: TimeoutError.self) { try gate.withPermit(timeout: soon) {} }
      #expect(throws: TimeoutError.self) { try gate.withPermits(1, timeout: soon) {} }
      #expect(throws: TimeoutError.self) { try gate.acquire(timeout: soon).release() }
      let none = try gate.tryAcquire()?.release()
      #expect(none == nil)
    }
    permit.release()
    #expect(gate.statistics.inUse == 0 && gate.statistics.waiting == 0)
    #expect(try gate.tryAcquire()?.release() == 0)
  }

  @Test("a closed gate, and one with too few permits, refuse every form, at once and during a wait")
  func closedAndTooMany() async throws {
    let gate = Gate(label: "refusing", permits: 2)
    func expects(_ error: GateError, _ count: Int) async throws {
      await #expect(throws: error) { try await gate.acquire(count).release() }
      await #expect(throws: error) { try await gate.withPermits(count) {} }
      #expect(throws: error) { _ = try gate.tryAcquire(count)?.release() }
      #expect(throws: error) { try gate.async(count, on: .global()) {} }
      try await onThread {
        #expect(throws: error) { try gate.acquire(count).release() }
        #expect(throws: error) { try gate.withPermits(count) {} }
      }
    }
    try await expects(.tooMany, 3)
    let permit = try await gate.acquire(2)
    let resized = Task { try await gate.withPermits(2) {} }
    #expect(await eventually { gate.statistics.waiting == 1 })
    gate.permits = 1
    await #expect(throws: GateError.tooMany) { try await resized.value }
    let closed = Task { try await gate.withPermit {} }
    #expect(await eventually { gate.statistics.waiting == 1 })
    let ran = Shared(false)
    try gate.async(on: .global()) { ran.change { $0 = true } }
    gate.close()
    await #expect(throws: GateError.closed) { try await closed.value }
    #expect(gate.isClosed)
    try await expects(.closed, 1)
    permit.release()
    #expect(await eventually { ran.value && gate.statistics.inUse == 0 })
    #expect("\(GateError.closed)" == "the gate is closed")
    #expect(Set([GateError.closed, .tooMany, .closed]).count == 2)
  }

  @Test("an error names its gate, and the statistics are a line of English")
  func texts() async throws {
    let gate = Gate(label: "named", permits: 2)
    func text(_ wait: () async throws -> Void) async -> String {
      do { try await wait() } catch {
        #expect(((error as? GateError)?.label ?? (error as? TimeoutError)?.label) == "named")
        return "\(error)"
      }
      return "no error"
    }
    #expect(
      await text { try await gate.acquire(3).release() }
        == "the gate \"named\" has 2 permits; 3 were requested")
    let held = try await gate.acquire(2)
    #expect("\(gate.statistics)" == "2 of 2 permits in use (peak 2), 0 waiting, 1 acquired")
    for (count, words) in [(1, "1 free permit"), (2, "2 free permits")] {
      let soon = Duration.milliseconds(count - 1)
      #expect(
        await text { try await gate.withPermits(count, timeout: soon) {} }
          == "the gate \"named\" did not have \(words) in time")
    }
    held.release()
    gate.close()
    #expect(
      await text { try await onThread { try gate.withPermit(timeout: nil) {} } }
        == "the gate \"named\" is closed")
    let statistics = gate.statistics
    #expect(statistics.timeWaited >= statistics.longestWait && statistics.longestWait > .zero)
    let line = "\(statistics)"
    #expect(
      line.hasPrefix("0 of 2 permits in use (peak 2), 0 waiting, 1 acquired, 1 timed out, "))
    #expect(line.hasSuffix("s waited in all (at most \(statistics.longestWait.short)), closed"))
  }

  @Test("lanes' statistics are a line of English that ends with the bottleneck")
  func lanes() async {
    let lanes = Lanes(label: "printed", width: 2)
    lanes.suspend()
    for _ in 0..<3 { lanes.async {} }
    #expect(
      "\(lanes.statistics)"
        == "0 of 2 lanes run (peak 0), 3 queued (peak 3), 0 of 3 jobs finished; "
        + "\(lanes.statistics.limit)")
    #expect(lanes.cancel() == 3)
    lanes.close()
    lanes.async {}
    lanes.resume()
    await lanes.wait()
    #expect("\(lanes.statistics)".contains("3 dropped, 1 refused, closed; "))
  }
}
