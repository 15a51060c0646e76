// All parts of a plan, checked before anything is made of them.

internal import Weir

package struct PartSet {
  /// The reasons why the parts are not the whole.
  package struct Faults {
    /// The shards without a part.
    package fileprivate(set) var missing: [Int] = []
    /// The parts of other plans, shards or commands.
    package fileprivate(set) var others: [Fault] = []
    package fileprivate(set) var damaged: [Fault] = []
    /// The parts that could not be read: nothing is known of them.
    package fileprivate(set) var unread: [Fault] = []
    /// The shards of `others` and `damaged`, which have to be submitted again too.
    package fileprivate(set) var useless: [Int] = []

    package var isEmpty: Bool {
      missing.isEmpty && others.isEmpty && damaged.isEmpty && unread.isEmpty
    }
  }

  private let directory: PartDirectory
  private let plan: PlanHeader
  /// The header of the first usable part: its verb and options have to be those of all.
  package private(set) var header: PartHeader?
  package private(set) var differences: UInt64 = 0
  package private(set) var unreadable: UInt64 = 0

  /// The number of items that each usable part answers.
  private var items: [Int: UInt64] = [:]

  /// The number of parts above which their files are not all open at a time.
  private static var openMax: Int { min(200, DescriptorBudget.limit / 4) }

  package init(_ directory: PartDirectory, of plan: PlanHeader) {
    self.directory = directory
    self.plan = plan
  }

  /// Reads all parts. Returns their faults.
  package mutating func check() -> Faults {
    var faults = Faults()
    faults.missing = directory.missing
    faults.others = directory.foreign.map { name in
      Fault(
        directory.path + Array("/\(name)".utf8),
        .other("belongs to no shard of this plan of \(plan.shards)"))
    }
    for shard in 0..<plan.shards where directory.states[shard] == .done {
      do throws(Fault) {
        try check(directory.file(shard))
      } catch {
        switch error.reason {
        case .system:
          faults.unread.append(error)
          continue
        case .other: faults.others.append(error)
        default: faults.damaged.append(error)
        }
        faults.useless.append(shard)
      }
    }
    return faults
  }

  /// Compares the numbers of answered items with those of a plan, which is read to its end. Throws
  /// a `Fault` if the plan is damaged.
  package func expectItems(of plan: PlanReader) throws(Fault) -> [Fault] {
    var expected = Array(repeating: UInt64(0), count: plan.header.shards)
    while let record = try plan.next() {
      if let shard = record.shard { expected[shard] += 1 }
    }
    return expected.indices.compactMap { shard in
      let found = items[shard]
      if found == nil || found == expected[shard] { return nil }
      return Fault(
        directory.file(shard).path,
        damaged: "it answers \(found ?? 0) files of \(expected[shard])")
    }
  }

  private mutating func check(_ file: PartFile) throws(Fault) {
    let reader = try PartReader(file.path)
    let first = header ?? reader.header
    let expected = PartHeader(
      plan: plan.id, shard: file.shard, shards: plan.shards, verb: first.verb, words: first.words)
    try reader.header.expect(expected, of: file.path)
    while try reader.next() != nil {}
    if header == nil { header = reader.header }
    items[file.shard] = reader.totals.items
    differences += reader.totals.differences
    unreadable += reader.totals.unreadable
  }

  package func readers() throws(Fault) -> [PartReader] {
    try (0..<plan.shards).map { shard throws(Fault) in
      try PartReader(directory.file(shard).path, staysOpen: plan.shards <= PartSet.openMax)
    }
  }
}
