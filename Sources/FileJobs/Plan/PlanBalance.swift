// The balance of a plan: how much of it each shard has.

package struct PlanBalance: Sendable {
  package let header: PlanHeader
  /// The bytes that each shard has to read, if they differ from those of its files.
  package let bytesToRead: [UInt64]?
  /// The quotient of the largest and the mean cost of the shards, which the plan balances.
  package let costRatio: Double

  init(_ header: PlanHeader, _ assignment: ShardAssignment) {
    self.header = header
    bytesToRead = assignment.bytesToRead
    let costs = zip(header.shardFiles, header.shardBytes).map { files, bytes in
      bytes.addingClamped(files &* ShardAssignment.fileCost)
    }
    costRatio = PlanBalance.ratio(costs)
  }

  /// The quotient of the largest and the mean value of the shards; 1 if all are 0.
  package static func ratio(_ shards: [UInt64]) -> Double {
    let sum = shards.reduce(0.0) { $0 + Double($1) }
    guard sum > 0, let largest = shards.max() else { return 1 }
    return Double(largest) * Double(shards.count) / sum
  }
}
