// The bounds of streams and channels.

import Foundation
import Testing

@testable import BoardServer

@Suite(.serialized, .timeLimit(.minutes(10))) struct BoundsTests {
  /// A page that was closed leaves its channel: a comment finds the dead connection.
  @Test func aClosedPage() async throws {
    try await withServer { (server: TestServer) throws in
      let channel = server.server.board.channel
      do {
        let stream = try server.stream()
        try stream.until("hello")
        #expect(channel.streamCount == 1)
      }
      try eventually("the stream is gone") { channel.streamCount == 0 }
    }
  }

  @Test func tooManyStreams() async throws {
    try await withServer { (server: TestServer) throws in
      let streams = try (0..<200).map { _ in try server.stream() }
      let refused = try server.get(server.path("events"))
      #expect(refused.status == 503)
      #expect(try server.get(server.path()).status == 200)
      withExtendedLifetime(streams) {}
    }
  }

  @Test func tooManyStreamsOfAnAddress() async throws {
    try await withServer(isClass: true) { (server: TestServer) throws in
      let streams = try (0..<40).map { _ in try server.stream(asFollower: true) }
      #expect(try server.get(server.followerPath("events")).status == 503)
      try server.stream().until("hello")
      withExtendedLifetime(streams) {}
    }
  }

  @Test func tooManyConnectionsOfAnAddress() async throws {
    try await withServer { (server: TestServer) throws in
      let connections = try (0..<256).map { _ in try server.connect() }
      #expect(try server.connect().line() == nil)
      #expect(try connections[255].request("GET", server.path()).status == 200)
    }
  }

  /// A page that does not read would keep all logs from then on.
  @Test func aPageThatDoesNotRead() async throws {
    let times = BoardTimes(write: .milliseconds(200))
    try await withServer(times: times) { (server: TestServer) throws in
      let channel = server.server.board.channel
      let connection = try server.connect()
      connection.sendRequest("GET", server.path("events"))
      try eventually("the stream") { channel.streamCount == 1 }
      for _ in 0..<16 { channel.append([UInt8](repeating: 49, count: 1 << 20)) }
      try eventually("the stream is gone") { channel.streamCount == 0 }
      withExtendedLifetime(connection) {}
    }
  }

  @Test func aRunThatNobodyFollows() async throws {
    try await withServer { (server: TestServer) throws in
      let board = server.server.board
      do {
        let stream = try server.stream()
        try server.start(#"{"demo":"downloads","speed":0.1}"#)
        try stream.until("event")
        board.stopUnfollowed(after: .zero)
        #expect(board.channel.run?.isStopped == false)
      }
      try eventually("the stream is gone") { board.channel.streamCount == 0 }
      board.stopUnfollowed(after: .seconds(3600))
      #expect(board.channel.run?.isStopped == false)
      board.stopUnfollowed(after: .zero)
      try eventually("the run ends") { board.channel.run == nil }
    }
  }
}
