// Numbers found by what they stand for.

/// A table of numbers by hashes, of a size that is known beforehand. What a number
/// stands for is its owner's.
struct AuditIndexTable: Sendable {
  /// A number plus one; 0 where nothing is.
  private var slots: [Int32]

  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    slots = [Int32](repeating: 0, count: size)
  }

  /// The number of that hash to which `isIt` says yes.
  func find(_ hash: Int, _ isIt: (Int) -> Bool) -> Int? {
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 {
      let number = Int(slots[slot] - 1)
      if isIt(number) { return number }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Takes a number that is not there.
  mutating func insert(_ number: Int, _ hash: Int) {
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(number + 1)
  }
}
