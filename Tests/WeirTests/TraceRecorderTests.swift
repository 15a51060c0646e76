// The recorder and the observer. A process has one observer, so each test runs in a process of
// its own.

import SystemPackage
import TestSupport
import Testing
import Weir
import WeirLibC

@Suite(.timeLimit(.minutes(10)))
struct TraceRecorderTests {
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
      let tree = try await onThread {
        try writtenBlocking { try recorder.write(to: $0, format: .traceEvents) }
      }
      #expect(tree.contains("traceEvents") || tree.hasPrefix("["))
      await #expect(throws: Errno.badFileDescriptor) {
        try await recorder.write(to: FileDescriptor(rawValue: -1), format: .jsonLines)
      }
    }
  }
}

@Suite(.timeLimit(.minutes(10)))
struct TraceTests {
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
          let written = try? writtenBlocking { try WeirTrace.writeSnapshot(to: $0) }
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
      let text = try await written { try WeirTrace.writeSnapshot(to: $0) }
      let place = #"at WeirTests/TraceRecorderTests\.swift:\d+"#
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
      let snapshot = try await written { try WeirTrace.writeSnapshot(to: $0) }
      #expect(!snapshot.contains("holds"))
    }
  }

  @Test("the holder is known at the first snapshot, on a thread too from then on")
  func holders() async {
    await #expect(processExitsWith: .success) {
      let gate = Gate(label: "held", permits: 2)
      let first = try await gate.withPermit {
        try await written { try WeirTrace.writeSnapshot(to: $0) }
      }
      #expect(first.contains(#/\n  task \d+ at WeirTests.TraceRecorderTests.swift:\d+ holds 1\n/#))
      let second = try await onThread {
        try gate.withPermits(2) { try writtenBlocking { try WeirTrace.writeSnapshot(to: $0) } }
      }
      let holder = #/\n  thread \d+ at WeirTests.TraceRecorderTests.swift:\d+ holds 2, /#
      #expect(second.contains(holder))
    }
  }

  @Test("an observer can be replaced while threads execute it, and no event is reported twice")
  func replacement() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
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
}

private func before(_ one: TraceEvent.Kind, _ other: TraceEvent.Kind) -> Bool {
  let all = TraceEvent.Kind.allCases
  return all.firstIndex(of: one) ?? 0 < all.firstIndex(of: other) ?? 0
}

func written(_ write: (FileDescriptor) async throws -> Void) async throws -> String {
  let file = try TraceFile()
  try await write(file.descriptor)
  return try file.contents()
}

func writtenBlocking(_ write: (FileDescriptor) throws -> Void) throws -> String {
  let file = try TraceFile()
  try write(file.descriptor)
  return try file.contents()
}

private final class TraceFile {
  let descriptor: FileDescriptor
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let path = FilePath(String(decoding: directory.path("trace"), as: UTF8.self))
    descriptor = try FileDescriptor.open(
      path, .readWrite, options: [.create], permissions: .ownerReadWrite)
  }

  func contents() throws -> String {
    let size = try descriptor.seek(offset: 0, from: .end)
    var bytes = [UInt8](repeating: 0, count: Int(size))
    _ = try bytes.withUnsafeMutableBytes { try descriptor.read(fromAbsoluteOffset: 0, into: $0) }
    try descriptor.close()
    return String(decoding: bytes, as: UTF8.self)
  }
}
