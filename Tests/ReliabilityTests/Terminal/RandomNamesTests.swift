// Names of random bytes in the messages of all verbs, on a terminal.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(30)))
struct RandomNamesTests {
  private static let count =
    getenv("WEIR_TEST_RANDOM_NAMES").flatMap { Int(String(cString: $0)) } ?? 1

  @Test("no byte of a random name commands the terminal", arguments: 0..<count)
  func names(number: Int) async throws {
    var random = SeededGenerator(for: "names \(number)")
    let locale = Bool.random(using: &random) ? "C.UTF-8" : "C"
    for row in MessageRow.all.shuffled(using: &random).prefix(5) {
      let name = RandomNamesTests.control(&random)
      let arrived = try await onThread { try row.onTerminal(name: name, locale: locale) }
      let faults = ArrivedBytes.faults(onTerminal: arrived)
      #expect(faults.isEmpty, "\(row.name), locale \(locale): \(faults.prefix(3))")
    }
  }

  /// Returns a name of control characters between letters.
  private static func control(_ random: inout SeededGenerator) -> [UInt8] {
    let all: [[UInt8]] =
      (1..<0x20).map { [$0] } + (0x7F...0xFF).map { [$0] }
      + (0x80...0x9F).map { [0xC2, $0] }
      + [0xA8, 0xA9, 0xAA, 0xAE].map { [0xE2, 0x80, $0] } + [[0xE2, 0x81, 0xA6], [0x1B, 0x5D]]
    return (0..<12).flatMap { _ in all[Int.random(in: 0..<all.count, using: &random)] + [0x61] }
  }
}
