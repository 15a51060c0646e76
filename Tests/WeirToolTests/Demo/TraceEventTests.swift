// The traces of the demos, and of the verbs, as Trace Event JSON: each fits the schema, and its
// slices, rows and arrows fit each other. `make test-perfetto` loads them in Perfetto's engine.

import Foundation
import TestSupport
import Testing

@testable import Demos

@Suite(.timeLimit(.minutes(5)))
struct TraceEventTests {
  /// Simulated demos, also with threads that stop, and real runs.
  private static let runs =
    Demos.Demo.all.map { "demo \($0.name) --virtual --trace t.json --format json" } + [
      "demo images --step 6 --virtual --trace t.json --format json",
      "demo tasks --cancel-after 0.2 --virtual --trace t.json --format json",
      "demo gate --speed 20 --cancel 6 --trace t.json --format json",
      "demo loops --work 100 --trace t.json --format json", "hash --trace t.json .",
    ]

  @Test("a trace fits the schema and holds together", arguments: runs)
  func trace(line: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "file")
    let words = line.split(separator: " ").map { Array($0.utf8) }
    let result = try await weir(words, in: directory).run()
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
    #expect(events.parts("e", named: "running") == happened("end"))
    #expect(events.parts("b", named: "pending") == happened("submit"))
    #expect(events.jobs == happened("start"))
    #expect(events.flows > 0 || happened("submit") == 0)
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
      ["dur": none], ["dur": -1], ["ts": "1"], ["pid": 1.5], ["tid": none], ["ph": "E"],
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

/// The events of a trace, and what does not fit among them.
private struct TraceEvents {
  private let events: [[String: Any]]

  init(_ trace: [String: Any]) { events = trace["traceEvents"] as? [[String: Any]] ?? [] }

  var count: Int { events.count }
  var faults: [String] { overlaps + unmatchedFlows + unmatchedRows }
  var flows: Int { events.count { $0["flow_in"] != nil } }

  /// The number of jobs on their threads: as slices, or as marks.
  var jobs: Int {
    events.count {
      text($0, "cat") == "job"
        || text($0, "cat") == "mark" && text($0, "name").hasPrefix("start ")
    }
  }

  func parts(_ phase: String, named name: String) -> Int {
    events.count {
      text($0, "ph") == phase && text($0, "cat") == "life" && text($0, "name") == name
    }
  }

  private func text(_ event: [String: Any], _ key: String) -> String { event[key] as? String ?? "" }

  /// In nanoseconds: microseconds with three digits.
  private func time(_ event: [String: Any], _ key: String) -> Int {
    Int(((event[key] as? Double ?? 0) * 1000).rounded())
  }

  /// Slices of a thread that neither nest nor follow each other.
  private var overlaps: [String] {
    var found: [String] = []
    let slices = events.filter { text($0, "ph") == "X" }
    for own in Dictionary(
      grouping: slices, by: { "\($0["pid"] ?? "") \($0["tid"] ?? "")" }
    ).values {
      var open: [Int] = []
      for (begin, end, name) in own.map({
        (time($0, "ts"), time($0, "ts") + time($0, "dur"), text($0, "name"))
      }).sorted(by: { ($0.0, -$0.1) < ($1.0, -$1.1) }) {
        while let last = open.last, last <= begin { open.removeLast() }
        if let last = open.last, last < end { found.append("\(name) overlaps") }
        open.append(end)
      }
    }
    return found
  }

  private var unmatchedFlows: [String] {
    var times: [String: (out: [Int], in: [Int])] = [:]
    for event in events where event["bind_id"] != nil {
      let time = time(event, "ts"), isOut = event["flow_out"] != nil
      times[text(event, "bind_id"), default: ([], [])].out += isOut ? [time] : []
      times[text(event, "bind_id"), default: ([], [])].in += isOut ? [] : [time]
    }
    return times.filter {
      $0.value.out.count != 1 || $0.value.in.count != 1 || $0.value.out[0] > $0.value.in[0]
    }.map { "flow \($0.key)" }
  }

  /// Parts of rows that end in another order than the reverse of their begin.
  private var unmatchedRows: [String] { rows.unmatched }

  /// Parts of rows that do not end.
  var unended: [String] { rows.open.values.flatMap { $0 } }

  private var rows: (open: [String: [String]], unmatched: [String]) {
    var open: [String: [String]] = [:]
    var unmatched: [String] = []
    for event in events {
      guard let id = (event["id2"] as? [String: Any])?["local"] as? String else { continue }
      let row = "\(event["pid"] ?? "") \(text(event, "cat")) \(id)", name = text(event, "name")
      switch text(event, "ph") {
      case "b": open[row, default: []].append(name)
      case "e" where open[row]?.popLast() != name: unmatched.append("\(name) ends in \(row)")
      default: break
      }
    }
    return (open, unmatched)
  }
}
