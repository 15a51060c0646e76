// What holds of every recording, in both formats.
import Testing

// MARK: JSON lines

func expectLinesHold(_ lines: [Json]) {
  var last = 0, states: [String: String] = [:]
  for line in lines {
    let time = line["t"]?.integer ?? -1
    #expect(time >= last, "\(line)")
    last = time
    for counts in [line["sem"], line["jobs"]] {
      for name in counts?.names ?? [] { #expect((counts?[name]?.integer ?? -1) >= 0, "\(line)") }
    }
    guard let kind = line["ev"]?.string, ["submit", "start", "end"].contains(kind) else { continue }
    let job = "\(line["obj"]?.integer ?? 0)/\(line["task"]?.integer ?? 0)"
    #expect(states[job] == ["start": "submit", "end": "start"][kind], "\(line)")
    states[job] = kind
  }
  #expect(states.values.allSatisfy { $0 == "end" })
  #expect(lines.first?["t"]?.integer == 0)
}

// MARK: Trace Event JSON

func expectEventsHold(_ events: [Json]) {
  for event in events {
    #expect(["M", "X", "B", "C", "i", "b", "n", "e"].contains(event["ph"]?.string), "\(event)")
    #expect(event["pid"]?.integer == 1 && (event["tid"]?.integer ?? -1) >= 0, "\(event)")
    #expect(event["name"]?.string != nil)
    if event["ph"]?.string != "M" { #expect((event["ts"]?.number ?? -1) >= 0, "\(event)") }
    #expect((event["dur"] != nil) == (event["ph"]?.string == "X"), "\(event)")
    if event["ph"]?.string == "C" {
      for name in event["args"]?.names ?? [] {
        #expect((event["args"]?[name]?.number ?? -1) >= 0, "\(event)")
      }
    }
  }
  expectSlicesNest(events)
  expectFlowsMeet(events)
  expectRowsMatch(events)
}

/// In nanoseconds: microseconds with three digits.
private func nanoseconds(_ number: Double?) -> Int { Int(((number ?? 0) * 1000).rounded()) }

private func expectSlicesNest(_ events: [Json]) {
  var open: [Int: [Int]] = [:]
  for event in events where event["ph"]?.string == "X" {
    let thread = event["tid"]?.integer ?? 0, begin = nanoseconds(event["ts"]?.number)
    let end = begin + nanoseconds(event["dur"]?.number)
    var ends = open[thread] ?? []
    while let last = ends.last, last <= begin, last < end || last < begin { ends.removeLast() }
    if let last = ends.last { #expect(end <= last, "\(event) in what ends at \(last)") }
    open[thread] = ends + [end]
  }
}

private func expectFlowsMeet(_ events: [Json]) {
  var outs: [String: Int] = [:], ins: [String: Int] = [:]
  for event in events where event["bind_id"] != nil {
    let number = event["bind_id"]?.string ?? "", time = nanoseconds(event["ts"]?.number)
    #expect(event["ph"]?.string == "X" || event["ph"]?.string == "B", "\(event)")
    if event["flow_out"] != nil {
      #expect(outs.updateValue(time, forKey: number) == nil, "\(event)")
    } else {
      #expect(event["flow_in"] != nil && ins.updateValue(time, forKey: number) == nil, "\(event)")
    }
  }
  #expect(Set(outs.keys) == Set(ins.keys))
  for (number, time) in ins { #expect((outs[number] ?? .max) <= time) }
}

/// Rows: an activity ends in the reverse order of its begin, or not at all.
private func expectRowsMatch(_ events: [Json]) {
  var open: [String: [String]] = [:]
  for event in events {
    guard let id = event["id2"]?["local"]?.string, let phase = event["ph"]?.string else { continue }
    let row = (event["cat"]?.string ?? "") + id, name = event["name"]?.string ?? ""
    if phase == "b" { open[row, default: []].append(name) }
    if phase == "e" { #expect(open[row]?.popLast() == name, "\(event)") }
  }
}
