// Recordings, the observer, and snapshots of what exists. These show the whole process, so each
// test has a process of its own. (Tests/CLibrary has the formats and the events.)

import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct TraceTests {
  @Test("a body is recorded up to its error, in both forms")
  func throwing() async {
    await #expect(processExitsWith: .success) {
      struct Failure: Error {}
      let recorder = TraceRecorder()
      await #expect(throws: Failure.self) {
        try await recorder.record {
          WeirTrace.note("on the way")
          throw Failure()
        }
      }
      #expect(recorder.statistics.events == 1)
      let inSync: () throws -> Void = {
        try recorder.record {
          WeirTrace.note("on the way")
          WeirTrace.note("and on")
          throw Failure()
        }
      }
      #expect(throws: Failure.self) { try inSync() }
      #expect(recorder.statistics.events == 2)
      WeirTrace.note("over")
      #expect(recorder.statistics.events == 2)
    }
  }

  @Test("the recorder writes both formats, from threads and from tasks")
  func formats() async {
    await #expect(processExitsWith: .success) {
      let recorder = TraceRecorder()
      try await recorder.record {
        let lanes = Lanes(label: "traced", width: 2)
        for _ in 0..<5 { lanes.async {} }
        await lanes.wait()
        WeirTrace.note("a \"quoted\" note", job: 3, value: 7)
      }
      let lines = try await written { try await recorder.write(to: $0, format: .jsonLines) }
        .split(separator: "\n")
      #expect(lines.count == recorder.statistics.events)
      #expect(lines.allSatisfy { $0.hasPrefix("{\"t\":") && $0.hasSuffix("}") })
      #expect(lines.count { $0.contains("\"ev\":\"submit\"") } == 5)
      #expect(lines.contains { $0.contains("a \\\"quoted\\\" note") && $0.contains("\"task\":3") })
      let tree = try await written { file in
        try await onThread { try recorder.write(to: file, format: .traceEvents) }
      }
      #expect(tree.contains("traceEvents") || tree.hasPrefix("["))
      await #expect(throws: Errno.badFileDescriptor) {
        try await recorder.write(to: FileDescriptor(rawValue: -1), format: .jsonLines)
      }
    }
  }

  @Test("the observer receives the events of lanes, groups and gates in order")
  func events() async {
    await #expect(processExitsWith: .success) {
      let seen = Shared<[TraceEvent]>([])
      WeirTrace.setObserver { event in seen.change { $0.append(event) } }
      let lanes = Lanes(label: "lanes", width: 3)
      let other = Lanes(label: "lanes", width: 1)
      let group = WorkGroup(label: "group")
      other.suspend()
      other.async {}
      other.cancel()
      other.resume()
      group.async(on: lanes) {}
      try await group.wait()
      await lanes.wait()
      group.cancel()
      WeirTrace.note("mark", job: 12, value: -3)
      WeirTrace.setObserver(nil)
      WeirTrace.note("unseen")

      let events = seen.value
      let kinds = { (label: String) in events.filter { $0.label == label }.map(\.kind) }
      #expect(kinds("group") == [.enter, .leave, .cancel])
      #expect(kinds("lanes").sorted(by: before) == [.submit, .submit, .start, .end, .cancel])
      #expect(kinds("mark") == [.note] && kinds("unseen").isEmpty)
      let lane = events.filter { $0.label == "lanes" }
      #expect(Set(lane.map(\.source)).count == 2 && !lane.map(\.source).contains(nil))
      let ran = lane.filter { $0.source == lane.first { $0.kind == .start }?.source }
      #expect(ran.map(\.kind) == [.submit, .start, .end])
      #expect(ran.allSatisfy { $0.job == 1 && (0..<3).contains($0.lane) && $0.count == 1 })
      #expect(ran[0].time <= ran[1].time && ran[0].time > .zero)
      let note = events.first { $0.kind == .note }
      #expect(note?.job == 12 && note?.count == 0 && note?.source == nil)
      #expect(events.first { $0.kind == .enter }?.count == 1)
    }
  }

  @Test("a snapshot shows the job that holds a permit; a signal without a handler is refused")
  func snapshot() async {
    await #expect(processExitsWith: .success) {
      let gate = Gate(label: "gate", permits: 2)
      let lanes = Lanes(label: "lanes", width: 1)
      let text = Shared("")
      lanes.async {
        gate.withPermit {
          let written = try? processState()
          text.change { $0 = written ?? "" }
        }
      }
      await lanes.wait()
      #expect(text.value.contains("gate \"gate\": 1 of 2 permits in use\n"))
      #expect(text.value.contains("\n  job 1 of \"lanes\" took 1, thread "))
      #expect(throws: Errno.badFileDescriptor) {
        try WeirTrace.writeSnapshot(to: FileDescriptor(rawValue: -1))
      }
      #expect(throws: Errno.invalidArgument) { try WeirTrace.printSnapshot(onSignal: 9) }
      try WeirTrace.printSnapshot(onSignal: 3)
    }
  }

  /// From the first snapshot on; the numbers and places are known without one.
  @Test("a deadlock of two tasks names both, as holders and as waiters, with the places")
  func deadlock() async {
    await #expect(processExitsWith: .success) {
      try WeirTrace.printSnapshot(onSignal: SIGUSR2)
      let recorder = TraceRecorder()
      try recorder.start()
      let gates = [Gate(label: "a", permits: 1), Gate(label: "b", permits: 1)]
      let meeting = Meeting(of: 2)
      let tasks = [0, 1].map { number in
        Task(name: ["first", "second"][number]) {
          try await gates[number].withPermit {
            _ = await meeting.arrive()
            try await gates[1 - number].withPermit {}
          }
        }
      }
      #expect(await eventually { gates.allSatisfy { $0.statistics.waiting == 1 } })
      let text = try processState()
      let place = #"at WeirTests/TraceTests\.swift:\d+"#
      for (holder, waiter) in [("first", "second"), ("second", "first")] {
        let state = try Regex(
          #"permits in use, 1 waiting\n  task \d+ "\#(waiter)" \#(place) waits for 1, for .* s\n"#
            + #"  task \d+ "\#(holder)" \#(place) holds 1, for .* s\n"#)
        #expect(text.contains(state), "\(text)")
      }
      for task in tasks { task.cancel() }
      for task in tasks { _ = await task.result }
      recorder.stop()
      let lines = try await written { try await recorder.write(to: $0, format: .jsonLines) }
      for event in ["acquired", "wait"] {
        for name in ["first", "second"] {
          let line = try Regex(#""ev":"\#(event)".*,"by":"task \d+ \\"\#(name)\\" \#(place)""#)
          #expect(lines.contains(line), "\(lines)")
        }
      }
      #expect(try !processState().contains("holds"))
    }
  }

  @Test("the holder is known at the first snapshot, on a thread too from then on")
  func holders() async {
    await #expect(processExitsWith: .success) {
      let gate = Gate(label: "held", permits: 2)
      let first = try await gate.withPermit { try processState() }
      #expect(first.contains(#/\n  task \d+ at WeirTests.TraceTests.swift:\d+ holds 1\n/#))
      let second = try await onThread { try gate.withPermits(2) { try processState() } }
      let holder = #/\n  thread \d+ at WeirTests.TraceTests.swift:\d+ holds 2, /#
      #expect(second.contains(holder))
    }
  }

  @Test("an observer can be replaced while threads execute it, and no event is reported twice")
  func replacement() async {
    await #expect(processExitsWith: .success) {
      let told = Shared(0)
      let isOver = Shared(false)
      let left = Rendezvous(of: 4)
      let noted = Shared(0)
      WeirTrace.setObserver { _ in told.change { $0 += 1 } }
      for _ in 0..<3 {
        startThread {
          while !isOver.value {
            WeirTrace.note("a note of more than fifteen bytes")
            noted.change { $0 += 1 }
          }
          _ = left.arrive()
        }
      }
      try await onThread {
        for _ in 0..<500 {
          WeirTrace.setObserver { event in
            told.change { $0 += event.label == "a note of more than fifteen bytes" ? 1 : 1000 }
          }
          sched_yield()
        }
        isOver.change { $0 = true }
        _ = left.arrive()
      }
      #expect(told.value == noted.value)
    }
  }

  @Test("a snapshot shows maps that hang: by the place of the call, with counts and times")
  func hangingMaps() async {
    await #expect(processExitsWith: .success) {
      let empty = try processState()
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
      let state = try processState()
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
          (try? processState())?.contains("no gate")
            == true
        })
    }
  }

  @Test("a snapshot and the watch show the waiting jobs of an owned queue, and how long one runs")
  func hangingQueue() async {
    await #expect(processExitsWith: .success) {
      _ = try processState()
      let queue = OwnedQueue(label: "counts", context: 0)
      let (begun, goesOn) = (Latch(), Latch())
      queue.async { _ in
        begun.open()
        goesOn.wait()
      }
      for _ in 0..<3 { queue.async { $0 += 1 } }
      let state = try await onThread {
        begun.wait()
        return try processState()
      }
      let line = "queue \"counts\": 1 running, 3 waiting"
      #expect(state.contains("\(line)\n  job 1, running for "))
      let report = try await reported("job 1, running for ")
      #expect(report.contains("watch: \(line); no progress for "))
      #expect(report.contains("watch: queue \"counts\": job 1, running for "))
      goesOn.open()
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
      while !(try processState()).contains(line) {
        await Task.yield()
      }
      let report = try await reported("for the end")
      #expect(report.contains("watch: group \"parcels\": 1 outstanding; no progress for "))
      #expect(report.contains("watch: group \"parcels\": task ") && report.contains(line))
      try WeirTrace.reportWaits(after: nil)
      membership.leave()
      _ = try await waiter.value
      let state = try processState()
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

private func reported(_ words: String) async throws -> String {
  let pipe = try FileDescriptor.pipe()
  _ = try pipe.writeEnd.duplicate(as: .standardError)
  try WeirTrace.reportWaits(after: .milliseconds(10))
  return try await onThread {
    var (text, bytes) = ("", [UInt8](repeating: 0, count: 4096))
    while !text.contains(words) {
      let count = try bytes.withUnsafeMutableBytes { try pipe.readEnd.read(into: $0) }
      text += String(decoding: bytes[..<count], as: UTF8.self)
    }
    return text
  }
}

private func before(_ one: TraceEvent.Kind, _ other: TraceEvent.Kind) -> Bool {
  let all = TraceEvent.Kind.allCases
  return all.firstIndex(of: one) ?? 0 < all.firstIndex(of: other) ?? 0
}

private func written(_ write: (FileDescriptor) async throws -> Void) async throws -> String {
  let directory = try TemporaryDirectory()
  let file = try FileDescriptor.open(
    FilePath(directory.text + "/trace"), .writeOnly, options: [.create],
    permissions: .ownerReadWrite)
  try await write(file)
  try file.close()
  return String(decoding: directory.content("trace") ?? [], as: UTF8.self)
}

private func processState() throws -> String {
  let directory = try TemporaryDirectory()
  let file = try FileDescriptor.open(
    FilePath(directory.text + "/state"), .writeOnly, options: [.create],
    permissions: .ownerReadWrite)
  try WeirTrace.writeSnapshot(to: file)
  try file.close()
  return String(decoding: directory.content("state") ?? [], as: UTF8.self)
}

/// The places of the calls below.
private let places = [6, 7, 8, 9, 11, 19, 23].map {
  "WeirTests/TraceTests.swift:\(first + $0)"
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
