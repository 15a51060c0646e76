// Maps, windowed groups and owned queues in snapshots and recordings. These show the whole process,
// so each test has a process of its own.

import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct WatchedWorkTests {
  @Test("a snapshot shows maps that hang: by the place of the call, with counts and times")
  func hangingMaps() async {
    await #expect(processExitsWith: .success) {
      let empty = try await written { try WeirTrace.writeSnapshot(to: $0) }
      #expect(empty.contains("no gate, lanes, group, map or queue"))
      let begun = Shared(0)
      let hang: @Sendable (Int) async -> Void = { number in
        begun.change { $0 += 1 }
        if number > 0 { await untilCancelled() }
      }
      let forms = forms(hang)
      let tasks = forms.map { form in Task { try await form() } }
      // Each form has ended its first element, and two more hang.
      #expect(await eventually { begun.value == forms.count * 3 })
      let state = try await written { try WeirTrace.writeSnapshot(to: $0) }
      let hangs = ": 2 of 2 running, 0 waiting, 1 done, alive for "
      for (form, place) in places.prefix(5).enumerated() {
        #expect(
          state.contains("\(form == 4 ? "window" : "map") \"\(place)\"\(hangs)"), "\(state)")
      }
      // The numbers are those of the elements, from 1.
      let jobs = state.split(separator: "\n").filter { $0.hasPrefix("  job ") }
      #expect(jobs.count == 2 * forms.count)
      for job in [2, 3] {
        #expect(jobs.count { $0.hasPrefix("  job \(job), running for ") } == forms.count)
      }
      for task in tasks { task.cancel() }
      for task in tasks { _ = await task.result }
      #expect(
        await eventually {
          (try? writtenBlocking { try WeirTrace.writeSnapshot(to: $0) })?.contains("no gate")
            == true
        })
    }
  }

  @Test("a snapshot shows the waiting jobs of an owned queue, and how long one runs")
  func hangingQueue() async {
    await #expect(processExitsWith: .success) {
      _ = try await written { try WeirTrace.writeSnapshot(to: $0) }
      let queue = OwnedQueue(label: "counts", context: 0)
      let (begun, goesOn) = (Latch(), Latch())
      queue.async { _ in
        begun.open()
        goesOn.wait()
      }
      for _ in 0..<3 { queue.async { $0 += 1 } }
      let state = try await onThread {
        begun.wait()
        defer { goesOn.open() }
        return try writtenBlocking { try WeirTrace.writeSnapshot(to: $0) }
      }
      #expect(
        state.contains("queue \"counts\": 1 running, 3 waiting\n  job 1, running for "))
      #expect(await queue.sync { $0 } == 3)
    }
  }

  @Test("a snapshot and the watch show a task that waits for a group, until it no longer does")
  func waitingForGroup() async {
    await #expect(processExitsWith: .success) {
      let group = WorkGroup(label: "parcels")
      let membership = group.enter()
      let waiter = Task(name: "postman") { try await group.wait() }
      let line = " \"postman\" waits for the end, for "
      while !(try await written { try WeirTrace.writeSnapshot(to: $0) }).contains(line) {
        await Task.yield()
      }
      // The report goes to the standard error of this process.
      let pipe = try FileDescriptor.pipe()
      _ = try pipe.writeEnd.duplicate(as: .standardError)
      try WeirTrace.reportWaits(after: .milliseconds(10))
      let report = try await onThread {
        var (text, bytes) = ("", [UInt8](repeating: 0, count: 4096))
        while !text.contains("for the end") {
          let count = try bytes.withUnsafeMutableBytes { try pipe.readEnd.read(into: $0) }
          text += String(decoding: bytes[..<count], as: UTF8.self)
        }
        return text
      }
      #expect(report.contains("watch: group \"parcels\": 1 outstanding; no progress for "))
      #expect(report.contains("watch: group \"parcels\": task ") && report.contains(line))
      try WeirTrace.reportWaits(after: nil)
      membership.leave()
      _ = try await waiter.value
      let state = try await written { try WeirTrace.writeSnapshot(to: $0) }
      #expect(!state.contains("waits for the end"))
      #expect(throws: Errno.invalidArgument) { try WeirTrace.reportWaits(after: .seconds(-1)) }
    }
  }

  @Test("a snapshot is not in the way of maps that end meanwhile")
  func endingMaps() async {
    await #expect(processExitsWith: .success) {
      let null = try FileDescriptor.open("/dev/null", .writeOnly)
      let maps = Task.detached {
        while !Task.isCancelled { _ = try await (0..<4).mapConcurrently(limit: 2) { $0 } }
      }
      try await onThread { for _ in 0..<20_000 { try WeirTrace.writeSnapshot(to: null) } }
      maps.cancel()
      _ = await maps.result
    }
  }

  @Test("a recording has the elements of maps and the jobs of owned queues")
  func recording() async {
    await #expect(processExitsWith: .success) {
      let gate = Gate(label: "gate", permits: 1)
      let recorder = TraceRecorder()
      try await recorder.record {
        try await mapped(within: gate)
        let queue = OwnedQueue(label: "counts", context: 0)
        queue.async { $0 += 1 }
        #expect(await queue.sync { $0 } == 1)
        await #expect(throws: GateError.closed) {
          gate.close()
          try await looped(within: gate)
        }
      }
      let lines = try await written { try await recorder.write(to: $0, format: .jsonLines) }
        .split(separator: "\n")
      let count = { (event: String, label: String) in
        lines.count { $0.contains("\"ev\":\"\(event)\"") && $0.contains("\"q\":\"\(label)\"") }
      }
      let (map, refused) = (places[5], places[6])
      for event in ["submit", "start", "end"] {
        #expect(count(event, map) == 3, "\(event)")
        #expect(count(event, "counts") == 2, "\(event)")
      }
      // Elements that got no permit never began.
      #expect(count("submit", refused) > 0 && count("start", refused) == 0)
      #expect(count("cancel", refused) == count("submit", refused))
    }
  }
}

/// The places of the calls below.
private let places = [6, 7, 8, 9, 11, 19, 23].map {
  "WeirTests/WatchedWorkTests.swift:\(first + $0)"
}
private let first = #line

private func forms(
  _ hang: @escaping @Sendable (Int) async -> Void
) -> [@Sendable () async throws -> Void] {
  [
    { _ = try await (0..<9).mapConcurrently(limit: 2, hang) },
    { _ = try await stream(0..<9).mapConcurrently(limit: 2, failures: .becomeNil, hang) },
    { try await (0..<9).forEachConcurrently(limit: 2, hang) },
    { for await _ in (0..<9).concurrentlyMapped(limit: 2, hang) {} },
    {
      try await withWindowedTaskGroup(limit: 2) { group in
        for number in 0..<9 { try await group.addTask { await hang(number) } }
      }
    },
  ]
}

private func mapped(within gate: Gate) async throws {
  _ = try await (0..<3).mapConcurrently(limit: 2, within: gate) { $0 }
}

private func looped(within gate: Gate) async throws {
  try await (0..<3).forEachConcurrently(limit: 2, within: gate) { _ in }
}
