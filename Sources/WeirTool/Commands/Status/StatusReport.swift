// The states of the shards of a plan, as text and as JSON.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// The states of all shards.
struct StatusReport {
  /// A shard with what is known of its part.
  private struct Shard {
    let index: Int
    let state: String
    var items: UInt64?
    var differences: UInt64 = 0
    var unreadable: UInt64 = 0
    /// The attempts that have not ended.
    var attempts: [[UInt8]] = []
    var engine = ""
  }

  private let plan: PlanHeader
  private var shards: [Shard] = []
  /// The parts that cannot be used.
  private(set) var faults: [Fault] = []

  /// True if every shard has a part.
  var isComplete: Bool { shards.allSatisfy { $0.state == "done" } }

  init(_ directory: PartDirectory, _ plan: PlanHeader) {
    self.plan = plan
    for (index, state) in directory.states.enumerated() {
      switch state {
      case .missing: shards.append(Shard(index: index, state: "missing"))
      case .begun(let attempts):
        shards.append(
          Shard(
            index: index, state: "begun", items: attempts.map(StatusReport.items).max(),
            attempts: attempts))
      case .done: add(directory.file(index))
      }
    }
  }

  private mutating func add(_ file: PartFile) {
    do throws(Fault) {
      let (header, totals) = try PartReader.glance(at: file.path)
      if header.plan != plan.id || header.shard != file.shard {
        throw Fault(file.path, .other("belongs to another plan or shard"))
      }
      shards.append(
        Shard(
          index: file.shard, state: "done", items: totals.items,
          differences: totals.differences, unreadable: totals.unreadable, engine: header.engine))
    } catch {
      faults.append(error)
      shards.append(Shard(index: file.shard, state: "unusable"))
    }
  }

  /// The number of items that an attempt has answered.
  private static func items(of attempt: [UInt8]) -> UInt64 {
    guard let reader = try? PartReader(attempt) else { return 0 }
    var items: UInt64 = 0
    while let record = try? reader.next() { items += UInt64(record.items) }
    return items
  }

  private func count(_ state: String) -> Int { shards.count { $0.state == state } }

  private func indexes(_ state: String) -> String {
    ShardRanges.text(shards.filter { $0.state == state }.map(\.index))
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
      let which = ShardRanges.text(done.filter { $0.unreadable > 0 }.map(\.index))
      lines.append(
        "\(Quantities.count(unreadable, "file", "files")) could not be read or changed, in shards "
          + "\(which); remove their parts to read them again")
    }
    if differences > 0 { lines.append(Quantities.count(differences, "difference", "differences")) }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// An object for each shard, then a summary.
  var json: [UInt8] {
    var lines: [UInt8] = []
    for shard in shards {
      lines += JSONText.object("shard") { json in
        json.append("shard", UInt64(shard.index))
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
    return lines
      + JSONText.object("summary") { json in
        json.append("shards", UInt64(plan.shards))
        json.append("done", UInt64(count("done")))
        json.append("begun", UInt64(count("begun")))
        json.append("missing", UInt64(count("missing")))
        json.append("unusable", UInt64(count("unusable")))
      }
  }
}
