// The timeline of a log: each rule on a log by hand, and the invariants on random ones.

import TestSupport
import Testing

@testable import Demos

@Suite("timelines")
struct TimelineTests {
  private func timeline(_ lines: String...) throws -> Timeline {
    try Timeline(TraceLog(jsonLines: lines.joined(separator: "\n") + "\n"))
  }

  @Test("a wait of a running job is drawn over both, and never counts as running")
  func waitOfJob() throws {
    let timeline = try timeline(
      #"{"t":0,"ev":"submit","thr":1,"q":"jobs","obj":1,"task":1,"v":1}"#,
      #"{"t":1,"ev":"start","thr":2,"q":"jobs","obj":1,"task":1,"lane":0,"v":1}"#,
      #"{"t":2,"ev":"wait","thr":2,"q":"gate","obj":2,"task":9,"v":1}"#,
      #"{"t":5,"ev":"timeout","thr":2,"q":"gate","obj":2,"task":9,"v":1}"#,
      #"{"t":7,"ev":"end","thr":2,"q":"jobs","obj":1,"task":1,"lane":0,"v":1}"#)
    let row = try #require(timeline.tasks.first)
    #expect(timeline.tasks.count == 1)
    #expect(row.slices.map(\.kind) == [.queued, .running, .waiting])
    #expect(row.slices.map(\.begin) == [0, 1, 2])
    #expect(row.slices.map(\.end) == [1, 7, 5])
    #expect(timeline.threads[1].slices.map(\.kind) == [.running, .waiting])
    #expect(timeline.threads[1].slices.map(\.row) == [0, 0])
    #expect(timeline.log.events(.timeout, of: "gate").count == 1)
  }

  @Test("a task that is suspended is on no thread until it is resumed, maybe on another")
  func suspended() throws {
    let timeline = try timeline(
      #"{"t":0,"ev":"start","thr":1,"q":"tasks","obj":1,"task":1,"lane":0,"v":1}"#,
      #"{"t":1,"ev":"wait","thr":1,"q":"tasks","obj":1,"task":1,"lane":1,"v":1}"#,
      #"{"t":2,"ev":"start","thr":1,"q":"tasks","obj":1,"task":2,"lane":0,"v":1}"#,
      #"{"t":3,"ev":"end","thr":1,"q":"tasks","obj":1,"task":2,"lane":0,"v":1}"#,
      #"{"t":4,"ev":"acquired","thr":2,"q":"tasks","obj":1,"task":1,"lane":1,"v":1}"#,
      #"{"t":5,"ev":"end","thr":2,"q":"tasks","obj":1,"task":1,"lane":0,"v":1}"#)
    #expect(timeline.tasks.map(\.number) == [1, 2])
    #expect(timeline.tasks[0].slices.map(\.kind) == [.running, .suspended])
    #expect(timeline.tasks[0].slices.map(\.end) == [5, 4])
    #expect(timeline.threads[0].slices.map(\.row) == [0, 1])
    #expect(timeline.threads[0].slices.map(\.end) == [1, 3])
    #expect(timeline.threads[1].slices.map(\.begin) == [4])
    #expect(timeline.threads[1].slices.map(\.end) == [5])
    let running = timeline.curves.filter { $0.measure == .running }
    #expect(running.map(\.subject) == ["tasks"])
    #expect(running.first?.steps.map(\.value) == [1, 0, 1, 0, 1, 0])
  }

  @Test("jobs that overlap on one thread are drawn as tasks alone")
  func overlap() throws {
    let timeline = try timeline(
      #"{"t":0,"ev":"start","thr":1,"q":"tasks","obj":1,"task":1,"lane":0,"v":1}"#,
      #"{"t":1,"ev":"start","thr":1,"q":"tasks","obj":1,"task":2,"lane":0,"v":1}"#,
      #"{"t":2,"ev":"end","thr":1,"q":"tasks","obj":1,"task":1,"lane":0,"v":1}"#,
      #"{"t":3,"ev":"end","thr":1,"q":"tasks","obj":1,"task":2,"lane":0,"v":1}"#)
    #expect(timeline.threads[0].slices.isEmpty)
    #expect(timeline.tasks.flatMap(\.slices).count == 2)
    #expect(timeline.log.events(.end, of: "tasks").map(\.task) == [1, 2])
  }

  @Test("a wait of a thread without a job that never ends stays open; notes name rows")
  func openEnds() throws {
    let timeline = try timeline(
      #"{"t":0,"ev":"note","thr":1,"q":"main","v":0}"#,
      #"{"t":0,"ev":"note","thr":1,"q":"name Lake","task":1,"v":0}"#,
      #"{"t":1,"ev":"submit","thr":1,"q":"jobs","obj":1,"task":1,"v":1}"#,
      #"{"t":2,"ev":"wait","thr":1,"q":"gate","obj":2,"v":1}"#,
      #"{"t":3,"ev":"note","thr":2,"q":"heartbeat","v":4}"#)
    #expect(timeline.threads.map(\.name) == ["main", "thread 2"])
    #expect(timeline.tasks.map(\.name) == ["Lake"])
    #expect(timeline.threads[0].slices.map(\.kind) == [.waiting])
    #expect(timeline.threads[0].slices.first?.end == nil)
    let slices = timeline.tasks.flatMap(\.slices) + timeline.threads.flatMap(\.slices)
    #expect(slices.filter { $0.end == nil }.map(\.kind) == [.queued, .waiting])
  }

  @Test("a dropped job ends")
  func dropped() throws {
    let timeline = try timeline(
      #"{"t":0,"ev":"submit","thr":1,"q":"jobs","obj":1,"task":1,"v":1}"#,
      #"{"t":4,"ev":"cancel","thr":1,"q":"jobs","obj":1,"task":1,"v":1}"#)
    #expect(timeline.tasks.first?.slices.map(\.end) == [4])
    #expect(timeline.curves.first { $0.measure == .queued }?.steps.map(\.value) == [1, 0])
  }

  @Test("a run's timeline has a slice for each activity and never breaks the limit")
  func runs() {
    var random = TestSupport.SeededGenerator(for: "timeline of a run")
    for _ in 0..<200 {
      let run = RandomRun(&random)
      let timeline = Timeline(TraceLog(events: run.events))
      let log = timeline.log
      let waits = log.events(.wait).count
      let slices = timeline.tasks.flatMap(\.slices)
      let comment: Comment = "seed \(testSeed)"
      #expect(timeline.tasks.count == run.jobs, comment)
      #expect(slices.filter { $0.kind == .queued }.count == run.jobs, comment)
      #expect(slices.filter { $0.kind == .running }.count == run.jobs, comment)
      #expect(slices.filter { $0.kind == .waiting }.count == waits, comment)
      #expect(slices.allSatisfy { $0.end != nil }, comment)
      #expect(log.events.allSatisfy { $0.inUse ?? 0 <= run.permits }, comment)
      #expect(log.events(.signal, of: "gate").count { $0.woken == true } == waits, comment)
      #expect(Set(log.events(.start).map(\.task)) == Set(1...run.jobs), comment)
      let threadSlices = timeline.threads.flatMap(\.slices)
      #expect(threadSlices.filter { $0.kind == .running }.count == run.jobs, comment)
      #expect(threadSlices.filter { $0.kind == .waiting }.count == waits, comment)
      for curve in timeline.curves {
        #expect(curve.steps.allSatisfy { $0.value >= 0 }, "\(curve.measure), \(comment)")
      }
      let free = timeline.curves.first { $0.measure == .free }
      #expect(free?.steps.last?.value == free?.steps.map(\.value).max(), comment)
    }
  }

  @Test("the time for a log grows with its length alone", .timeLimit(.minutes(1)))
  func long() {
    let kinds: [TraceLog.Kind] = [.start, .wait, .acquired, .end]
    let events = (0..<100_000).map { number in
      let kind = kinds[number % 4]
      let isJob = kind == .start || kind == .end
      return TraceLog.Event(
        time: UInt64(number), kind: kind, thread: 1, label: isJob ? "jobs" : "gate",
        object: isJob ? 1 : 2, task: number / 4 + 1, value: 1)
    }
    let timeline = Timeline(TraceLog(events: events))
    #expect(timeline.tasks.count == 25_000)
    #expect(timeline.threads.first?.slices.count == 50_000)
  }

  @Test("slices of any log lie in time, and those of a thread nest")
  func anything() {
    var random = TestSupport.SeededGenerator(for: "timeline of anything")
    for _ in 0..<2000 {
      let timeline = Timeline(TraceLog(events: randomEvents(&random)))
      let last = timeline.log.events.last?.time ?? 0
      for row in timeline.threads.map(\.slices) + timeline.tasks.map(\.slices) {
        for slice in row {
          #expect(slice.begin <= slice.end ?? last, "seed \(testSeed)")
          #expect(slice.end ?? 0 <= last, "seed \(testSeed)")
          #expect((slice.end == nil) == (slice.lastEvent == nil), "seed \(testSeed)")
        }
      }
      for row in timeline.threads {
        var open: [Int] = []
        for slice in row.slices where slice.kind == .running {
          while let last = open.last, last <= slice.firstEvent { open.removeLast() }
          #expect(slice.lastEvent ?? Int.max <= open.last ?? Int.max, "seed \(testSeed)")
          open.append(slice.lastEvent ?? Int.max)
        }
      }
    }
  }
}
