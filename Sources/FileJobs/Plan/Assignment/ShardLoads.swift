/// The loads of shards. Of several with the least load, the one with the lowest number is
/// the least loaded, so that the result does not depend on anything else.
struct ShardLoads {
  private struct Shard {
    let number: Int
    var load: UInt64

    static func precedes(_ left: Shard, _ right: Shard) -> Bool {
      (left.load, left.number) < (right.load, right.number)
    }
  }

  private var heap: [Shard]

  init(shards: Int) {
    heap = (0..<shards).map { Shard(number: $0, load: 0) }
  }

  var least: Int { heap[0].number }

  /// Adds to the load of the least loaded shard. Returns its number.
  @discardableResult
  mutating func addToLeast(_ cost: UInt64) -> Int {
    let number = heap[0].number
    heap[0].load = heap[0].load.addingClamped(cost)
    heap.siftDown(0, end: heap.count, Shard.precedes)
    return number
  }
}
