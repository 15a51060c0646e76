// The socket that listens, and the number of connections.
//
// DESIGN. A gate bounds the connections: without a permit none is accepted, and the clients wait in
// the queue of the system. An address has a part of them, so one client cannot keep out the others.

import FlyingFox
import FlyingSocks
import Foundation
import Synchronization
import Weir

final class HTTPListener: Sendable {
  /// The number of connections, also if the system allows more descriptors.
  private static let limit = 1024
  /// The number of connections of an address.
  private static let limitOfAddress = 256
  /// The time after which an accept that failed is tried again.
  private static let pause = Duration.milliseconds(100)

  private let socket: AsyncSocket
  private let pool: any AsyncSocketPool
  private let gate = Gate(
    label: "board.connections", permits: min(limit, DescriptorBudget.total))
  private let counts = Mutex<[String: Int]>([:])
  let port: UInt16

  /// Begins to listen.
  init(address: String, port: UInt16) throws {
    func listen(_ address: some SocketAddress) throws -> Socket {
      let socket = try Socket(domain: Int32(type(of: address).family))
      do {
        try socket.setValue(true, for: .localAddressReuse)
        try socket.bind(to: address)
        try socket.listen()
        return socket
      } catch {
        try? socket.close()
        throw error
      }
    }
    let listening =
      address.contains(":")
      ? try listen(.inet6(ip6: address, port: port)) : try listen(.inet(ip4: address, port: port))
    switch try listening.sockname() {
    case .ip4(_, let port), .ip6(_, let port): self.port = port
    case .unix: throw SocketError.unsupportedAddress
    }
    let pool = HTTPServer.defaultPool()
    self.pool = pool
    socket = try AsyncSocket(socket: listening, pool: pool)
  }

  /// Serves connections until the task is cancelled.
  func run(_ handler: BoardHandler, times: BoardTimes) async throws {
    defer { try? socket.close() }
    try await pool.prepare()
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { [pool] in try await pool.run() }
      while true {
        let permit = try await gate.acquire().owned()
        do {
          let client = try await socket.accept()
          let address = (try? client.socket.remotePeer()).map(HTTPRequest.Address.make)
          guard count(address, 1) <= HTTPListener.limitOfAddress else {
            _ = count(address, -1)
            permit.release()
            try client.close()
            continue
          }
          group.addTask { [self] in
            await HTTPConnection(
              socket: client, address: address, handler: handler, times: times
            ).serve()
            _ = count(address, -1)
            permit.release()
          }
        } catch is SocketError {
          // The system has no descriptor, or the client is gone.
          permit.release()
          try await Task.sleep(for: HTTPListener.pause)
        }
      }
    }
  }

  /// Changes the number of connections of an address, and returns it.
  private func count(_ address: HTTPRequest.Address?, _ change: Int) -> Int {
    counts.withLock { counts in
      let name = address?.name ?? ""
      let count = counts[name, default: 0] + change
      counts[name] = count == 0 ? nil : count
      return count
    }
  }
}

extension HTTPRequest.Address {
  /// The address without its port.
  var name: String {
    switch self {
    case .ip4(let number, _), .ip6(let number, _): number
    case .unix(let path): path
    }
  }
}
