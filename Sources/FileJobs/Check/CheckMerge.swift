internal import Weir

/// A run that makes the events of one check of the results that the shards of a plan have
/// recorded. It holds one record of each part in memory.
///
/// @unchecked Sendable: one thread runs it; the statistics have a lock.
package final class CheckMerge: FileJob, @unchecked Sendable {
  /// The first record of a part that is not delivered yet.
  private struct Head {
    let shard: Int
    let position: CheckPosition
    let record: CheckPartEntry

    static func precedes(_ left: Head, _ right: Head) -> Bool { left.position < right.position }
  }

  private let parts: [PartReader]
  private let planName: [UInt8]
  private let manifestCount: Int
  private var heap: [Head] = []
  private var statistics = FileStatistics.none
  private let progress = MergeProgress()

  package init(_ parts: [PartReader], manifestCount: Int, name: [UInt8]) {
    self.parts = parts
    self.manifestCount = manifestCount
    planName = name
  }

  package var control: JobControl { progress.control }

  private static func damaged(_ shard: Int, _ name: [UInt8]) -> Fault {
    Fault(name, damaged: "the part of shard \(shard) is not one of a check of this plan")
  }

  // MARK: The proof

  /// Reads all parts, and throws an error unless they have verified all lines.
  package static func prove(_ parts: [PartReader], name: [UInt8]) throws {
    var sum: UInt64 = 0
    var expected: UInt64?
    for (shard, part) in parts.enumerated() {
      var all: UInt64?
      while let next = try part.next() {
        guard let record = CheckPartEntry(next.payload) else { throw damaged(shard, name) }
        if record.position == nil {
          all = record.lines
        } else {
          sum = sum.addingClamped(record.lines)
        }
      }
      guard let all, expected == nil || expected == all else { throw damaged(shard, name) }
      expected = all
    }
    if let expected, sum != expected {
      throw Fault(
        name, damaged: "its parts have verified \(sum) lines, and the manifests have \(expected)")
    }
  }

  // MARK: The run

  /// Delivers the events of all lines in the order of the manifests.
  ///
  /// - Throws: `Errno.canceled`, a `Fault`, or the error of `deliver`.
  package func run(deliver: @escaping (CheckEvent) throws -> Void) throws {
    let delivery = CheckDelivery(Unread(), deliver)
    heap = try parts.indices.compactMap { try head(of: $0) }
    heap.heapify(Head.precedes)
    var batch = ReplayedBatch()
    var last: CheckPosition?
    while let first = heap.first {
      if let last, !(last < first.position) { throw CheckMerge.damaged(first.shard, planName) }
      last = first.position
      guard batch.append(first.record.result, path: first.record.path) else {
        throw CheckMerge.damaged(first.shard, planName)
      }
      heap.replaceFirst(by: try head(of: first.shard), Head.precedes)
      if batch.isFull {
        try flush(&batch, delivery)
        try deliver(.pause)
      }
    }
    try flush(&batch, delivery)
  }

  /// Returns the next record of a part with a position; `nil` at its end. The part of an
  /// attempt that was continued can have its last record twice.
  private func head(of shard: Int) throws -> Head? {
    while let next = try parts[shard].next() {
      guard let record = CheckPartEntry(next.payload) else {
        throw CheckMerge.damaged(shard, planName)
      }
      if let position = record.position {
        return Head(shard: shard, position: position, record: record)
      }
    }
    return nil
  }

  private func flush(_ batch: inout ReplayedBatch, _ delivery: CheckDelivery) throws {
    try progress.deliver(&batch, &statistics) { (batch: borrowing FileBatch) in
      for index in 0..<batch.count {
        guard CheckNote.isValid(batch[index], manifestCount: manifestCount) else {
          throw Fault(planName, damaged: "a part has a malformed result of a check")
        }
        try delivery.deliver(batch[index])
      }
    }
  }
}
