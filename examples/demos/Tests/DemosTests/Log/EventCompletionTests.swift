// The facts that earlier events tell about an event: threads, permits, holders, suspended tasks.

import TestSupport
import Testing

@testable import Demos

@Suite("completed events")
struct EventCompletionTests {
  @Test("free permits are known from the number of permits alone, also after extra signals")
  func permits() {
    let taken = [
      event(1, .acquired, 1, "s"), event(2, .signal, 1, "s"), event(3, .signal, 1, "s"),
    ]
    let unknown = TraceLog(events: taken)
    #expect(unknown.events.map(\.free) == [nil, nil, nil])
    var permits = event(0, .note, 1, "permits s")
    permits.value = 16
    let known = TraceLog(events: [permits] + taken)
    #expect(known.events.map(\.kind) == [.permits, .acquired, .signal, .signal])
    #expect(known.events.map(\.free) == [nil, 15, 16, 17])
  }

  @Test("all events in blocks of the main queue are of one thread, whatever thread runs them")
  func mainQueue() {
    let log = TraceLog(events: [
      event(0, .note, 1, "before"), event(1, .start, 2, "main", 1), event(2, .note, 2, "in it"),
      event(3, .end, 2, "main", 1), event(4, .note, 2, "another block"),
      event(5, .start, 3, "main", 2), event(6, .end, 3, "main", 2),
    ])
    #expect(log.events.map(\.thread) == [1, 2, 2, 2, 3, 2, 2])
    #expect(log.events.map(\.isMain) == [false, true, true, true, false, true, true])
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
