// The facts that earlier events tell about an event: threads, permits, holders, suspended tasks.

import TestSupport
import Testing

@testable import Demos

@Suite("completed events")
struct EventCompletionTests {
  private func log(_ lines: String...) throws -> TraceLog {
    try TraceLog(jsonLines: lines.joined(separator: "\n") + "\n")
  }

  /// The log of a simulated run.
  private func run(_ name: String, _ given: [String: String] = [:]) throws -> TraceLog {
    let demo = try #require(Demo.named(name))
    return try DemoRun.perform(
      demo, KnobValues(demo.knobs, given: given), on: SimulatedMachine(), watchdog: 100
    ).log
  }

  @Test("free permits are known from the number of permits alone, also after extra signals")
  func permits() throws {
    let taken = [
      #"{"t":1,"ev":"acquired","thr":1,"q":"s","obj":1,"v":1,"sem":{"free":0,"waiting":0}}"#,
      #"{"t":2,"ev":"signal","thr":1,"q":"s","obj":1,"v":1,"sem":{"free":1,"waiting":0}}"#,
      #"{"t":3,"ev":"signal","thr":1,"q":"s","obj":1,"v":1,"sem":{"free":2,"waiting":0}}"#,
    ].joined(separator: "\n")
    let unknown = try log(taken)
    #expect(unknown.events.map(\.free) == [nil, nil, nil])
    #expect(unknown.events.map(\.inUse) == [1, 0, 0])
    #expect(!Timeline(unknown).curves.contains { $0.measure == .free })
    #expect(Timeline(unknown).curves.first { $0.measure == .inUse }?.steps.map(\.value) == [1, 0])
    let known = try log(#"{"t":0,"ev":"note","thr":1,"q":"permits s","v":16}"#, taken)
    #expect(known.events.map(\.kind) == [.permits, .acquired, .signal, .signal])
    #expect(known.events.map(\.free) == [nil, 15, 16, 17])
    let timeline = Timeline(known)
    #expect(timeline.curves.first { $0.measure == .free }?.steps.map(\.value) == [16, 15, 16, 17])
  }

  @Test("all events in blocks of the main queue are of one thread, whatever thread runs them")
  func mainQueue() throws {
    let log = try log(
      #"{"t":0,"ev":"note","thr":1,"q":"before","v":0}"#,
      #"{"t":1,"ev":"start","thr":2,"q":"main","obj":1,"task":1,"lane":0,"v":1}"#,
      #"{"t":2,"ev":"note","thr":2,"q":"in it","v":0}"#,
      #"{"t":3,"ev":"end","thr":2,"q":"main","obj":1,"task":1,"lane":0,"v":1}"#,
      #"{"t":4,"ev":"note","thr":2,"q":"another block","v":0}"#,
      #"{"t":5,"ev":"start","thr":3,"q":"main","obj":1,"task":2,"lane":0,"v":1}"#,
      #"{"t":6,"ev":"end","thr":3,"q":"main","obj":1,"task":2,"lane":0,"v":1}"#)
    #expect(log.events.map(\.thread) == [1, 2, 2, 2, 3, 2, 2])
    #expect(log.events.map(\.isMain) == [false, true, true, true, false, true, true])
    #expect(Timeline(log).threads.map(\.name) == ["thread 1", "main", "thread 3"])
  }

  @Test("a completed log is the same after it was written and read", arguments: 0..<100)
  func again(number: Int) throws {
    var random = TestSupport.SeededGenerator(for: "completed events \(number)")
    let log = TraceLog(
      events: number % 2 == 0 ? RandomRun(&random).events : randomEvents(&random))
    #expect(try TraceLog(jsonLines: log.jsonLines).events == log.events, "seed \(testSeed)")
  }

  @Test("a semaphore of 16 permits has 12 free and more while the pool has 3 or 4 threads")
  func starvation() async {
    await #expect(processExitsWith: .success) {
      let timeline = Timeline(try EventCompletionTests().run("starvation"))
      let free = try #require(timeline.curves.first { $0.measure == .free })
      #expect(free.subject == "semaphore")
      #expect(free.steps.first?.value == 16 && free.steps.last?.value == 16)
      #expect((free.steps.map(\.value).min() ?? 0) >= 12)
      #expect(timeline.threads.count { $0.name == "main" } == 1)
      #expect(!timeline.curves.contains { $0.subject.hasPrefix("main #") })
      #expect(timeline.threads.first?.name == "main")
    }
  }

  @Test("a task at a gate has one row: it runs, waits, holds permits, is suspended")
  func gate() async {
    await #expect(processExitsWith: .success) {
      let timeline = Timeline(try EventCompletionTests().run("gate"))
      let tasks = timeline.tasks.filter { !$0.name.hasPrefix("main") }
      #expect(tasks.map(\.name) == (1...9).map { "task \($0)" })
      #expect(!timeline.tasks.contains { $0.isWait })
      // Tasks 1 and 2 find a permit; 3 needs three of four, and those after it wait behind it.
      for (index, row) in tasks.enumerated() {
        let waits = row.slices.filter { $0.kind == .waiting }
        #expect(waits.count == (index < 2 ? 0 : 1), "\(row.name)")
        #expect(row.slices.contains { $0.kind == .suspended })
        let own = timeline.log.events.filter { $0.label == "gate" && $0.job?.task == index + 1 }
        let taken = own.filter { $0.kind == .acquired }
        #expect(taken.map(\.value) == [index % 3 == 2 ? 3 : 1], "\(row.name)")
        #expect(waits.allSatisfy { $0.end.map { $0 <= taken[0].time } == true })
        let signal = try #require(own.last)
        #expect(signal.kind == .signal && signal.time - taken[0].time > 490_000_000)
      }
      let free = try #require(timeline.curves.first { $0.measure == .free }).steps.map(\.value)
      #expect(free.max() == 4 && free.min() == 0)
    }
  }

  @Test("a request that waits at the gate is not suspended as well, and one that fetches is")
  func requests() async {
    await #expect(processExitsWith: .success) {
      let lines = LogLines.lines(try EventCompletionTests().run("images", ["form": "gate"]))
      // Three fetch, twelve wait.
      let third = try #require(lines.first { $0.contains("START 4 ") })
      #expect(third.split(separator: " ").dropFirst(2).prefix(3) == ["1", "11", "2"], "\(third)")
    }
  }

  @Test("no thread is busy while tasks sleep, and the trace has no slice for that time")
  func suspended() async {
    await #expect(processExitsWith: .success) {
      let timeline = Timeline(try EventCompletionTests().run("tasks"))
      let slices = timeline.threads.flatMap(\.slices)
      #expect(!slices.isEmpty)
      #expect(slices.allSatisfy { ($0.end ?? .max) - $0.begin < 1_000_000 })
      let children = timeline.tasks.filter { $0.name.hasPrefix("child") }
      #expect(children.count == 8)
      for child in children {
        let sleeps = child.slices.filter { $0.kind == .suspended }
        #expect(sleeps.count == 1 && (sleeps[0].end ?? 0) - sleeps[0].begin > 490_000_000)
      }
      let running = try #require(
        timeline.curves.first { $0.subject == "child" && $0.measure == .running }
      ).steps
      #expect(running.last { $0.time < 400_000_000 }?.value == 0)
      #expect(running.allSatisfy { $0.value <= 2 })
      let trace = String(decoding: TraceEventWriter.bytes(timeline), as: UTF8.self)
      let lengths = trace.matches(of: #/"dur":([0-9]+)/#).compactMap { Int($0.1) }
      #expect(lengths.count > 8 && lengths.allSatisfy { $0 < 1000 })
      #expect(trace.contains("\"suspended\"") && !trace.contains("main #2"))
    }
  }
}
