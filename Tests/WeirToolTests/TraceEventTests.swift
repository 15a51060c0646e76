// The traces of the verbs as Trace Event JSON: each fits the schema, and its slices, rows and arrows
// fit each other. `make test-perfetto` loads them in Perfetto's engine.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TraceEventTests {
  @Test("a trace fits the schema and holds together")
  func trace() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "file")
    let result = try await weir("hash", "--trace", "t.json", ".", in: directory).run()
    #expect(result.status == 0, "\(result.errorText)")
    let data = try Data(contentsOf: URL(filePath: directory.text + "/t.json"))
    let trace = try JSONSerialization.jsonObject(with: data)
    let faults = try Schema(of: "trace").faults(of: trace)
    #expect(faults.isEmpty, "\(faults.prefix(3))")
    let events = TraceEvents(try #require(trace as? [String: Any]))
    #expect(events.count > 0 && events.faults.isEmpty && events.unended.isEmpty)
  }

  @Test("a broken trace is reported")
  func broken() throws {
    let slice: [String: Any] = [
      "ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2.5, "cat": "job", "name": "a", "args": [:],
    ]
    let row: [String: Any] = [
      "ph": "b", "pid": 1, "tid": 1, "ts": 1, "cat": "life", "name": "a", "id2": ["local": "0x1"],
    ]
    /// The event with members changed, or without them.
    func with(_ event: [String: Any], _ changes: [String: Any]) -> [String: Any] {
      event.merging(changes) { $1 }.filter { !($0.value is NSNull) }
    }
    let none = NSNull()
    let schema = try Schema(of: "trace")
    func faults(_ events: [[String: Any]]) throws -> (schema: Bool, events: Bool) {
      let data = try JSONSerialization.data(
        withJSONObject: ["displayTimeUnit": "ms", "traceEvents": events])
      let trace = try JSONSerialization.jsonObject(with: data)
      return (
        !schema.faults(of: trace).isEmpty,
        !TraceEvents(try #require(trace as? [String: Any])).faults.isEmpty
      )
    }
    let end = with(row, ["ph": "e", "ts": 9])
    #expect(try faults([slice, row, end]) == (false, false))
    for change in [
      ["dur": none], ["dur": -1], ["ts": "1"], ["pid": 1.5], ["tid": none], ["ph": "Q"],
      ["name": none], ["flow_out": "yes"], ["extra": 1],
    ] as [[String: Any]] {
      #expect(try faults([with(slice, change)]).schema, "\(change)")
    }
    #expect(try faults([with(row, ["id2": none])]).schema)
    #expect(try faults([slice, with(slice, ["ts": 2])]).events)
    #expect(!TraceEvents(["traceEvents": [row]]).unended.isEmpty)
    #expect(try faults([end]).events)
    #expect(try faults([row, with(row, ["name": "b"]), end]).events)
    let out = with(slice, ["bind_id": "0x1", "flow_out": true])
    #expect(try faults([out]).events)
    #expect(try !faults([out, with(slice, ["ts": 4, "bind_id": "0x1", "flow_in": true])]).events)
  }
}
