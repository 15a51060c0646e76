/// An assignment of files to shards.
///
/// All files are added first, then divided, and then each is asked for its shard, in the same
/// order. The result depends on nothing else.
///
/// DESIGN. A sort of all files by size would balance best, and take memory for each of them.
/// The largest ones decide, and only these are kept: each goes to the least loaded shard, the
/// largest first. The other files follow in the order of the walk, in chunks of neighbours,
/// each to the least loaded shard. A chunk is at most 1/2048 of a shard, so the chunks even out
/// what the largest files leave, and files of a directory mostly stay together.
package final class ShardAssignment {
  /// The cost of a file besides its bytes: the time of opening it, in bytes.
  package static let fileCost: UInt64 = 256 << 10

  /// The cost from which on a file is divided by itself: its bytes count, and a chunk of many
  /// small files costs as much with fewer bytes.
  private static let sizeableCost = fileCost + fileCost / 4
  private static let chunkFilesMax = 64
  /// The number of chunks of a shard, at least.
  private static let chunksPerShard: UInt64 = 2048

  private let shards: Int
  private let strategy: ShardStrategy
  private var loads: ShardLoads
  private var largest: LargestFiles
  private var classes: SizeClasses
  private var chunk = Chunk()
  private var added: UInt64 = 0
  private var asked: UInt64 = 0
  private var totalCost: UInt64 = 0
  private var chunkCostMax: UInt64 = 1
  /// The bytes to read of each shard, if the strategy knows them.
  package private(set) var bytesToRead: [UInt64]?

  /// Neighbours that get the same shard.
  private struct Chunk {
    var directory: [UInt8] = []
    var files = 0
    var cost: UInt64 = 0
  }

  /// - Parameter memory: The number of bytes that the program may take; the assignment
  ///   takes a part of them.
  package init(shards: Int, strategy: ShardStrategy, memory: UInt64) {
    self.shards = shards
    self.strategy = strategy
    loads = ShardLoads(shards: shards)
    let entries = Int(clamping: memory / 64)
    largest = LargestFiles(countMax: strategy == .size ? entries : 1)
    let slots = max(entries / 4, 1 << 10)
    classes = SizeClasses(
      count: strategy == .sizeClass ? 1 << (Int.bitWidth - 1 - slots.leadingZeroBitCount) : 1)
  }

  // MARK: Adding

  /// Adds a file; the size is `nil` if it is unknown.
  package func add(size: UInt64?) {
    let cost = cost(size)
    totalCost = totalCost.addingClamped(cost)
    switch strategy {
    case .size: largest.add(number: added, cost: cost)
    case .sizeClass: if let size { classes.add(size: size) }
    case .count, .hash: break
    }
    added += 1
  }

  private func cost(_ size: UInt64?) -> UInt64 {
    strategy == .count ? 1 : (size ?? 0).addingClamped(ShardAssignment.fileCost)
  }

  // MARK: Dividing

  package func divide() {
    chunkCostMax = max(1, totalCost / UInt64(shards) / ShardAssignment.chunksPerShard)
    switch strategy {
    case .size:
      let least = min(chunkCostMax, ShardAssignment.sizeableCost)
      largest.assign(atLeast: least) { loads.addToLeast($0) }
    case .sizeClass:
      bytesToRead = classes.assign(&loads, shards: shards)
    case .count, .hash: break
    }
  }

  /// Returns the shard of a file, with the size as it was added.
  package func shard(path: UnsafeRawBufferPointer, size: UInt64?) -> Int {
    defer { asked += 1 }
    switch strategy {
    case .hash:
      return NameHash.shard(of: path, count: shards)
    case .sizeClass:
      return size.map { classes.shard(of: $0) } ?? NameHash.shard(of: path, count: shards)
    case .size, .count:
      return largest.takeShard(of: asked) ?? shardOfChunk(path: path, cost: cost(size))
    }
  }

  private func shardOfChunk(path: UnsafeRawBufferPointer, cost: UInt64) -> Int {
    let directory = path[..<(path.lastIndex(of: .slash) ?? 0)].rebased
    let isSame = chunk.directory.withUnsafeBytes { $0.hasSameBytes(as: directory) }
    let isFull =
      chunk.files == ShardAssignment.chunkFilesMax || chunk.cost.addingClamped(cost) > chunkCostMax
    if !isSame || isFull {
      if chunk.files > 0 { loads.addToLeast(chunk.cost) }
      (chunk.files, chunk.cost) = (0, 0)
      if !isSame {
        chunk.directory.removeAll(keepingCapacity: true)
        chunk.directory.append(contentsOf: directory)
      }
    }
    chunk.files += 1
    chunk.cost = chunk.cost.addingClamped(cost)
    return loads.least
  }
}

/// A rule by which files are assigned to shards.
package enum ShardStrategy: String, CaseIterable, Sendable {
  /// Equal bytes, and a fixed cost for each file.
  case size
  case count
  /// The hash of the name: a file keeps its shard when other files come and go.
  case hash
  /// All files of one size in one shard, so that duplicates are never apart.
  case sizeClass = "size-class"
}
