// Reproducible random inputs. The seed is the same in each run of the tests, so that no change fails by
// a case that another change did not draw; `make test-random` sets others, in WEIR_TEST_SEED.

internal import Glibc

public let testSeed: UInt64 = {
  let seed = getenv("WEIR_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
  print("random inputs: WEIR_TEST_SEED=\(seed)")
  return seed
}()

/// SplitMix64: small, and equal on every machine.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Makes a generator for one test. Tests get different inputs from the same seed,
  /// which do not depend on the order of the tests.
  public init(for test: String) {
    self.init(seed: testSeed, for: test)
  }

  /// Makes a generator for one test from a seed that the test has chosen.
  public init(seed: UInt64, for test: String) {
    state = test.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  public mutating func bytes(_ count: Int) -> [UInt8] {
    var words = [UInt64](repeating: 0, count: (count + 7) / 8)
    for index in words.indices { words[index] = next() }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
  }

  /// Returns a valid name of a file, mostly with bytes that a shell or a format must
  /// quote.
  public mutating func name() -> [UInt8] {
    let awkward = Array("'\"\\ \n\r\t#~{}=?:!$`*-a,b[]&;<>()%@.\u{7F}é€".utf8)
    let count = Int.random(in: 1...12, using: &self)
    let isAwkward = Bool.random(using: &self)
    let name = (0..<count).map { _ -> UInt8 in
      let byte =
        isAwkward
        ? awkward[Int.random(in: 0..<awkward.count, using: &self)]
        : UInt8.random(in: 1...255, using: &self)
      return byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
    }
    return name == [0x2D] || name == [0x2E] || name == [0x2E, 0x2E] ? [0x5F] : name
  }
}

/// True in the long targets that run whole tables: `make test-tables`, `make test-calls`.
public let runsWholeTables =
  getenv("WEIR_TEST_TABLES") != nil || getenv("WEIR_TEST_CALLS") != nil
