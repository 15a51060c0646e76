// Pool: an element in use goes to nobody else, and elements are made when they are needed.

import TestSupport
import Testing
import Weir

/// An element, which is not Sendable.
private final class Item {
  var uses = 0
}

private struct Bad: Error {}

@Suite(.timeLimit(.minutes(10)))
struct PoolTests {
  @Test("elements are made when needed, no more than are used at once, and kept")
  func making() async throws {
    let made = Shared(0)
    let pool = Pool(label: "made", count: 3, discarding: { $0 is Bad }) {
      made.change { $0 += 1 }
      if made.value == 1 { throw CancellationError() }
      return Item()
    }
    await #expect(throws: CancellationError.self) { try await pool.withElement { _ in } }
    for _ in 0..<5 { try await pool.withElement { $0.uses += 1 } }
    #expect(made.value == 2)
    // A second element is made while the first is in use.
    try await pool.withElement { item in
      #expect(item.uses == 5)
      let uses = try await pool.withElement { $0.uses }
      #expect(uses == 0)
    }
    #expect(made.value == 3)
    await #expect(throws: CancellationError.self) {
      try await pool.withElement { item in
        item.uses = 10
        throw CancellationError()
      }
    }
    #expect(try await pool.withElement { $0.uses } == 10)
    await #expect(throws: Bad.self) { try await pool.withElement { _ in throw Bad() } }
    #expect(try await pool.withElement { $0.uses } == 0)
    #expect(made.value == 3)
  }

  @Test("a body may put another element in the place of its own")
  func replacing() async throws {
    let pool = Pool<Int?>(label: "places", [nil])
    try await pool.withElement { $0 = 7 }
    #expect(try await onThread { try pool.withElement { $0 } } == 7)
  }

  @Test("elements are freed with their pool")
  func freed() async throws {
    let freed = Shared(0)
    do {
      let pool = Pool(label: "freed", count: 3) { Token { freed.change { $0 += 1 } } }
      try await pool.withElement { _ in }
    }
    #expect(freed.value == 1)
  }
}
