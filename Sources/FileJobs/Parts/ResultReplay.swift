internal import SystemPackage
package import Weir

/// A run that repeats what the shards of a plan have recorded, in the batches of a file processor.
///
/// @unchecked Sendable: one thread runs it; the statistics have a lock.
package final class ResultReplay: FileJob, @unchecked Sendable {
  private let plan: PlanReader
  private let parts: [PartReader]
  private let deliversWholeTree: Bool
  private let progress = MergeProgress()

  /// - Parameter plan: A reader that has read no record yet.
  package init(_ plan: PlanReader, _ parts: [PartReader], deliversWholeTree: Bool) {
    self.plan = plan
    self.parts = parts
    self.deliversWholeTree = deliversWholeTree
  }

  package var control: JobControl { progress.control }

  /// Delivers all results. Throws `Errno.canceled`, a `Fault`, or the error of `deliver`.
  package func run(deliver: (borrowing FileBatch) throws -> Void) throws {
    var batch = ReplayedBatch()
    var statistics = FileStatistics.none
    statistics.filtered = plan.header.filtered
    statistics.excluded = plan.header.excluded
    while let record = try plan.next() {
      try append(record, to: &batch, &statistics)
      if batch.isFull { try progress.deliver(&batch, &statistics, deliver) }
    }
    try progress.deliver(&batch, &statistics, deliver)
    for (shard, part) in parts.enumerated() where try part.next() != nil {
      throw Fault(part.name, damaged: "it has more files than its shard \(shard)")
    }
  }

  private func append(
    _ record: PlanEntry, to batch: inout ReplayedBatch, _ statistics: inout FileStatistics
  ) throws {
    switch record.kind {
    case .file, .named:
      guard let shard = record.shard, let answer = try parts[shard].next(), answer.items == 1,
        answer.nameCheck == NameHash.check(record.path),
        batch.append(answer.payload, path: record.path)
      else {
        let shard = record.shard ?? 0
        throw Fault(parts[shard].name, damaged: "it has other files than its shard \(shard)")
      }
    case .directory:
      statistics.directories += 1
      if deliversWholeTree { batch.append(.directory, type: .directory, path: record.path) }
    case .link:
      if deliversWholeTree {
        batch.append(.link, type: .symbolicLink, path: record.path, target: record.target)
      } else {
        statistics.links += 1
      }
    case .special(let type):
      batch.append(.special, type: type, path: record.path)
    case .unreadable(let error):
      batch.append(.failed(error), path: record.path)
    }
  }
}

/// The progress of a merge, for the threads that watch or cancel it.
final class MergeProgress: Sendable {
  private let state = Locked((statistics: FileStatistics.none, isCanceled: false))

  var control: JobControl {
    JobControl(
      cancel: { self.state.with { $0.isCanceled = true } },
      statistics: { self.state.with { $0.statistics } }, busyFiles: { _ in [] })
  }

  /// Shows statistics. Throws an error if the merge was cancelled.
  func show(_ statistics: FileStatistics) throws(Errno) {
    let isCanceled = state.with { state in
      state.statistics = statistics
      return state.isCanceled
    }
    if isCanceled { throw .canceled }
  }

  /// Delivers a batch, and adds its results to statistics.
  func deliver(
    _ batch: inout ReplayedBatch, _ statistics: inout FileStatistics,
    _ deliver: (borrowing FileBatch) throws -> Void
  ) throws {
    var sum = statistics
    try batch.deliver { (batch: borrowing FileBatch) in
      for index in 0..<batch.count { sum.add(batch[index]) }
      try deliver(batch)
    }
    statistics = sum
    try show(sum)
  }
}

extension ReplayedBatch {
  /// True if the batch has to be delivered, so that it takes little memory.
  var isFull: Bool { count >= 64 || byteCount >= 1 << 18 }
}

extension FileStatistics {
  mutating func add(_ result: FileResult) {
    bytes &+= result.bytesRead
    switch result.outcome {
    case .done:
      files += 1
      if result.bytesRead == 0 && result.size > 0 { unread += 1 }
    case .failed: failed += 1
    case .changed: changed += 1
    case .special:
      special += 1
      if result.isNamed { specialNamed += 1 }
    case .link: links += 1
    case .directory, .noted: break
    }
  }
}
