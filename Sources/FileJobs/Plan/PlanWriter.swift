// The writer of a plan: entries are collected, divided among the shards, and written.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A writer of a plan. Entries are added in order and spooled to a file without a name; when
/// the last one is known, each gets its shard.
///
/// @unchecked Sendable: one call at a time, which the deliveries of a run are.
package final class PlanWriter: @unchecked Sendable {
  private let output: PlanOutput
  private let spool: FileDescriptor
  private let records: PlanRecordOutput
  private let assignment: ShardAssignment
  private var header: PlanHeader

  /// The number of records between two looks at a cancellation.
  private static let interval: UInt64 = 4096

  /// Begins a plan.
  ///
  /// - Parameters:
  ///   - root: The directory that relative names begin at.
  ///   - memory: The number of bytes that the program may take.
  package init(
    _ output: PlanOutput, shards: Int, strategy: ShardStrategy, root: [UInt8], memory: UInt64
  ) throws(PlanError) {
    self.output = output
    header = PlanHeader(shards: shards, strategy: strategy, root: root)
    assignment = ShardAssignment(shards: shards, strategy: strategy, memory: memory)
    spool = try output.makeSpool()
    records = PlanRecordOutput(spool)
  }

  deinit { close(spool.rawValue) }

  /// Adds an entry; a shard that it has is replaced.
  package func add(_ record: PlanRecord) throws(PlanError) {
    header.entries += 1
    switch record.kind {
    case .file:
      header.files += 1
      header.bytes = header.bytes.addingClamped(record.size)
      assignment.add(size: record.size)
    case .named: assignment.add(size: nil)
    case .unreadable: header.unreadable += 1
    case .directory, .link, .special: break
    }
    try PlanError.attributing(to: output.path) { () throws(Errno) in
      try records.append(record.with(shard: nil))
    }
  }

  /// Divides the entries and writes the plan. Returns its balance.
  ///
  /// - Parameters:
  ///   - filtered: The number of entries that filters have excluded.
  ///   - named: The inputs, for the columns of `weir count`.
  ///   - isCanceled: True if the plan is not wanted any more.
  /// - Throws: A `PlanError`, or `Errno.canceled`.
  package func finish(
    filtered: UInt64, named: PlanNamedInputs, isCanceled: () -> Bool = { false }
  ) throws -> PlanBalance {
    header.filtered = filtered
    header.named = named
    do {
      try PlanError.attributing(to: output.path) { () throws(Errno) in try records.flush() }
      assignment.divide()
      try write(isCanceled: isCanceled)
      try output.commit()
    } catch {
      output.discard()
      throw error
    }
    return PlanBalance(header, assignment)
  }

  private func write(isCanceled: () -> Bool) throws {
    let width = header.width
    let file = try output.create()
    let blanks = Array(repeating: UInt8(ascii: " "), count: width)
    let digest = try attributing { () throws(Errno) in
      try file.write(all: blanks)
      let digest = try Digest(.sha256)
      try digest.begin()
      return digest
    }
    let written = PlanRecordOutput(file, digest: digest)
    let input = PlanRecordInput(
      spool, name: output.path, offset: 0, length: records.length, digest: nil)
    var totals = PlanTotals(shards: header.shards)
    while let record = try input.next() {
      let placed = record.with(shard: shard(of: record))
      totals.add(placed)
      try attributing { () throws(Errno) in try written.append(placed) }
      if totals.entries % PlanWriter.interval == 0 && isCanceled() { throw Errno.canceled }
    }
    (header.shardFiles, header.shardBytes) = (totals.shardFiles, totals.shardBytes)
    header.length = written.length
    try attributing { () throws(Errno) in
      try written.flush()
      header.id = try header.id(after: digest)
      try file.write(all: header.line(width: width), at: 0)
    }
  }

  private func shard(of record: PlanRecord) -> Int? {
    switch record.kind {
    case .file: assignment.shard(path: record.path, size: record.size)
    case .named: assignment.shard(path: record.path, size: nil)
    default: nil
    }
  }

  private func attributing<R>(_ body: () throws(Errno) -> R) throws(PlanError) -> R {
    try PlanError.attributing(to: output.path, body)
  }
}

extension PlanRecord {
  /// Returns the record with another shard.
  func with(shard: Int?) -> PlanRecord {
    PlanRecord(
      kind, shard: shard, size: size, modified: modified, path: path, target: target)
  }
}
