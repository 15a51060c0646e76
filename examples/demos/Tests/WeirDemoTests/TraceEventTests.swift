// The traces of the demos as Trace Event JSON: each fits the schema, and its
// slices, rows and arrows fit each other. `make test-perfetto` loads them in Perfetto's engine.

import Foundation
import TestSupport
import Testing

@testable import Demos

@Suite(.timeLimit(.minutes(5)))
struct TraceEventTests {
  /// Simulated demos, also with threads that stop, and real runs.
  private static let runs =
    Demos.Demo.all.map { "\($0.name) --virtual --trace t.json --format json" } + [
      "images --step 6 --virtual --trace t.json --format json",
      "gallery --cancel-after 0.2 --virtual --trace t.json --format json",
      "gate --speed 20 --cancel 6 --trace t.json --format json",
      "loops --work 100 --trace t.json --format json",
    ]

  @Test("a trace fits the schema and holds together", arguments: runs)
  func trace(line: String) async throws {
    let directory = try TemporaryDirectory()
    let words = line.split(separator: " ").map { Array($0.utf8) }
    let result = try await weirDemo(words, in: directory).run()
    #expect(result.status == 0, "\(result.errorText)")
    let data = try Data(contentsOf: URL(filePath: directory.text + "/t.json"))
    let trace = try JSONSerialization.jsonObject(with: data)
    let schema = try Schema(of: "trace")
    #expect(schema.faults(of: trace).prefix(3).isEmpty, "\(schema.faults(of: trace).prefix(3))")
    let events = TraceEvents(try #require(trace as? [String: Any]))
    #expect(events.count > 0 && events.faults.isEmpty, "\(events.faults.prefix(3))")
    if !line.contains("--step 6") { #expect(events.unended.isEmpty, "\(events.unended)") }
    guard line.contains("--virtual") || line.contains("gate") else { return }
    let log = try result.output.split(separator: 0x0A).map {
      try #require(JSONSerialization.jsonObject(with: Data($0)) as? [String: Any])
    }
    func happened(_ kind: String) -> Int { log.count { $0["ev"] as? String == kind } }
    #expect(events.parts("b", named: "pending") == happened("submit"))
    // A task that was suspended has a slice for each part.
    #expect(events.jobs >= happened("start"))
    #expect(events.flows > 0 || happened("submit") == 0)
  }
}
