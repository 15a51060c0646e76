// The gallery: what each way of fetching promises, and what the tutorial's ways
// do not.

import Demos
import Testing
import Weir

@Suite(.timeLimit(.minutes(1))) struct GalleryTests {
  /// Picture 3 cannot be had.
  static let faulty = PictureSource(
    blocking: { Picture(id: $0) },
    suspending: { id in
      if id == 3 { throw PictureError.status(500) }
      return Picture(id: id)
    })

  /// Pictures 1 and 2 come, the others only ever end by being cancelled.
  static let endless = PictureSource(
    blocking: { Picture(id: $0) },
    suspending: { id in
      if id > 2 { try await Task.sleep(for: .seconds(1e6)) }
      return Picture(id: id)
    })

  @Test func allArrive() async throws {
    let gallery = Gallery(source: .together(4))
    #expect(try await gallery.asyncLet().map(\.id) == [1, 2, 3, 4])
    #expect(gallery.requests.peak == 4)

    let group = Gallery(source: .together(30))
    #expect(await Set(group.taskGroup(1...30).map(\.id)) == Set(1...30))
    #expect(group.requests.peak == 30, "a group knows no limit")

    let ids = [5, 2, 9, 1]
    #expect(await Gallery(source: .briefly).taskGroupInOrder(ids).map(\.id) == ids)
  }

  @Test func failures() async throws {
    let lets = Gallery(source: Self.faulty)
    await #expect(throws: PictureError.status(500)) { try await lets.asyncLet() }

    let group = Gallery(source: Self.faulty)
    #expect(await Set(group.taskGroup(1...5).map(\.id)) == [1, 2, 4, 5])
    #expect(group.ids(.failed) == [3])
    #expect(await Gallery(source: Self.faulty).taskGroupInOrder(1...5).map(\.id) == [1, 2, 4, 5])
  }

  @Test func oneFailureCancelsTheRest() async {
    let gallery = Gallery(
      source: PictureSource(
        blocking: { Picture(id: $0) },
        suspending: { id in
          if id == 3 { throw PictureError.undecodable }
          return try await Self.endless.suspending(id)
        }))
    await #expect(throws: PictureError.undecodable) {
      try await gallery.throwingTaskGroup(3...6)
    }
    #expect(gallery.requests.inside == 0, "none outlives the group")
    #expect(gallery.ids(.failed) == [3])
  }

  @Test func aCancelledGroupGivesAShortArray() async {
    let gallery = Gallery(source: Self.endless)
    let pictures = await cancelled(gallery) { await $0.taskGroup(1...5) }
    #expect(Set(pictures.map(\.id)) == [1, 2], "and no error")
    #expect(gallery.requests.inside == 0)
    #expect(Set(gallery.ids(.cancelled)) == [3, 4, 5])
  }

  @Test func weirsMapHoldsItsLimit() async throws {
    for limit in [1, 3, 8] {
      let gallery = Gallery(source: .briefly)
      #expect(try await gallery.map(1...20, limit: limit).map(\.id) == Array(1...20))
      #expect(gallery.requests.peak <= limit)
    }
    let gallery = Gallery(source: .together(4))
    let pictures = try await gallery.map(1...4, limit: 4, order: .completion)
    #expect(Set(pictures.map(\.id)) == Set(1...4), "the limit is reached")
  }

  @Test func mapsInAGateShareItsLimit() async throws {
    let gallery = Gallery(source: .briefly)
    let gate = Gate(label: "pictures", permits: 2)
    async let first = gallery.map(1...10, limit: 5, within: gate)
    async let second = gallery.map(11...20, limit: 5, within: gate)
    #expect(try await (first + second).map(\.id) == Array(1...20))
    #expect(gallery.requests.peak <= 2)
  }

  @Test func aWindowIsALimit() async throws {
    let gallery = Gallery(source: .briefly)
    #expect(try await Set(gallery.windowedTaskGroup(1...20, limit: 3).map(\.id)) == Set(1...20))
    #expect(gallery.requests.peak <= 3)
  }

  @Test func weirsMapAndFailures() async throws {
    let gallery = Gallery(source: Self.faulty)
    let pictures = try await gallery.mapOrNil(1...5, limit: 2)
    #expect(pictures.map { $0?.id } == [1, 2, nil, 4, 5], "each in its place")
    await #expect(throws: PictureError.status(500)) {
      try await Gallery(source: Self.faulty).map(1...5, limit: 2)
    }
  }

  @Test func weirsMapIsNeverShort() async {
    let gallery = Gallery(source: Self.endless)
    let error = await cancelled(gallery) { gallery in
      await #expect(throws: (any Error).self) { try await gallery.mapOrNil(1...5, limit: 5) }
    }
    #expect(error is CancellationError)
    #expect(gallery.requests.inside == 0, "none outlives it")
  }

  /// Runs a body in a task that is cancelled when two pictures have arrived.
  private func cancelled<T: Sendable>(
    _ gallery: Gallery, _ body: @escaping @Sendable (Gallery) async -> T
  ) async -> T {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    gallery.feed.observe { _ in end.yield() }
    let task = Task { await body(gallery) }
    for await _ in ends.prefix(2) {}
    task.cancel()
    return await task.value
  }
}
