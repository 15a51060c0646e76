// Fetching a picture: as `Data(contentsOf:)` does it, and as `URLSession` does.
// URLSession itself is large on Linux and brings threads and queues of its own,
// which would be in the way where threads are what is looked at.

import FlyingFox
import FlyingSocks
import Foundation

struct PictureClient: Sendable {
  let port: UInt16

  /// Fetches, and blocks the thread until all of it is there.
  func blocking(_ id: Int) throws -> Picture {
    let socket = try Socket(domain: AF_INET)
    defer { try? socket.close() }
    try socket.connect(to: .inet(ip4: "127.0.0.1", port: port))
    let request = "GET /pictures/\(id) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    _ = try socket.write(Data(request.utf8))
    var answer: [UInt8] = []
    do {
      while true { answer += try socket.read(atMost: 4096) }
    } catch SocketError.disconnected {
      // The server has sent all and closed.
    }
    return try picture(in: answer)
  }

  /// Fetches, and suspends the task meanwhile. Cancelling the task ends it.
  func suspending(_ id: Int) async throws -> Picture {
    let response = try await get("/pictures/\(id)")
    guard response.statusCode == .ok else {
      throw PictureError.status(response.statusCode.code)
    }
    guard let picture = Picture(bytes: try await response.bodyData) else {
      throw PictureError.undecodable
    }
    return picture
  }

  func awaitServer() async throws {
    _ = try await get("/ready")
  }

  private func get(_ path: String) async throws -> HTTPResponse {
    var client = HTTPClient()
    let request = HTTPRequest(
      method: .GET, version: .http11, path: path, query: [], headers: [:], body: Data())
    return try await client.sendHTTPRequest(
      request, to: .inet(ip4: "127.0.0.1", port: port))
  }

  /// The picture behind the head of an answer: `HTTP/1.1 200 OK`, and an empty
  /// line at its end.
  private func picture(in answer: [UInt8]) throws -> Picture {
    let words = answer.split(separator: UInt8(ascii: " "), maxSplits: 2)
    let status = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) : nil
    guard status == 200 else { throw PictureError.status(status ?? 0) }
    guard let head = answer.firstRange(of: Array("\r\n\r\n".utf8)),
      let picture = Picture(bytes: answer[head.upperBound...])
    else { throw PictureError.undecodable }
    return picture
  }
}
