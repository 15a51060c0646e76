// The addresses of this machine.

import FlyingFox
import Glibc

/// The addresses of this machine's network interfaces.
enum MachineAddresses {
  /// All addresses, without those that are valid on one link only.
  static var all: [String] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var found: [String] = []
    var next = first
    while let entry = next {
      next = entry.pointee.ifa_next
      guard let address = entry.pointee.ifa_addr else { continue }
      let size: Int
      switch Int32(address.pointee.sa_family) {
      case AF_INET: size = MemoryLayout<sockaddr_in>.size
      case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
      default: continue
      }
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard
        getnameinfo(
          address, socklen_t(size), &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
      else { continue }
      let text = String(
        decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if !text.contains("%") { found.append(text) }
    }
    return found
  }

  /// True if a request comes from this machine, by whichever of its addresses.
  static func isLocal(_ address: HTTPRequest.Address?) -> Bool {
    switch address {
    case .ip4(let number, _), .ip6(let number, _):
      let plain = number.hasPrefix("::ffff:") ? String(number.dropFirst(7)) : number
      return plain.hasPrefix("127.") || plain == "::1" || all.contains(plain)
    case .unix: return true
    case nil: return false
    }
  }

  /// The address to name to others: the first that is not this machine's own.
  static var reachable: String? {
    all.first { !$0.hasPrefix("127.") && $0 != "::1" }
  }
}
