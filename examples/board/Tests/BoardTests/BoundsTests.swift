// The bounds of streams and channels.

import Foundation
import Testing

@testable import BoardServer

@Suite(.serialized, .timeLimit(.minutes(3))) struct BoundsTests {
  /// A page that was closed leaves its channel: a comment finds the dead connection.
  @Test func aClosedPage() async throws {
    try await withServer { (server: TestServer) throws in
      let channel = try server.server.board.channel("abcdefgh")
      do {
        let stream = try server.stream("abcdefgh")
        try stream.until("hello")
        #expect(channel.streamCount == 1)
      }
      try eventually("the stream is gone") { channel.streamCount == 0 }
    }
  }

  @Test func tooManyStreams() async throws {
    try await withServer { (server: TestServer) throws in
      let streams = try (0..<200).map { try server.stream("channel\($0 % 40)") }
      let refused = try server.get(server.path("abcdefgh/events"))
      #expect(refused.status == 503)
      #expect(try server.get(server.path()).status == 200)
      withExtendedLifetime(streams) {}
    }
  }

  @Test func tooManyChannels() async throws {
    try await withServer { (server: TestServer) throws in
      // Those that nobody uses are replaced.
      for number in 0..<200 {
        #expect(try server.post(server.path("unused\(number + 100)/stop"), "").status == 204)
      }
      let streams = try (0..<64).map { try server.stream("channel\($0)") }
      #expect(try server.get(server.path("abcdefgh/events")).status == 429)
      withExtendedLifetime(streams) {}
    }
  }
}
