// The random numbers of the demos.

import Demos
import Testing

@Suite("seeded numbers")
struct SeededGeneratorTests {
  @Test("the same seed gives the same numbers, another seed others")
  func repeats() {
    func numbers(_ seed: UInt64) -> [UInt64] {
      var random = SeededGenerator(seed: seed)
      return (0..<8).map { _ in random.next() }
    }
    #expect(numbers(42) == numbers(42))
    #expect(numbers(42) != numbers(43))
  }
}
