// The pool of sockets, with bounds on the listening one.
//
// DESIGN. FlyingFox accepts until there is nothing to accept, and its server ends if there is no
// descriptor for a connection. So the queue of the kernel is made short, and while there are too
// many connections no more are accepted: `ConnectionWatch` ends the oldest ones meanwhile. The
// buffers of the kernel are small: FlyingFox reads what is in the buffer of a connection that was
// shut down, byte by byte, before it closes it, and megabytes would take it seconds.

import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import Synchronization

/// FlyingFox's pool, which waits before it accepts more connections than there may be.
struct BoundedPool: AsyncSocketPool {
  private static let backlog: Int32 = 128
  private static let receiveBuffer: Int32 = 32 * 1024

  let base: any AsyncSocketPool
  let watch: ConnectionWatch

  init(watch: ConnectionWatch) {
    base = HTTPServer.defaultPool()
    self.watch = watch
  }

  func prepare() async throws { try await base.prepare() }

  func run() async throws { try await base.run() }

  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    if isListening(socket) {
      // A second call sets the length of the queue. Connections inherit the size of the buffer.
      listen(socket.file.rawValue, BoundedPool.backlog)
      var size = BoundedPool.receiveBuffer
      setsockopt(socket.file.rawValue, SOL_SOCKET, SO_RCVBUF, &size, 4)
      while watch.isFull { try await Task.sleep(nanoseconds: 50_000_000) }
    }
    try await base.suspendSocket(socket, untilReadyFor: events)
  }

  private func isListening(_ socket: Socket) -> Bool {
    var (value, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return getsockopt(socket.file.rawValue, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0
      && value != 0
  }
}
