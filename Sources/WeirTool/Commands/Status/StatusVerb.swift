// The verb `status`: the shards of a plan that are done, begun or missing.

internal import FileJobs

struct StatusVerb: Verb {
  var plan: RawArgument?
  var format = OutputFormat.text
  var commonOptions = CommonOptions()

  static let page = VerbPage(
    name: "status", abstract: "Show which shards of a plan are done",
    usage: "[OPTION ...] --plan FILE DIR", operand: .directory,
    description: """
      Print which shards of a plan have their part in DIR, which have an attempt that may still run,
      with the number of its files, and which have nothing. Of the parts only the ends are read:
      weir merge checks all.
      """,
    statuses: """
      0  All shards are done
      2  Usage error, or the plan or DIR could not be read
      3  Shards are missing or unusable
      """,
    examples: """
      weir status --plan set.plan parts
      weir status --plan set.plan parts && weir merge --plan set.plan -o M parts
      """)

  static let sections = [
    OptionSection<StatusVerb>("Input and output", [.plan(\.plan), .format(\.format)]),
    CommonOptions.partsSection.lifted(by: \.commonOptions),
  ]

  func run(_ operands: Operands) throws {
    let (planName, directoryName) = try MergeVerb.names(plan, operands, verb: "status")
    let session = try Session(
      commonOptions, verb: "status", inputs: [planName, directoryName])
    session.signals.unblock()
    let plan = try PlanReader(planName.bytes).header
    let shards = StatusReport(try PartDirectory(directoryName.bytes, shards: plan.shards), plan)
    try session.console.write(format == .json ? shards.json : shards.text)
    for error in shards.faults { session.console.report(error) }
    try session.console.closeOutput()
    if !shards.isComplete { throw ExitStatus.incomplete }
  }
}

struct StatusReport {
  private struct Shard {
    let index: Int
    var state: String
    var items: UInt64?
    var differences: UInt64 = 0
    var unreadable: UInt64 = 0
    var engine = ""

    mutating func add(_ file: PartFile, of plan: PlanHeader) throws(Fault) {
      let (header, totals) = try PartReader.glance(at: file.path)
      if header.plan != plan.id || header.shard != file.shard {
        throw Fault(file.path, .other("belongs to another plan or shard"))
      }
      (state, items, engine) = ("done", totals.items, header.engine)
      (differences, unreadable) = (totals.differences, totals.unreadable)
    }
  }

  private let plan: PlanHeader
  private var shards: [Shard] = []
  private(set) var faults: [Fault] = []

  /// True if every shard has a part.
  var isComplete: Bool { shards.allSatisfy { $0.state == "done" } }

  init(_ directory: PartDirectory, _ plan: PlanHeader) {
    self.plan = plan
    for (index, state) in directory.states.enumerated() {
      var shard = Shard(index: index, state: "missing")
      switch state {
      case .missing: break
      case .begun(let attempts):
        (shard.state, shard.items) = ("begun", attempts.map(StatusReport.items).max())
      case .done:
        do throws(Fault) {
          try shard.add(directory.file(index), of: plan)
        } catch {
          faults.append(error)
          shard.state = "unusable"
        }
      }
      shards.append(shard)
    }
  }

  private static func items(of attempt: [UInt8]) -> UInt64 {
    guard let reader = try? PartReader(attempt) else { return 0 }
    var items: UInt64 = 0
    while let record = try? reader.next() { items += UInt64(record.items) }
    return items
  }

  private func count(_ state: String) -> Int { shards.count { $0.state == state } }

  private func indexes(_ state: String) -> String {
    ShardNumber.ranges(shards.filter { $0.state == state }.map(\.index))
  }

  /// Lines for people: the counts, then each state but `done` with its shards.
  var text: [UInt8] {
    let done = shards.filter { $0.state == "done" }
    let files = done.reduce(0) { $0 + ($1.items ?? 0) }
    var lines = [
      "\(done.count) of \(plan.shards) shards done, \(Quantities.count(files, "file", "files"))"
    ]
    for shard in shards where shard.state == "begun" {
      let total = plan.shardFiles[shard.index]
      lines.append(
        "shard \(shard.index): begun, \(Quantities.count(shard.items ?? 0)) of "
          + "\(Quantities.count(total, "file", "files"))")
    }
    for state in ["missing", "unusable"] where count(state) > 0 {
      lines.append("\(state): \(indexes(state))")
    }
    let unreadable = done.reduce(0) { $0 + $1.unreadable }
    let differences = done.reduce(0) { $0 + $1.differences }
    if unreadable > 0 {
      let which = ShardNumber.ranges(done.filter { $0.unreadable > 0 }.map(\.index))
      lines.append(
        "\(Quantities.count(unreadable, "file", "files")) could not be read or changed, in shards "
          + "\(which); remove their parts to read them again")
    }
    if differences > 0 { lines.append(Quantities.count(differences, "difference", "differences")) }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// An object for each shard, then a summary.
  var json: [UInt8] {
    let lines = shards.flatMap { shard in
      JSONText.object("shard") { json in
        json.append("shard", shard.index)
        json.append("state", shard.state)
        json.append("files", plan.shardFiles[shard.index])
        if let items = shard.items { json.append("answered", items) }
        if shard.state == "done" {
          json.append("differences", shard.differences)
          json.append("unreadable", shard.unreadable)
          json.append("engine", shard.engine)
        }
      }
    }
    let summary = JSONText.object("summary") { json in
      json.append("shards", plan.shards)
      for state in ["done", "begun", "missing", "unusable"] { json.append(state, count(state)) }
    }
    return lines + summary
  }
}
