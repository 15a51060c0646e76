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
  var times = BoardTimes()

  /// Creates settings.
  public init(files: PageFiles) { self.files = files }
}

/// The reason why a server cannot listen.
public struct ListenError: Error, CustomStringConvertible {
  /// The sentence for a person.
  public let description: String
}

/// The web server of the board.
public final class BoardServer: Sendable {
  private struct State {
    var port: UInt16 = 0
    var task: Task<Void, any Error>?
    var isOver = false
  }

  private let settings: BoardSettings
  let board: Board
  private let state = Mutex(State())

  /// Creates a server, which does not listen yet.
  public init(_ settings: BoardSettings) {
    self.settings = settings
    board = Board(worker: settings.worker, isClass: settings.isClass, times: settings.times)
    // Workers get the limit from before.
    try? DescriptorBudget.raiseLimit()
    // A connection or a worker that ended is an error of a write, not the end of the server.
    signal(SIGPIPE, SIG_IGN)
  }

  /// The port.
  public var port: UInt16 { state.withLock(\.port) }

  /// The address of the presenter's page.
  public var presenterAddress: String {
    "http://\(Access.bracketed(settings.address)):\(port)/\(settings.tokens.presenter)/"
  }

  /// The address of the followers' page; `nil` if this is no class.
  public var classAddress: String? {
    guard settings.isClass else { return nil }
    return "http://\(Access.bracketed(settings.address)):\(port)/\(settings.tokens.follower)/"
  }

  // MARK: - Listening

  /// Begins to listen.
  /// Blocks: while qrencode makes the picture of a class's address, at most five seconds.
  public func start() throws(ListenError) {
    let listener: HTTPListener
    do {
      listener = try HTTPListener(address: settings.address, port: settings.port)
    } catch {
      throw ListenError(description: describe(error, settings.port))
    }
    state.withLock { $0.port = listener.port }
    let handler = BoardHandler(
      board: board,
      access: Access(
        tokens: settings.tokens, isClass: settings.isClass, address: settings.address,
        port: port),
      files: settings.files, classAddress: classAddress)
    let task = Task { [settings] in
      try await listener.run(handler, times: settings.times)
    }
    state.withLock { $0.task = task }
  }

  /// Serves until `finish()`; throws if the system refuses to wait for connections.
  public func run() async throws {
    let result = await state.withLock(\.task)?.result
    guard state.withLock(\.isOver) else {
      throw ListenError(description: "the server has ended: \(result.map { "\($0)" } ?? "")")
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
