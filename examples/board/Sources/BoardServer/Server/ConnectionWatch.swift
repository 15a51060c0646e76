// The bounds of the server's connections.
//
// DESIGN. FlyingFox reads a line of a header to its end, however far that is, waits forever for a
// connection that sends nothing, and writes forever to one that reads nothing. It sees none of it:
// a connection that always has bytes to read never waits. So the kernel is asked, which counts the
// bytes of each connection (TCP_INFO), four times a second for all connections at once.
//
// What bounds an endless line: `headerBytes`, seen at two looks, and what FlyingFox takes between
// them. It takes a line byte by byte and copies it each time, so that 100 KB take a core seconds.
// Therefore a connection that is ended loses what the kernel has received and FlyingFox has not read.
// For the same reason FlyingFox reads only short bodies itself; the handler reads the others.
//
// The descriptor is not closed here: FlyingFox reads an error, and closes it. If it was closed just
// before, and its number is that of a new connection, then that one ends, and a browser asks again.
// A new listening socket would end too, and the server would listen again.

import FlyingFox
import Foundation
import Glibc
import Synchronization

/// The connections of a server, and the rules that end them.
final class ConnectionWatch: Sendable {
  /// The limits.
  struct Limits: Sendable {
    /// The seconds for a request, or until the next one.
    var requestSeconds = 10.0
    /// The seconds in which a reader has to take something.
    var stallSeconds = 30.0
    /// The bytes of a header.
    var headerBytes: UInt64 = 16 * 1024
    /// The number of connections that may wait for a request; the oldest ones are ended.
    var idleConnections = 256
    /// The number of connections at which no more are accepted for a moment.
    var connections = 1024
    /// The time between two looks.
    var interval = 0.25

    /// Returns the limits for a process with so many descriptors, of which runs need some.
    func within(descriptors: Int) -> Limits {
      var limits = self
      limits.connections = max(8, min(connections, descriptors / 2))
      limits.idleConnections = max(4, min(idleConnections, descriptors / 4))
      return limits
    }
  }

  /// The number of looks that may find a header too long.
  private static let patience = 1

  private enum Phase {
    /// Reads a header since a time; the count of bytes at that time, if it is known; and the number
    /// of looks that found it too long.
    case header(since: Double, begin: UInt64?, looks: Int)
    /// Has read a header, and has not begun to answer.
    case body(since: Double)
    /// Answers; the count of bytes that arrived, and the time at which it last rose.
    case answer(acknowledged: UInt64, since: Double)
    /// Has an answer, and is to end at a time.
    case closing(at: Double)
  }

  private struct Connection {
    var phase: Phase
    /// Ends the stream that is the answer.
    var endStream: (@Sendable () -> Void)?
    /// True if a look has met it.
    var isSeen = false
  }

  private struct State {
    var connections: [HTTPRequest.Address: Connection] = [:]
    var port: UInt16 = 0
    var count = 0
    var ended = 0
  }

  private let limits: Limits
  private let state = Mutex(State())
  private let timer = Mutex<RepeatingTimer?>(nil)

  init(_ limits: Limits = Limits()) {
    self.limits = limits
    let queue = DispatchQueue(label: "board.connections")
    timer.withLock {
      $0 = RepeatingTimer(seconds: limits.interval, on: queue) { [weak self] in self?.look() }
    }
  }

  /// The number of connections at the last look.
  var count: Int { state.withLock(\.count) }
  /// The number of connections that were ended.
  var endedCount: Int { state.withLock(\.ended) }
  /// True if no more connections should be accepted for now.
  var isFull: Bool { count >= limits.connections }

  /// Watches the connections that were accepted at a port.
  func watch(port: UInt16) { state.withLock { $0.port = port } }

  // MARK: - The phases of a connection

  /// The header of a request was read.
  func headerArrived(_ address: HTTPRequest.Address?) { set(address, .body(since: now)) }

  /// The head of the answer was written.
  func answerBegan(_ address: HTTPRequest.Address?) {
    guard let address else { return }
    state.withLock { state in
      state.connections[address]?.phase = .answer(acknowledged: 0, since: now)
    }
  }

  /// The answer is a stream, which ends with the connection.
  func streamBegan(_ address: HTTPRequest.Address?, end: @escaping @Sendable () -> Void) {
    guard let address else { return }
    state.withLock { $0.connections[address]?.endStream = end }
  }

  /// The answer was written.
  func answerSent(_ address: HTTPRequest.Address?) {
    set(address, .header(since: now, begin: nil, looks: 0))
  }

  /// The answer was written, and the rest of the request is not read.
  func refusalSent(_ address: HTTPRequest.Address?) { set(address, .closing(at: now + 0.5)) }

  private func set(_ address: HTTPRequest.Address?, _ phase: Phase) {
    guard let address else { return }
    state.withLock { state in
      // What follows on a connection that is to end is no request.
      if case .closing = state.connections[address]?.phase { return }
      let isSeen = state.connections[address]?.isSeen ?? false
      state.connections[address] = Connection(phase: phase, isSeen: isSeen)
    }
  }

  private var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

  // MARK: - A look at all connections

  private func look() {
    let (now, port) = (now, state.withLock(\.port))
    guard port != 0 else { return }
    let found = OpenDescriptors.numbers.compactMap { OpenConnection($0, port: port) }
    let (ended, streams) = state.withLock { state in
      var streams: [@Sendable () -> Void] = []
      var ended: [Int32] = []
      var idle: [(since: Double, descriptor: Int32)] = []
      var connections: [HTTPRequest.Address: Connection] = [:]
      for open in found {
        var connection =
          state.connections[open.address]
          ?? Connection(phase: .header(since: now, begin: 0, looks: 0))
        connection.isSeen = true
        if apply(now, open, &connection) { ended.append(open.descriptor) }
        if case .header(let since, _, _) = connection.phase {
          idle.append((since, open.descriptor))
        }
        if open.isClosedByPeer, let end = connection.endStream { streams.append(end) }
        connections[open.address] = connection
      }
      // Those that have arrived since the descriptors were read. They are kept once.
      for (address, var connection) in state.connections where !connection.isSeen {
        connection.isSeen = true
        if connections[address] == nil { connections[address] = connection }
      }
      if idle.count > limits.idleConnections {
        let oldest = idle.sorted { $0.since < $1.since }
        ended += oldest.prefix(idle.count - limits.idleConnections).map(\.descriptor)
      }
      for (address, _) in state.connections where connections[address] == nil {
        if let end = state.connections[address]?.endStream { streams.append(end) }
      }
      state.connections = connections
      state.count = found.count
      state.ended += ended.count
      return (ended, streams)
    }
    for descriptor in ended { ConnectionWatch.abort(descriptor) }
    for end in streams { end() }
  }

  /// Ends a connection at once, and drops what it has sent.
  private static func abort(_ descriptor: Int32) {
    var none = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: sockaddr().sa_data)
    // This is the way to disconnect a socket without closing it.
    _ = connect(descriptor, &none, socklen_t(MemoryLayout<sockaddr>.size))
  }

  /// Updates a connection; returns true if it is to end.
  private func apply(_ now: Double, _ open: OpenConnection, _ connection: inout Connection) -> Bool
  {
    switch connection.phase {
    case .header(let since, let begin, var looks):
      let begin = begin ?? open.received
      // The bytes may be a body, of a header that is read in a moment.
      looks = open.received > begin + limits.headerBytes ? looks + 1 : 0
      connection.phase = .header(since: since, begin: begin, looks: looks)
      return now - since > limits.requestSeconds || looks > ConnectionWatch.patience
    case .body(let since):
      return now - since > limits.requestSeconds
    case .answer(let acknowledged, let since):
      if open.acknowledged != acknowledged || open.unsent == 0 {
        connection.phase = .answer(acknowledged: open.acknowledged, since: now)
        return false
      }
      return now - since > limits.stallSeconds
    case .closing(let time):
      return now > time
    }
  }
}
