// Random inputs, as the tests of the C library name them.
import TestSupport

typealias Random = SeededGenerator

extension SeededGenerator {
  /// A stream by name, so that a test gets the same numbers whichever other tests
  /// run.
  init(_ name: String) { self.init(for: name) }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
