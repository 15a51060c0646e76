// A loop in several forms, as JSON: docs/schema/demo.json.

enum LoopsJSON {
  /// A form, and behind it what each thread ran of it.
  static func lines(_ run: LoopsRun) -> [UInt8] {
    var json = JSONText()
    json.begin("loop")
    append(run.form, to: &json)
    json.append("blocks", run.blocks)
    json.append("threads", run.shares.count)
    json.append("nanoseconds", run.nanoseconds)
    json.append("processor_nanoseconds", run.processorNanoseconds)
    json.end()
    for share in run.shares {
      json.begin("thread")
      append(run.form, to: &json)
      json.append("thread", share.thread)
      json.append("indices", share.indices)
      json.append("blocks", share.blocks)
      json.end()
    }
    return json.bytes
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

  /// The last object.
  static func summary(_ verdict: LoopsVerdict) -> [UInt8] {
    let plan = verdict.plan
    var json = JSONText()
    json.begin("summary")
    json.append("complete", true)
    json.append("count", plan.count)
    json.append("stride", plan.stride)
    json.append("work", plan.work)
    json.append("cores", plan.cores)
    if let blocks = verdict.prediction?.blocks { json.append("predicted_blocks", blocks) }
    if let time = verdict.prediction?.time {
      json.append("predicted_nanoseconds", Int(time.rounded()))
    }
    json.append("same_result", verdict.isOne)
    json.end()
    return json.bytes
  }
}
