// Traces for ui.perfetto.dev, as tests examine them.

/// The events of a trace, and what does not fit among them.
struct TraceEvents {
  private let events: [[String: Any]]

  init(_ trace: [String: Any]) { events = trace["traceEvents"] as? [[String: Any]] ?? [] }

  var count: Int { events.count }
  var faults: [String] { overlaps + unmatchedFlows + unmatchedRows }

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

  /// Whole slices of a thread that neither nest nor follow each other.
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

  /// Slices of threads and parts of rows that end in another order than the reverse of their begin.
  private var unmatchedRows: [String] { rows.unmatched }

  /// Slices and parts that do not end.
  var unended: [String] { rows.open.values.flatMap { $0 } }

  private var rows: (open: [String: [String]], unmatched: [String]) {
    var open: [String: [String]] = [:]
    var unmatched: [String] = []
    for event in events {
      let id = (event["id2"] as? [String: Any])?["local"] as? String
      let row = id ?? "thread \(event["tid"] ?? "")", name = text(event, "name")
      switch text(event, "ph").lowercased() {
      case "b": open[row, default: []].append(name)
      case "e" where open[row]?.popLast() != name: unmatched.append("\(name) ends in \(row)")
      default: break
      }
    }
    return (open, unmatched)
  }
}
