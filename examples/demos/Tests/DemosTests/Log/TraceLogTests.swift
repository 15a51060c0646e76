// The reader of the recorder's JSON lines.

import TestSupport
import Testing

@testable import Demos

@Suite("trace logs")
struct TraceLogTests {
  @Test("each member of a line is read, unknown ones are ignored")
  func members() throws {
    let log = try TraceLog(
      jsonLines: """
        {"t":5,"ev":"signal","thr":1,"q":"a\\u0022\\ud83d\\ude00\\n","obj":3,"task":7,"lane":1,"v":4,\
        "woken":true,"sem":{"free":1,"waiting":2,"new":[{"x":null}]},"more":{"y":[1,-2.5e3,"]"]}}

        {"t":6, "ev":"start","thr":2,"q":"b","jobs":{"queued":8,"running":9}}\r
        {"t":7,"ev":"unheard of","thr":1,"q":"c"}
        """)
    var first = TraceLog.Event(
      time: 5, kind: .signal, thread: 1, label: "a\"😀\n", object: 3, task: 7, lane: 1, value: 4,
      woken: true)
    // The free permits of the recorder are counted from the most that were in use.
    first.inUse = 0
    first.waiting = 2
    var second = TraceLog.Event(time: 6, kind: .start, thread: 2, label: "b")
    second.queued = 8
    second.running = 9
    let events = log.events.map { event in
      var event = event
      (event.rows, event.changes, event.counts) = ([], [], .init())
      return event
    }
    #expect(events == [first, second])
    #expect(!log.isCutOff)
  }

  @Test(
    "a fault names its line and the reason",
    arguments: [
      ("{", "no JSON object"), ("nonsense", "no JSON object"), ("{}", "is missing"),
      (#"{"ev":"end","thr":1}"#, "\"t\" is missing"), (#"{"ev":"end","t":1}"#, "\"thr\""),
      (#"{"t":-1,"ev":"end","thr":1}"#, "whole numbers"),
      (#"{"t":1.5,"ev":"end","thr":1}"#, "whole numbers"),
      (#"{"t":1,"ev":"end","thr":1} x"#, "no JSON object"),
      (#"{"t":1,"ev":"end","thr":1,"woken":1}"#, "\"woken\" has a wrong value"),
      (#"{"deep":"# + String(repeating: "[", count: 100_000), "no JSON object"),
    ])
  func faults(line: String, reason: String) {
    let error = #expect(throws: TraceLogError.self) {
      try TraceLog(jsonLines: #"{"t":0,"ev":"note","thr":1,"q":"x","v":0}"# + "\n" + line + "\n")
    }
    #expect(error?.line == 2)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test("numbers beyond 2^40 are 2^40, bytes that are no text U+FFFD")
  func extremes() throws {
    var bytes = Array(#"{"t":18446744073709551615,"ev":"note","thr":1,"q":"a"#.utf8)
    bytes += [0xff, 0xc0] + Array(#"","task":18446744073709551615,"v":3}"#.utf8)
    let log = try TraceLog(jsonLines: bytes)
    #expect(log.events.first?.label == "a\u{fffd}\u{fffd}")
    #expect(log.events.first?.task == 1 << 40)
    #expect(log.events.first?.time == UInt64.max)
  }

  @Test("a last line that is cut off at any byte is left out")
  func cutOff() throws {
    var random = TestSupport.SeededGenerator(for: "cut-off log")
    let whole = TraceLog(events: randomEvents(&random))
    let bytes = Array(whole.jsonLines.utf8)
    for end in stride(from: max(0, bytes.count - 300), to: bytes.count, by: 1) {
      let log = try TraceLog(jsonLines: Array(bytes[..<end]))
      #expect(log.events.count <= whole.events.count)
      #expect(log.events == Array(whole.events[..<log.events.count]))
    }
  }

  @Test("no bytes make the reader or the writer trap")
  func mutations() {
    var random = TestSupport.SeededGenerator(for: "mutated log")
    for _ in 0..<500 {
      var bytes = Array(TraceLog(events: randomEvents(&random)).jsonLines.utf8.prefix(2000))
      for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      if let log = try? TraceLog(jsonLines: bytes) { _ = log.jsonLines }
    }
  }
}
