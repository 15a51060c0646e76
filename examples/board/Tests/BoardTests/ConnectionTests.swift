// The bounds of a request, before anything in it is looked at.

import Foundation
import Testing

@testable import BoardServer

@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
  private static func request(_ server: TestServer, _ rest: String) -> [UInt8] {
    Array(
      "POST \(server.path("start")) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(rest)"
        .utf8)
  }

  /// The request that must not be taken from a body.
  private static func hidden(_ server: TestServer) -> String {
    let body = #"{"demo":"downloads"}"#
    return String(
      decoding: request(server, "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"), as: UTF8.self)
  }

  @Test(arguments: [64 << 10, 1 << 20, 8 << 20])
  func longHeads(_ size: Int) async throws {
    try await withServer { (server: TestServer) throws in
      let filling = String(repeating: "x", count: size)
      let many = (0..<size / 64).map { "X-\($0): \(filling.prefix(60))\r\n" }.joined()
      for text in [
        "GET /\(filling)", "GET / HTTP/1.1\r\nX: \(filling)", "GET / HTTP/1.1\r\n\(many)",
      ] {
        let connection = try server.connect()
        connection.send(Array(text.utf8))
        #expect(try connection.response().status == 431)
        #expect(try connection.line() == nil)
      }
    }
  }

  @Test func theLongestHead() async throws {
    try await withServer { (server: TestServer) throws in
      let head = "GET \(server.path()) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nX: "
      let filling = String(repeating: "x", count: HTTPConnection.headLimit - head.utf8.count)
      for (more, status) in [("", 200), ("x", 431)] {
        let connection = try server.connect()
        connection.send(Array("\(head)\(filling)\(more)\r\n\r\n".utf8))
        #expect(try connection.response().status == status)
      }
    }
  }

  @Test func slowRequests() async throws {
    let times = BoardTimes(request: .milliseconds(200))
    try await withServer(times: times) { (server: TestServer) throws in
      let body = Self.request(server, "Content-Length: 2\r\n\r\n{")
      for start in [[], Array("GET /".utf8), Self.request(server, ""), body] {
        let connection = try server.connect()
        connection.send(start)
        #expect(try connection.line() == nil)
      }
    }
  }

  /// The end of these requests is not known, so what follows is no request.
  @Test(arguments: [
    ("Content-Length: 3000000", 413), ("Content-Length: 99999999999999999999", 413),
    ("Transfer-Encoding: chunked", 411), ("Transfer-Encoding: gzip", 411),
    ("Transfer-Encoding: chunked\r\nContent-Length: 5", 411),
    ("Content-Length: 0\r\ncontent-length: 5", 400), ("Content-Length: +5", 400),
    ("Content-Length: -1", 400), ("Content-Length:", 400), ("Content-Length : 5", 400),
    ("X: 1\r\n folded: 2", 400), ("X", 400), (": x", 400), ("Host: 127.0.0.1", 400),
  ])
  func refusedBodies(_ headers: String, _ status: Int) async throws {
    try await withServer { (server: TestServer) throws in
      let connection = try server.connect()
      connection.send(Self.request(server, "\(headers)\r\n\r\n\(Self.hidden(server))"))
      let answer = try connection.response()
      #expect(answer.status == status && answer.headers["connection"] == "close")
      #expect(answer.headers["content-security-policy"] != nil)
      #expect(try connection.line() == nil)
      #expect(server.server.board.channel.run == nil)
    }
  }

  /// No request is found in the body of one that is refused.
  @Test func bodiesOfRefusedRequests() async throws {
    try await withServer { (server: TestServer) throws in
      let headers = ["Origin": "http://evil.example"]
      #expect(try server.post(server.path("start"), Self.hidden(server), headers).status == 403)
      #expect(server.server.board.channel.run == nil)
    }
  }

  @Test func malformedRequestLines() async throws {
    try await withServer { (server: TestServer) throws in
      let path = server.path()
      let lines = [
        "", "GET", "GET \(path)", "GET  \(path) HTTP/1.1", "GET \(path) HTTP/1.1 x",
        "GET http://127.0.0.1\(path) HTTP/1.1", "GET \(path) FTP/1.1",
      ]
      for (line, status) in lines.map({ ($0, 400) }) + [("GET \(path) HTTP/1.0", 505)] {
        let connection = try server.connect()
        connection.send(Array("\(line)\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n".utf8))
        #expect(try connection.response().status == status, "\(line)")
        #expect(try connection.line() == nil, "\(line)")
      }
    }
  }

  @Test func byteByByte() async throws {
    try await withServer { (server: TestServer) throws in
      let connection = try server.connect()
      let head = "GET \(server.path()) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"
      for byte in head.utf8 { connection.send([byte]) }
      #expect(try connection.response().status == 200)
      #expect(try connection.line() == nil)
    }
  }
}
