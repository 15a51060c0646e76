// Logs as Trace Event JSON: each rule on a log by hand, and the invariants on random ones.

import Foundation
import TestSupport
import Testing

@testable import Demos

@Suite("trace events")
struct TraceEventWriterTests {
  /// An event of the written trace.
  private struct Written: Decodable {
    let ph: String
    let tid: Int
    let ts: Double?
    let name: String
    let id2: [String: String]?
    let args: [String: Count]?
  }

  /// A number or a text.
  private enum Count: Decodable, Equatable {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      self =
        if let number = try? value.decode(Int.self) { .number(number) } else {
          .text(try value.decode(String.self))
        }
    }
  }

  private func trace(_ log: TraceLog) throws -> [Written] {
    let bytes = Data(TraceEventWriter.bytes(log))
    struct File: Decodable { let traceEvents: [Written] }
    return try JSONDecoder().decode(File.self, from: bytes).traceEvents
  }

  private func trace(_ lines: String...) throws -> [Written] {
    try trace(TraceLog(jsonLines: lines.joined(separator: "\n") + "\n"))
  }

  /// The slices of the threads and the parts of the rows, as `PHASE THREAD NAME`.
  private func slices(_ trace: [Written], _ phases: String) -> [String] {
    trace.filter { phases.contains($0.ph) }.map { "\($0.ph) \($0.tid) \($0.name)" }
  }

  private func counts(_ trace: [Written], _ measure: String) -> [Int] {
    trace.compactMap { event in
      if case .number(let count)? = event.args?[measure], event.ph == "C" { count } else { nil }
    }
  }

  @Test("a wait of a running job is drawn over it, and does not count as running")
  func waitOfJob() throws {
    let trace = try trace(
      #"{"t":0,"ev":"submit","thr":1,"q":"jobs","obj":1,"task":1,"v":1}"#,
      #"{"t":1,"ev":"start","thr":2,"q":"jobs","obj":1,"task":1,"lane":0,"v":1}"#,
      #"{"t":2,"ev":"wait","thr":2,"q":"gate","obj":2,"task":9,"v":1}"#,
      #"{"t":5,"ev":"timeout","thr":2,"q":"gate","obj":2,"task":9,"v":1}"#,
      #"{"t":7,"ev":"end","thr":2,"q":"jobs","obj":1,"task":1,"lane":0,"v":1}"#)
    #expect(
      slices(trace, "BE") == ["B 2 jobs 1", "B 2 wait gate", "E 2 wait gate", "E 2 jobs 1"])
    #expect(
      slices(trace, "b").map { $0.dropFirst(4) } == [
        "jobs 1", "pending", "running", "waits for gate", "running",
      ])
    #expect(counts(trace, "running") == [0, 1, 0, 1, 0])
    #expect(counts(trace, "queued") == [1, 0])
  }

  @Test("a task that is suspended is on no thread until it is resumed, maybe on another")
  func suspended() throws {
    let trace = try trace(
      #"{"t":0,"ev":"start","thr":1,"q":"tasks","obj":1,"task":1,"lane":0,"v":1}"#,
      #"{"t":1,"ev":"wait","thr":1,"q":"tasks","obj":1,"task":1,"lane":1,"v":1}"#,
      #"{"t":2,"ev":"start","thr":1,"q":"tasks","obj":1,"task":2,"lane":0,"v":1}"#,
      #"{"t":3,"ev":"end","thr":1,"q":"tasks","obj":1,"task":2,"lane":0,"v":1}"#,
      #"{"t":4,"ev":"acquired","thr":2,"q":"tasks","obj":1,"task":1,"lane":1,"v":1}"#,
      #"{"t":5,"ev":"end","thr":2,"q":"tasks","obj":1,"task":1,"lane":0,"v":1}"#)
    #expect(
      slices(trace, "BE") == [
        "B 1 tasks 1", "E 1 tasks 1", "B 1 tasks 2", "E 1 tasks 2", "B 2 tasks 1", "E 2 tasks 1",
      ])
    #expect(slices(trace, "b").contains("b 1 suspended"))
    #expect(counts(trace, "running") == [1, 0, 1, 0, 1, 0])
  }

  @Test("the permits that are free are a counter from their number on")
  func permits() throws {
    let trace = try trace(
      #"{"t":0,"ev":"note","thr":1,"q":"permits s","v":16}"#,
      #"{"t":1,"ev":"acquired","thr":1,"q":"s","obj":1,"v":1}"#,
      #"{"t":2,"ev":"signal","thr":1,"q":"s","obj":1,"v":1}"#)
    #expect(counts(trace, "free") == [16, 15, 16] && counts(trace, "in_use").isEmpty)
  }

  @Test("slices of any log end in the reverse order of their begins, and time never goes back")
  func anything() throws {
    var random = TestSupport.SeededGenerator(for: "trace events of anything")
    for number in 0..<600 {
      let events = number % 3 == 0 ? RandomRun(&random).events : randomEvents(&random)
      var open: [String: [String]] = [:]
      var time = 0.0
      for event in try trace(TraceLog(events: events)) where event.ph != "M" {
        #expect(event.ts ?? -1 >= time, "seed \(testSeed)")
        time = event.ts ?? 0
        let row = event.id2?["local"] ?? "\(event.tid)"
        if "Bb".contains(event.ph) { open[row, default: []].append(event.name) }
        if "Ee".contains(event.ph) {
          #expect(open[row]?.popLast() == event.name, "seed \(testSeed)")
        }
      }
      #expect(number % 3 != 0 || open.values.allSatisfy(\.isEmpty), "seed \(testSeed)")
    }
  }
}
