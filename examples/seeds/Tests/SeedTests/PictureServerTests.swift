// The server: real fetches, and its knobs.

import Foundation
import Testing

@testable import gallery

@Suite(.timeLimit(.minutes(1))) struct PictureServerTests {
  @Test func bothWaysGiveTheSame() async throws {
    var knobs = PictureServer.Knobs()
    knobs.size = 50_000
    let server = try await PictureServer(knobs)
    let source = server.source
    for id in [0, 7, 123_456] {
      let expected = Picture(id: id, size: 50_000)
      #expect(expected.svg.utf8.count == 50_000)
      #expect(try await source.suspending(id) == expected)
      let other = await onThread { Result { try source.blocking(id) } }
      #expect(try other.get() == expected)
    }
    #expect(server.requests.entered == 6)
    await server.stop()
  }

  @Test func faults() async throws {
    var knobs = PictureServer.Knobs()
    knobs.faults = [1: .status, 2: .nonsense]
    let server = try await PictureServer(knobs)
    let source = server.source
    for (id, error) in [(1, PictureError.status(500)), (2, .undecodable)] {
      await #expect(throws: error) { try await source.suspending(id) }
      let other = await onThread { Result { try source.blocking(id) } }
      #expect(throws: error) { try other.get() }
    }
    await server.stop()
  }

  @Test func cancellingEndsAFetch() async throws {
    var knobs = PictureServer.Knobs()
    knobs.delay = { _ in 1e6 }
    let server = try await PictureServer(knobs)
    let task = Task { [source = server.source] in try await source.suspending(1) }
    while server.requests.inside == 0 { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    await server.stop()
  }

  @Test func picturesOfTheirOwn() throws {
    let pictures = (0..<20).map { Picture(id: $0) }
    #expect(Set(pictures.map(\.svg)).count == 20)
    for picture in pictures {
      #expect(Picture(id: picture.id) == picture, "the same every time")
      #expect(Picture(bytes: picture.svg.utf8) == picture)
    }
    #expect(Picture(bytes: "<svg ".utf8) == nil)
    #expect(Picture(bytes: "".utf8) == nil)
  }
}

/// Runs a body that blocks on a thread of its own: the cooperative pool has one thread a core.
private func onThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: body()) }.start()
  }
}
