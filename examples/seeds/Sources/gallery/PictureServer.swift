// A server of pictures on this machine: fetches are real, and no network is
// needed. It can be slow, generous and faulty, as its knobs say.

import FlyingFox
import FlyingSocks
import Foundation

/// Serves `GET /pictures/7` on 127.0.0.1, on a port that is free.
final class PictureServer: Sendable {
  /// What can go wrong with a picture.
  enum Fault: Sendable {
    /// It answers with status 500.
    case status
    /// It answers with what is no picture.
    case nonsense
  }

  /// The behavior of the server.
  struct Knobs: Sendable {
    /// How many bytes a picture has at least.
    var size = 2_000
    /// How many seconds the picture of a number takes.
    var delay: @Sendable (Int) -> Double = { _ in 0 }
    /// The pictures that fail.
    var faults: [Int: Fault] = [:]
  }

  /// Requests under way, as the server sees them.
  let requests = Meter()
  /// Where to fetch from it.
  let source: PictureSource

  private let server: HTTPServer
  private let task: Task<Void, any Error>

  /// Starts a server, which answers when this returns.
  init(_ knobs: Knobs = Knobs()) async throws {
    let server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: 0), timeout: 3600, logger: .disabled)
    let requests = requests
    await server.appendRoute("GET /pictures/:id") { (id: Int) in
      requests.enter()
      defer { requests.leave() }
      return try await answer(id, knobs)
    }
    await server.appendRoute("GET /ready") { HTTPResponse(statusCode: .ok) }
    self.server = server
    task = Task { try await server.run() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress else {
      throw SocketError.unsupportedAddress
    }
    let client = PictureClient(port: port)
    source = PictureSource(blocking: client.blocking, suspending: client.suspending)
    // The first request alone: FlyingFox prepares what its clients share.
    try await client.awaitServer()
  }

  /// Ends what is under way, and the server.
  func stop() async {
    await server.stop()
    task.cancel()
  }
}

private func answer(_ id: Int, _ knobs: PictureServer.Knobs) async throws -> HTTPResponse {
  try await Task.sleep(for: .seconds(knobs.delay(id)))
  switch knobs.faults[id] {
  case .status: return HTTPResponse(statusCode: .internalServerError)
  case .nonsense: return HTTPResponse(statusCode: .ok, body: Data("no picture".utf8))
  case nil:
    let picture = Picture(id: id, size: knobs.size)
    return HTTPResponse(
      statusCode: .ok, headers: [.contentType: "image/svg+xml"], body: Data(picture.svg.utf8))
  }
}
