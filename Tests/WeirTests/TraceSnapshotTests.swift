// Snapshots of gates, lanes and groups in known states. A snapshot has the objects of the whole
// process, so each test has a process of its own.

import Foundation
import Synchronization
import SystemPackage
import Testing
import TestSupport
import Weir

@Suite("Trace.snapshot", .timeLimit(.minutes(1)))
struct TraceSnapshotTests {
  @Test("shows a task that waits, the job that holds the permit, and the group")
  func state() async {
    await #expect(processExitsWith: .success) {
      _ = Trace.snapshot()
      let gate = Gate(label: "gate", permits: 2)
      let lanes = Lanes(label: "lanes", width: 1)
      let group = WorkGroup(label: "group")
      let (entered, go) = (Latch(), Latch())
      let membership = group.enter().owned()
      lanes.async {
        try? gate.withPermits(2) {
          entered.open()
          go.wait()
        }
      }
      lanes.async {}
      entered.wait()
      let task = Task { try await gate.withPermit { true } }
      while gate.statistics.waiting == 0 { await Task.yield() }
      let snapshot = Trace.snapshot()
      let gates = snapshot.gates
      try #require(gates.count == 1 && snapshot.lanes.count == 1 && snapshot.groups.count == 1)
      #expect(gates[0].label == "gate" && gates[0].permits == 2 && gates[0].inUse == 2)
      #expect(gates[0].waits.map(\.permits) == [1] && gates[0].waits[0].thread == nil)
      #expect(gates[0].holders.map(\.permits) == [2] && gates[0].holders[0].lanes == "lanes")
      #expect(gates[0].holders[0].job == 1 && !gates[0].holders[0].isCertain)
      #expect(snapshot.lanes[0].running == 1 && snapshot.lanes[0].queued == 1)
      #expect(snapshot.lanes[0].jobs.map(\.number) == [1] && snapshot.lanes[0].width == 1)
      #expect(snapshot.lanes[0].jobs[0].thread == gates[0].holders[0].thread)
      #expect(snapshot.groups[0].outstanding == 1 && !snapshot.groups[0].isCancelled)
      let text = snapshot.description
      #expect(text.contains("gate \"gate\": 2 of 2 permits in use, 1 waiting\n"))
      #expect(text.contains("\n  job 1 of \"lanes\" took 2, thread "))
      #expect(text.contains("\n  a task or submitted work waits for 1, for "))
      #expect(text.contains("\nlanes \"lanes\": 1 of 1 jobs running, 1 queued"))
      #expect(text.hasSuffix("\ngroup \"group\": 1 outstanding"))
      membership.leave()
      go.open()
      #expect(try await task.value)
      await lanes.wait()
      #expect(Trace.snapshot().gates[0].holders.isEmpty)
    }
  }

  @Test("is empty without an object")
  func nothing() async {
    await #expect(processExitsWith: .success) {
      #expect(Trace.snapshot().description == "")
    }
  }

  @Test("cannot be printed on a signal that has no handler")
  func signal() async {
    await #expect(processExitsWith: .success) {
      #expect(throws: Errno.invalidArgument) { try Trace.printSnapshot(onSignal: 9) }
      try Trace.printSnapshot(onSignal: 3)
    }
  }
}
