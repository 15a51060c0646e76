internal import SystemPackage
internal import Weir

/// A run that repeats the events that the shards of a plan have recorded, in the order of one
/// process. It holds one record of each part in memory.
///
/// @unchecked Sendable: one thread runs it; the statistics have a lock.
package final class DuplicatesMerge: FileJob, @unchecked Sendable {
  package enum Event {
    /// A group, whose names can be requested during the delivery.
    case group(PartGroup)
    case other(DuplicatesEvent)
  }

  /// The first record of a part that is not delivered yet.
  private struct Head {
    let shard: Int
    let record: DuplicatesPartHead
    let payload: UnsafeRawBufferPointer
  }

  private let plan: PlanReader
  private let parts: [PartReader]
  private let planName: [UInt8]
  /// The first record of each part while the plan is read, and then a heap of them.
  private var heads: [Head?] = []
  private var heap: [Head] = []
  private var files = FileStatistics.none
  private var results = DuplicatesStatistics()
  private var eventCount = 0
  private let progress = MergeProgress()

  /// - Parameter plan: A reader that has read no record yet.
  package init(_ plan: PlanReader, _ parts: [PartReader], name: [UInt8]) {
    self.plan = plan
    self.parts = parts
    planName = name
  }

  package var control: JobControl { progress.control }

  /// The results of all shards, when the run has ended.
  package var found: DuplicatesStatistics { results }

  /// Delivers all events. Throws `Errno.canceled`, a `Fault`, or the error of `deliver`.
  package func run(deliver: (Event) throws -> Void) throws {
    files.filtered = plan.header.filtered
    files.excluded = plan.header.excluded
    heads = try parts.indices.map { try head(of: $0, after: nil) }
    try deliverFound(deliver)
    heap = heads.compactMap(\.self)
    heap.heapify(DuplicatesMerge.precedes)
    while let first = heap.first {
      try deliverRecord(first, deliver)
      heap.replaceFirst(by: try head(of: first.shard, after: first), DuplicatesMerge.precedes)
    }
    try progress.show(files)
  }

  private static func precedes(_ left: Head, _ right: Head) -> Bool {
    left.record.position < right.record.position
  }

  /// Returns the next record of a part; `nil` after the last one.
  private func head(of shard: Int, after last: Head?) throws -> Head? {
    guard let record = try parts[shard].next() else {
      if last?.record.kind != .end { throw damaged(shard) }
      return nil
    }
    guard let head = DuplicatesPartHead(record.payload), head.kind != .names,
      last.map({ $0.record.position <= head.position }) ?? true
    else { throw damaged(shard) }
    return Head(shard: shard, record: head, payload: record.payload)
  }

  private func damaged(_ shard: Int) -> Fault {
    Fault(planName, damaged: "the part of shard \(shard) is not one of a search of this plan")
  }

  /// Throws an error if the run is canceled. Shows the progress now and then.
  private func countEvent() throws {
    eventCount += 1
    if eventCount & 0x3FF == 0 { try progress.show(files) }
  }

  // MARK: The plan

  /// Delivers the failures of finding, among those that the plan itself has.
  private func deliverFound(_ deliver: (Event) throws -> Void) throws {
    var place: UInt64 = 0
    while let record = try plan.next() {
      place += 1
      try countEvent()
      switch record.kind {
      case .file, .named:
        guard let shard = record.shard, let head = heads[shard],
          head.record.position == DuplicatesPosition(stage: .found, place: place)
        else { continue }
        try deliverRecord(head, deliver)
        heads[shard] = try self.head(of: shard, after: head)
      case .directory:
        files.directories += 1
      case .link:
        files.links += 1
      case .special(let type):
        files.special += 1
        try deliverResult(deliver) { batch in
          batch.append(.special, type: type, path: record.path)
          return true
        }
      case .unreadable(let error):
        files.failed += 1
        results.failures += 1
        try deliverResult(deliver) { batch in
          batch.append(.failed(error), path: record.path)
          return true
        }
      }
    }
    for (shard, head) in heads.enumerated() where head?.record.position.stage == .found {
      throw damaged(shard)
    }
  }

  // MARK: Records

  private func deliverRecord(_ head: Head, _ deliver: (Event) throws -> Void) throws {
    try countEvent()
    let (path, rest) = head.record.content(of: head.payload)
    switch head.record.kind {
    case .result:
      let isValid = try deliverResult(deliver) { $0.append(rest, path: path) }
      if !isValid { throw damaged(head.shard) }
    case .failed:
      guard rest.count == 4 else { throw damaged(head.shard) }
      let error = Errno(rawValue: rest.littleEndian(at: 0))
      try deliver(.other(.failed(error, path: Array(path))))
    case .changed:
      try deliver(.other(.changed(path: Array(path))))
    case .sizeMismatch:
      try deliver(.other(.sizeMismatch(path: Array(path))))
    case .group:
      let group = try PartGroup(
        rest, saving: head.record.position.saving, in: parts[head.shard],
        damage: damaged(head.shard))
      try deliver(.group(group))
    case .end:
      guard let object = JSONValue(rest), let found = object["found"], results.add(found),
        let statistics = object["files"], files.add(statistics)
      else { throw damaged(head.shard) }
    case .names:
      throw damaged(head.shard)
    }
  }

  @discardableResult
  private func deliverResult(
    _ deliver: (Event) throws -> Void, _ append: (inout ReplayedBatch) -> Bool
  ) throws -> Bool {
    var batch = ReplayedBatch()
    guard append(&batch) else { return false }
    try batch.deliver { (batch: borrowing FileBatch) in
      for index in 0..<batch.count { try deliver(.other(.result(batch[index].copied()))) }
    }
    return true
  }
}
