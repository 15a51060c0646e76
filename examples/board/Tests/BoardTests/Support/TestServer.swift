// A server under test, in this process.

import Foundation
import TestSupport

@testable import BoardServer

/// A server with a small page, on any free port.
final class TestServer: Sendable {
  let server: BoardServer
  let tokens: Tokens

  /// Times for a busy machine, and comments that find a dead connection soon.
  static let times = BoardTimes(
    request: .seconds(600), write: .seconds(600), reject: .seconds(600),
    comment: .milliseconds(50), run: .seconds(3600), stop: .seconds(600))

  init(isClass: Bool = false, times: BoardTimes = times, worker: String = program) throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("code")
    for (name, text) in TestServer.files { try folder.write(text, to: name) }
    var settings = BoardSettings(
      files: try PageFiles(folder: URL(fileURLWithPath: folder.text)))
    settings.isClass = isClass
    settings.port = 0
    settings.times = times
    settings.worker = worker
    tokens = settings.tokens
    server = BoardServer(settings)
    try server.start()
    Task { [server] in try await server.run() }
  }

  var port: UInt16 { server.port }

  func connect() throws -> Connection { try Connection(port: port) }

  func path(_ rest: String = "") -> String { "/\(tokens.presenter)/\(rest)" }
  func followerPath(_ rest: String = "") -> String { "/\(tokens.follower)/\(rest)" }

  func get(_ path: String, _ headers: [String: String] = [:]) throws -> Response {
    try connect().request("GET", path, headers)
  }

  func post(_ path: String, _ body: String, _ headers: [String: String] = [:]) throws -> Response {
    try connect().request("POST", path, headers, Data(body.utf8))
  }

  /// Starts a run, and returns its number.
  @discardableResult
  func start(_ body: String) throws -> Int {
    let response = try post(path("start"), body)
    guard response.status == 200, let run = try response.object["run"] as? Int else {
      throw TimeIsUp(description: "start: \(response.status) \(response.text)")
    }
    return run
  }

  func stream(asFollower: Bool = false) throws -> EventReader {
    try EventReader(connect(), asFollower ? followerPath("events") : path("events"))
  }

  func finish() async throws { try await onThread { self.server.finish() } }

  static var program: String {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let folders =
      [tests.deletingLastPathComponent()]
      + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
      + CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
    let programs = folders.map { $0.appendingPathComponent("board").path }
    return programs.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "board"
  }

  static let files = [
    "index.html": "<p>page</p>", "code/app.js": "run()", "notes.txt": "not served",
  ]
}

/// Runs a closure that blocks with a server, and ends the server.
func withServer(
  isClass: Bool = false, times: BoardTimes = TestServer.times, worker: String = TestServer.program,
  _ body: @escaping @Sendable (TestServer) throws -> Void
) async throws {
  let server = try TestServer(isClass: isClass, times: times, worker: worker)
  let result = await Result { try await onThread { try body(server) } }
  try await server.finish()
  try result.get()
}

extension Result where Failure == any Error {
  /// Creates the result of a closure.
  init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
