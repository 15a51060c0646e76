// Random inputs that can be had again: the seed is printed, and
// WEIR_TEST_SEED overrides it.
import Glibc

/// The seed of this run.
let testSeed: UInt64 = {
  let given = getenv("WEIR_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
  let seed = given ?? UInt64.random(in: 1...999_999_999)
  print("WEIR_TEST_SEED=\(seed)")
  return seed
}()

/// SplitMix64.
///
/// Each user has a stream of its own, by name, so that a test gets the same
/// numbers whichever other tests run.
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(_ name: String) {
    state = name.utf8.reduce(testSeed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
