/// The sizes of files, with the number of files of each, in a table of fixed size.
///
/// DESIGN. A size gets a slot of its own while one of a few slots is free; any later size
/// shares the slot at its hash with others. So equal sizes always share a slot, and the table
/// is exact as long as it has room: a size that one file alone has needs no reading, since
/// that file has no duplicate.
struct SizeClasses {
  private struct Slot {
    var size: UInt64 = 0
    var files: UInt64 = 0
    var bytes: UInt64 = 0
    /// The shard, when it is known.
    var shard: UInt32 = 0
    var isShared = false

    /// The bytes that duplicates may read.
    var bytesToRead: UInt64 { files > 1 || isShared ? bytes : 0 }
  }

  private static let probes = 8

  private var slots: [Slot]

  /// - Parameter count: The number of slots, a power of two.
  init(count: Int) {
    slots = Array(repeating: Slot(), count: count)
  }

  mutating func add(size: UInt64) {
    let index = slot(of: size)
    if slots[index].files == 0 {
      slots[index].size = size
    } else if slots[index].size != size {
      slots[index].isShared = true
    }
    slots[index].files += 1
    slots[index].bytes = slots[index].bytes.addingClamped(size)
  }

  /// Returns the slot of a size: its own, a free one, or else the one at its hash.
  private func slot(of size: UInt64) -> Int {
    let hash = Int(truncatingIfNeeded: NameHash.mixed(size)) & Int.max
    for probe in 0..<SizeClasses.probes {
      let index = (hash + probe) & (slots.count - 1)
      if slots[index].files == 0 || slots[index].size == size { return index }
    }
    return hash & (slots.count - 1)
  }

  /// Gives classes their shards, the costliest first. Returns the bytes to read of each shard.
  mutating func assign(_ loads: inout ShardLoads, shards: Int) -> [UInt64] {
    var bytesToRead = [UInt64](repeating: 0, count: shards)
    var order = slots.indices.filter { slots[$0].files > 0 }.map { UInt32($0) }
    order.sort { (cost($1), $0) < (cost($0), $1) }
    for number in order {
      let index = Int(number)
      let shard = loads.addToLeast(cost(number))
      slots[index].shard = UInt32(shard)
      bytesToRead[shard] = bytesToRead[shard].addingClamped(slots[index].bytesToRead)
    }
    return bytesToRead
  }

  private func cost(_ number: UInt32) -> UInt64 { cost(slots[Int(number)]) }

  private func cost(_ slot: Slot) -> UInt64 {
    slot.bytesToRead.addingClamped(slot.files * ShardAssignment.fileCost)
  }

  func shard(of size: UInt64) -> Int { Int(slots[slot(of: size)].shard) }
}
