// A connection as the kernel sees it.

import FlyingFox
import FlyingSocks
import Foundation
import Glibc

/// A connection as the kernel sees it.
struct OpenConnection {
  let descriptor: Int32
  let address: HTTPRequest.Address
  /// The number of bytes that were received, and that the other side has acknowledged.
  let received: UInt64
  let acknowledged: UInt64
  /// The number of bytes that were written, and that the other side has not acknowledged.
  let unsent: UInt64
  let isClosedByPeer: Bool

  /// `nil` if a descriptor is not a connection that was accepted at a port.
  init?(_ descriptor: Int32, port: UInt16) {
    let socket = Socket(file: .init(rawValue: descriptor))
    switch try? socket.sockname() {
    case .ip4(_, port: port), .ip6(_, port: port): break
    default: return nil
    }
    // The listening socket has no peer.
    guard let peer = try? socket.remotePeer() else { return nil }
    // The fields of struct tcp_info, which only grows at its end.
    var info = [UInt8](repeating: 0, count: 256)
    var length = socklen_t(info.count)
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0 else {
      return nil
    }
    func number<N: FixedWidthInteger>(_ offset: Int, _: N.Type) -> N {
      info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: N.self) }
    }
    self.descriptor = descriptor
    address = .make(from: peer)
    acknowledged = number(120, UInt64.self)
    received = number(128, UInt64.self)
    unsent = UInt64(number(24, UInt32.self)) + UInt64(number(144, UInt32.self))
    let closeWait: UInt8 = 8
    isClosedByPeer = info[0] == closeWait
  }
}
