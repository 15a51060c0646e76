// Connections that are slow, endless or too many, while a run goes on.

import Foundation
import Testing

@testable import BoardServer

@Suite(.serialized, .timeLimit(.minutes(3))) struct BoundsTests {
  private var limits: ConnectionWatch.Limits {
    var limits = ConnectionWatch.Limits()
    limits.requestSeconds = 1
    limits.stallSeconds = 1
    limits.interval = 0.05
    return limits
  }

  /// Runs a closure while a run goes on; the run must reach its end, and its stream must have all.
  private func duringARun(
    _ limits: ConnectionWatch.Limits,
    _ body: @escaping @Sendable (TestServer) throws -> Void
  ) async throws {
    try await withServer(limits: limits) { (server: TestServer) throws in
      let stream = try server.stream("abcdefgh")
      try server.start("abcdefgh", #"{"demo":"downloads","speed":4,"knobs":{"tasks":"5"}}"#)
      try stream.until("event")
      try body(server)
      #expect(try stream.until("end").text("reason") == "finished")
      let starts = stream.messages.filter { $0.text("q") == "START" && $0.text("ev") == "note" }
      #expect(starts.count == 5)
      #expect(stream.messages.count { $0.kind == "hello" } == 1)
    }
  }

  @Test func aConnectionThatSendsNothing() async throws {
    try await duringARun(limits) { server in
      let silent = try server.connect()
      let half = try server.connect()
      half.send("GET /")
      let idle = try server.connect()
      #expect(try idle.request("GET", server.path()).status == 200)
      for connection in [silent, half, idle] { #expect(try connection.isClosed()) }
    }
  }

  /// A byte at a time: each wait is short, and the request never ends.
  @Test func aConnectionThatDrips() async throws {
    try await duringARun(limits) { server in
      let slow = try server.connect()
      let begin = Date()
      for byte in Array("GET /".utf8) + Array(repeating: 97, count: 10_000) {
        if slow.send([byte]) == 0 { break }
        usleep(10_000)
      }
      #expect(Date().timeIntervalSince(begin) < 15)
      #expect(try slow.isClosed())
    }
  }

  @Test(arguments: ["GET /", "GET / HTTP/1.1\r\nX: ", "GET / HTTP/1.1\r\n"])
  func anEndlessHeader(_ begin: String) async throws {
    try await duringARun(limits) { server in
      let endless = try server.connect()
      endless.send(begin)
      let line = begin.hasSuffix("\n") ? "a: b\r\n" : "aaaaaa"
      let piece = Array(String(repeating: line, count: 1000).utf8)
      var sent = 0
      while sent < 200 << 20 {
        let count = endless.send(piece)
        sent += count
        if count < piece.count { break }
      }
      #expect(sent < 100 << 20, "the server took \(sent) bytes")
      #expect(try endless.isClosed())
      #expect(try server.get(server.path()).status == 200)
    }
  }

  @Test func aBodyOfTenMegabytes() async throws {
    try await duringARun(limits) { server in
      let body = Data(repeating: 97, count: 10 << 20)
      let connection = try server.connect()
      connection.sendRequest("POST", server.path("abcdefgh/start"), [:], body)
      #expect(try connection.response().status == 413)
      #expect(try connection.isClosed())
      let chunked = try server.connect()
      chunked.sendRequest("POST", server.path("abcdefgh/start"), ["Transfer-Encoding": "chunked"])
      #expect(try chunked.response().status == 411)
      #expect(try chunked.isClosed())
    }
  }

  @Test func aThousandSlowConnections() async throws {
    var limits = limits
    // Only their number ends them.
    limits.requestSeconds = 60
    try await duringARun(limits) { [limits] server in
      var slow: [Connection] = []
      for _ in 0..<1000 {
        let connection = try server.connect()
        connection.send("GET / HTTP/1.1\r\nX: ")
        slow.append(connection)
        if slow.count % 100 == 0 {
          let begin = Date()
          #expect(try server.get(server.path()).status == 200)
          #expect(Date().timeIntervalSince(begin) < 2)
        }
      }
      try eventually("the oldest are closed") {
        server.server.watch.count <= limits.idleConnections + 10
      }
      #expect(server.server.watch.endedCount >= 1000 - limits.idleConnections - 10)
      #expect(try server.get(server.path()).status == 200)
      withExtendedLifetime(slow) {}
    }
  }

  /// A page that takes nothing of its stream.
  @Test func aStalledReader() async throws {
    try await withServer(limits: limits) { (server: TestServer) throws in
      let channel = try server.server.board.channel("abcdefgh")
      let stalled = try Connection(port: server.port, receiveBuffer: 4096)
      stalled.sendRequest("GET", server.path("abcdefgh/events"))
      #expect(try stalled.head().status == 200)
      let good = try server.stream("abcdefgh")
      try eventually("two streams") { channel.streamCount == 2 }
      let message =
        Array("{\"kind\":\"event\",\"q\":\"".utf8)
        + Array(repeating: 97, count: 100_000) + Array("\"}".utf8)
      for _ in 0..<150 { channel.append(message) }
      while good.messages.count(where: { $0.kind == "event" }) < 150 {
        #expect(try good.next() != nil)
      }
      try eventually("the stalled stream is ended") { channel.streamCount == 1 }
    }
  }

  /// A page that was closed leaves its channel, although nothing is sent.
  @Test func aClosedPage() async throws {
    try await withServer(limits: limits) { (server: TestServer) throws in
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
