// The totals of the records of a plan, which its header promises.

/// The totals of the records of a plan.
struct PlanTotals {
  private(set) var files: UInt64 = 0
  private(set) var bytes: UInt64 = 0
  private(set) var entries: UInt64 = 0
  private(set) var unreadable: UInt64 = 0
  private(set) var shardFiles: [UInt64]
  private(set) var shardBytes: [UInt64]

  init(shards: Int) {
    shardFiles = Array(repeating: 0, count: shards)
    shardBytes = Array(repeating: 0, count: shards)
  }

  mutating func add(_ record: PlanRecord) {
    entries += 1
    if case .unreadable = record.kind { unreadable += 1 }
    guard record.kind == .file else { return }
    files += 1
    bytes = bytes.addingClamped(record.size)
    if let shard = record.shard {
      shardFiles[shard] += 1
      shardBytes[shard] = shardBytes[shard].addingClamped(record.size)
    }
  }

  func agree(with header: PlanHeader) -> Bool {
    files == header.files && bytes == header.bytes && entries == header.entries
      && unreadable == header.unreadable && shardFiles == header.shardFiles
      && shardBytes == header.shardBytes
  }
}
