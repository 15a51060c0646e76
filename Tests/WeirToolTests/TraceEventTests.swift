// The traces of the verbs as Trace Event JSON: each fits the schema, and its slices, rows and arrows
// fit each other. `make test-perfetto` loads them in Perfetto's engine.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
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
}
