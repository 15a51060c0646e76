// The checks of a request before anything else: its host, its token, and where it comes from.
//
// DESIGN. A page of another site can make a browser send requests to 127.0.0.1, but it knows no
// token. The other checks hold even if it learned one: Origin and Sec-Fetch-Site tell a request of
// another site, and Host a name of that site which it let point here.

import FlyingFox
import Foundation

/// The person at the other end.
enum Role: String, Sendable, Encodable {
  case presenter
  case follower
}

/// The rules for requests.
struct Access: Sendable {
  static let bodyLimit = 64 * 1024

  let tokens: Tokens
  /// True if the class's code is valid.
  let isClass: Bool
  /// The values of Host that mean this server, with their ports.
  let hosts: Set<String>

  init(tokens: Tokens, isClass: Bool, hosts: Set<String>) {
    (self.tokens, self.isClass, self.hosts) = (tokens, isClass, hosts)
  }

  /// Returns the role and the path after the token.
  ///
  /// A wrong code of a class takes a second.
  func check(_ request: HTTPRequest) async throws -> (role: Role, path: String) {
    let host = (request.headers[.host] ?? "").lowercased()
    guard hosts.contains(host) else {
      throw Refusal(.misdirectedRequest, "This server has another name.")
    }
    try checkOrigin(request, host)
    let parts = request.target.path()
      .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    let token = parts.count > 1 ? String(parts[1]) : ""
    let isPresenter = token.isEqualInConstantTime(to: tokens.presenter)
    let isFollower = isClass && token.uppercased().isEqualInConstantTime(to: tokens.follower)
    guard isPresenter || isFollower else {
      if isClass { try await Task.sleep(for: Tokens.guessTime) }
      throw Refusal(
        .forbidden,
        "This address is not valid. Open the one that the program printed"
          + (isClass ? ", or the class's, which ends with its code." : "."))
    }
    // The presenter's address is seen by all who see the projector.
    if isPresenter && isClass && !MachineAddresses.isLocal(request.remoteAddress) {
      throw Refusal(.forbidden, "The presenter's address is valid on this machine only.")
    }
    return (isPresenter ? .presenter : .follower, parts.count > 2 ? "/\(parts[2])" : "")
  }

  /// A link on another site may open a page, and nothing else.
  private func checkOrigin(_ request: HTTPRequest, _ host: String) throws(Refusal) {
    let refusal = Refusal(.forbidden, "The request comes from another site.")
    if let origin = request.headers[HTTPHeader("Origin")], origin.lowercased() != "http://\(host)" {
      throw refusal
    }
    guard let site = request.headers[HTTPHeader("Sec-Fetch-Site")] else { return }
    let isNavigation =
      request.method == .GET && request.headers[HTTPHeader("Sec-Fetch-Mode")] == "navigate"
      && request.headers[HTTPHeader("Sec-Fetch-Dest")] == "document"
    guard ["same-origin", "none"].contains(site) || isNavigation else { throw refusal }
  }
}

extension Access {
  /// Returns the values of Host for an address and a port. For an address that stands for all
  /// addresses of this machine, each of them, and the machine's name.
  static func hosts(address: String, port: UInt16) -> Set<String> {
    var names: Set = ["127.0.0.1", "localhost", bracketed(address)]
    if isWildcard(address) {
      names.formUnion(MachineAddresses.all.map(bracketed))
      let name = ProcessInfo.processInfo.hostName.lowercased()
      names.formUnion([name, name.split(separator: ".").first.map(String.init) ?? name])
      names.insert((name.split(separator: ".").first.map(String.init) ?? name) + ".local")
    }
    let all = names.map { "\($0):\(port)" }
    return Set(port == 80 ? all + names : all)
  }

  static func isWildcard(_ address: String) -> Bool { ["0.0.0.0", "::"].contains(address) }

  /// Returns an address as it stands in a URL.
  static func bracketed(_ address: String) -> String {
    address.contains(":") ? "[\(address)]" : address
  }
}
