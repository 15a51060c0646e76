/// FNV-1a of 64 bits over the bytes of a name, followed by the finalizer of splitmix64.
/// Other programs can compute the same shard.
package enum NameHash {
  private static let offset: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let prime: UInt64 = 0x100_0000_01B3

  package static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 {
    var hash = offset
    for byte in name { hash = (hash ^ UInt64(byte)) &* prime }
    return mixed(hash)
  }

  /// Returns the lower half of the hash of a name, which a record of a part has.
  package static func check(_ name: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(truncatingIfNeeded: hash(name))
  }

  /// Returns the high half of the product of the hash and the number of shards.
  package static func shard(of name: UnsafeRawBufferPointer, count: Int) -> Int {
    Int(hash(name).multipliedFullWidth(by: UInt64(count)).high)
  }

  static func mixed(_ value: UInt64) -> UInt64 {
    var hash = value
    hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
    return hash ^ (hash >> 31)
  }
}
