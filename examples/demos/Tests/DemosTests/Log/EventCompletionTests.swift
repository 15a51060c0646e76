// The facts that earlier events tell about an event: threads, permits, holders, suspended tasks.

import TestSupport
import Testing

@testable import Demos

@Suite("completed events")
struct EventCompletionTests {
  private func log(_ lines: String...) throws -> TraceLog {
    try TraceLog(jsonLines: lines.joined(separator: "\n") + "\n")
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
    let known = try log(#"{"t":0,"ev":"note","thr":1,"q":"permits s","v":16}"#, taken)
    #expect(known.events.map(\.kind) == [.permits, .acquired, .signal, .signal])
    #expect(known.events.map(\.free) == [nil, 15, 16, 17])
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
  }

  @Test("a completed log is the same after it was written and read", arguments: 0..<100)
  func again(number: Int) throws {
    var random = TestSupport.SeededGenerator(for: "completed events \(number)")
    let log = TraceLog(events: randomEvents(&random))
    #expect(try TraceLog(jsonLines: log.jsonLines).events == log.events, "seed \(testSeed)")
  }

  @Test("a semaphore of 10 permits has 7 free and more while the pool has 3 threads")
  func starvation() async {
    await #expect(processExitsWith: .success) {
      let log = try simulated(
        "downloads", ["form": "article", "tasks": "20", "max": "10", "step": "0.02"]
      ).log
      let free = log.events.filter { $0.label == "semaphore" }.compactMap(\.free)
      #expect(free.max() == 10 && free.last == 10 && free.min() == 7)
      #expect(Set(log.events.filter(\.isMain).map(\.thread)) == [1])
      #expect(Set(log.events.filter { $0.label == "main" }.map(\.object)).count == 1)
    }
  }

  @Test("the permits of a gate have the tasks that wait for them, hold them and return them")
  func gate() async {
    await #expect(processExitsWith: .success) {
      let log = try simulated("downloads", ["form": "gate"]).log
      // Five tasks find a permit.
      for number in 1...15 {
        let own = log.events.filter { $0.label == "gate" && $0.job?.task == number }
        let kinds: [TraceLog.Kind] = own.map(\.kind).filter { $0 != .wake }
        #expect(kinds == (number < 6 ? [] : [.wait]) + [.acquired, .signal])
        let times: [UInt64] = own.suffix(2).map(\.time)
        #expect(times[1] - times[0] > 4_900_000_000)
      }
      let free = log.events.compactMap(\.free)
      #expect(free.max() == 5 && free.min() == 0)
    }
  }
}
