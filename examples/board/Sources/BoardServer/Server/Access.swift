// The checks of a request before anything else: its host, its token, and where it comes from.
//
// DESIGN. A page of another site can make a browser send requests to 127.0.0.1, but it knows no
// token. The other checks hold even if it learned one: Origin and Sec-Fetch-Site tell a request of
// another site, and Host a name of that site which it let point here.

import FlyingFox
import Foundation

enum Role: String, Sendable, Encodable {
  case presenter
  case follower
}

struct Access: Sendable {
  static let bodyLimit = 64 * 1024

  let tokens: Tokens
  /// True if the class's code is valid.
  let isClass: Bool
  /// The address at which the server listens.
  let address: String
  /// The values of Host that mean this server, with their ports.
  let hosts: Set<String>

  init(tokens: Tokens, isClass: Bool, address: String, port: UInt16) {
    (self.tokens, self.isClass, self.address) = (tokens, isClass, address)
    let names = ["127.0.0.1", "localhost", Access.bracketed(address)]
    hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
  }

  /// Returns the role and the path after the token. A wrong code of a class takes a second.
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
    if isPresenter && isClass && !isLocal(request.remoteAddress?.name ?? "") {
      throw Refusal(.forbidden, "The presenter's address is valid on this machine only.")
    }
    return (isPresenter ? .presenter : .follower, parts.count > 2 ? "/\(parts[2])" : "")
  }

  /// True if a request comes from this machine: from the address that it went to, or from its own.
  func isLocal(_ sender: String) -> Bool {
    sender == address || sender.hasPrefix("127.") || sender == "::1"
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
  /// Returns an address as it stands in a URL.
  static func bracketed(_ address: String) -> String {
    address.contains(":") ? "[\(address)]" : address
  }
}
