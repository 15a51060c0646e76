// The hash of names: others compute the same shards.

import FileJobs
import Testing

@Suite struct PlanNameHashTests {
  private static let vectors: [(name: String, hash: UInt64, shards: [Int])] = [
    ("", 0xF52A_15E9_A9B5_E89B, [6, 61, 957]),
    ("a", 0x02C0_BDBF_4814_20F8, [0, 0, 10]),
    ("dir/file.txt", 0xF577_E928_A4C0_F529, [6, 61, 958]),
    ("é/ü", 0x7D2E_54FB_3448_6F66, [3, 31, 488]),
  ]

  @Test("names have the published hashes and shards")
  func hashes() {
    for (name, hash, shards) in Self.vectors {
      Array(name.utf8).withUnsafeBytes { bytes in
        #expect(NameHash.hash(bytes) == hash, "\(name)")
        #expect([7, 64, 1000].map { NameHash.shard(of: bytes, count: $0) } == shards, "\(name)")
      }
    }
  }
}
