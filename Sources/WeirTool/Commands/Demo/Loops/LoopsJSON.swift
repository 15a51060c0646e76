// The results of a loop in several forms as JSON: objects for --format json, by
// docs/schema/demo.json, and events for --trace.

enum LoopsJSON {
  /// Returns the object of a form, followed by the objects of its threads.
  static func lines(_ result: LoopsResult) -> [UInt8] {
    let loop = JSONText.object("loop") { json in
      append(result.form, to: &json)
      json.append("blocks", result.blocks)
      json.append("threads", result.shares.count)
      json.append("nanoseconds", result.nanoseconds)
      json.append("processor_nanoseconds", result.processorNanoseconds)
    }
    return result.shares.reduce(into: loop) { lines, share in
      lines += JSONText.object("thread") { json in
        append(result.form, to: &json)
        json.append("thread", share.thread)
        json.append("indices", share.indices)
        json.append("blocks", share.blocks)
      }
    }
  }

  private static func append(_ form: LoopsForm, to json: inout JSONText) {
    switch form {
    case .plain: json.append("form", "plain")
    case .automatic: json.append("form", "automatic")
    case .stride(let stride):
      json.append("form", "stride")
      json.append("stride", stride)
    }
  }

  /// Returns the last object.
  static func summary(_ summary: LoopsSummary) -> [UInt8] {
    let plan = summary.plan
    return JSONText.object("summary") { json in
      json.append("complete", true)
      json.append("count", plan.count)
      json.append("stride", plan.stride)
      json.append("work", plan.work)
      json.append("cores", plan.cores)
      if let blocks = summary.prediction?.blocks { json.append("predicted_blocks", blocks) }
      if let time = summary.prediction?.time {
        json.append("predicted_nanoseconds", Int(time.rounded()))
      }
      json.append("same_result", summary.hasEqualSums)
    }
  }
}

/// The blocks of a loop as Trace Event JSON, for ui.perfetto.dev: each form is a process, and
/// its threads are the threads of that process.
enum LoopsTrace {
  static func json(_ results: [LoopsResult]) -> [UInt8] {
    var text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":["
    var separator = "\n"
    func append(_ event: String) {
      text += separator + event
      separator = ",\n"
    }
    for (index, result) in results.enumerated() {
      let process = index + 1
      append(name("process_name", result.form.name, process))
      for share in result.shares {
        let caller = share.thread == 1 ? ", the caller" : ""
        append(name("thread_name", "thread \(share.thread)\(caller)", process, share.thread))
      }
      for block in result.trace { append(event(block, process)) }
    }
    return Array((text + "\n]}\n").utf8)
  }

  private static func name(
    _ kind: String, _ name: String, _ process: Int, _ thread: Int = 0
  ) -> String {
    "{\"ph\":\"M\",\"name\":\"\(kind)\",\"pid\":\(process),\"tid\":\(thread),"
      + "\"args\":{\"name\":\"\(name)\"}}"
  }

  private static func event(_ block: LoopsResult.Block, _ process: Int) -> String {
    let (first, last) = (block.range.lowerBound, block.range.upperBound - 1)
    let name = first == last ? "\(first)" : "\(first) to \(last)"
    return "{\"ph\":\"X\",\"name\":\"\(name)\",\"pid\":\(process),\"tid\":\(block.thread),"
      + "\"ts\":\(microseconds(block.begin)),\"dur\":\(microseconds(block.end - block.begin))}"
  }

  private static func microseconds(_ nanoseconds: UInt64) -> String {
    Quantities.fixed(Double(nanoseconds) / 1000, digits: 3)
  }
}
