// The server: it listens, and ends all runs with itself.

import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import Synchronization
import Weir

/// The settings of a server.
public struct BoardSettings: Sendable {
  /// The address to listen on: numbers, IPv4 or IPv6.
  public var address = "127.0.0.1"
  /// The port; 0 for any that is free.
  public var port: UInt16 = 8470
  /// True for a class: others may follow.
  public var isClass = false
  /// The tokens.
  public var tokens = Tokens()
  /// The files of the page.
  public var files: PageFiles
  /// The path of the program whose workers run the demos.
  public var worker = "/proc/self/exe"

  /// Creates settings.
  public init(files: PageFiles) { self.files = files }
}

/// The reason why a server cannot listen.
public struct ListenError: Error, CustomStringConvertible {
  /// The sentence for a person.
  public let description: String
}

/// The web server of the board.
public final class BoardServer: HTTPHandler {
  private struct State {
    var port: UInt16 = 0
    var task: Task<Void, any Error>?
    var isOver = false
    /// The handler, which needs the port.
    var handler: BoardHandler?
  }

  private let settings: BoardSettings
  let board: Board
  private let state = Mutex(State())

  /// Creates a server, which does not listen yet.
  public init(_ settings: BoardSettings) {
    self.settings = settings
    board = Board(worker: settings.worker, isClass: settings.isClass)
    // Workers get the limit from before.
    try? DescriptorBudget.raiseLimit()
    // A connection or a worker that ended is an error of a write, not the end of the server.
    signal(SIGPIPE, SIG_IGN)
  }

  /// The port.
  public var port: UInt16 { state.withLock(\.port) }

  /// The address of the presenter's page.
  public var presenterAddress: String {
    let host = Access.isWildcard(settings.address) ? "127.0.0.1" : settings.address
    return "http://\(Access.bracketed(host)):\(port)/\(settings.tokens.presenter)/"
  }

  /// The address of the followers' page; `nil` if this is no class.
  public var classAddress: String? {
    guard settings.isClass else { return nil }
    let host =
      Access.isWildcard(settings.address)
      ? MachineAddresses.reachable ?? "127.0.0.1" : settings.address
    return "http://\(Access.bracketed(host)):\(port)/\(settings.tokens.follower)/"
  }

  // MARK: - Listening

  /// Begins to listen.
  ///
  /// - Throws: `ListenError`.
  public func start() async throws {
    let task = try await listen(port: settings.port)
    let handler = BoardHandler(
      board: board,
      access: Access(
        tokens: settings.tokens, isClass: settings.isClass,
        hosts: Access.hosts(address: settings.address, port: port)),
      files: settings.files, classAddress: classAddress)
    state.withLock { ($0.task, $0.handler) = (task, handler) }
  }

  /// Answers a request.
  public func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let handler = state.withLock(\.handler) else { throw HTTPUnhandledError() }
    return try await handler.handleRequest(request)
  }

  /// Serves until `finish()`.
  ///
  /// - Throws: `ListenError` if there was no descriptor for a connection.
  public func run() async throws {
    _ = await state.withLock(\.task)?.result
    guard state.withLock(\.isOver) else {
      throw ListenError(description: "the server has ended, perhaps without descriptors")
    }
  }

  /// Ends all runs, and the server.
  ///
  /// Blocks: until the runs have ended.
  public func finish() {
    state.withLock { $0.isOver = true }
    board.finish()
    state.withLock(\.task)?.cancel()
  }

  private func listen(port: UInt16) async throws -> Task<Void, any Error> {
    let configuration =
      settings.address.contains(":")
      ? HTTPServer.Configuration(
        address: try .inet6(ip6: settings.address, port: port), logger: .disabled)
      : HTTPServer.Configuration(
        address: try .inet(ip4: settings.address, port: port), logger: .disabled)
    let server = HTTPServer(config: configuration, handler: self)
    let task = Task { try await server.run() }
    do {
      try await listening(server, task)
    } catch {
      task.cancel()
      throw ListenError(description: describe(error, port))
    }
    return task
  }

  /// Waits until a server listens or has ended.
  private func listening(_ server: HTTPServer, _ task: Task<Void, any Error>) async throws {
    let (first, events) = AsyncStream<Result<Void, any Error>>.makeStream()
    Task {
      _ = try? await server.waitUntilListening(timeout: 10)
      events.yield(.success(()))
    }
    Task { events.yield(await task.result) }
    for await event in first {
      try event.get()
      break
    }
    switch await server.listeningAddress {
    case .ip4(_, let port), .ip6(_, let port):
      state.withLock { $0.port = port }
    default: throw SocketError.disconnected
    }
  }

  private func describe(_ error: any Error, _ port: UInt16) -> String {
    guard case SocketError.failed(_, let number, let message) = error else {
      return "the server cannot listen at \(settings.address):\(port): \(error)"
    }
    switch number {
    case EADDRINUSE:
      return "port \(port) is in use, perhaps by another board; use --port N for another one, or"
        + " --port 0 for any that is free"
    case EACCES: return "port \(port) is reserved; use --port N with a number from 1024"
    case EADDRNOTAVAIL: return "\(settings.address) is no address of this machine"
    default: return "the server cannot listen at \(settings.address):\(port): \(message)"
    }
  }
}
