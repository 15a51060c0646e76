// The addresses of the board.

import FlyingFox
import Foundation

/// The thing that a request asks for.
enum Route: Equatable {
  /// The address without its last slash, which relative links need.
  case withoutSlash
  case file(String)
  case demos
  case events(channel: String)
  case start(channel: String)
  case stop(channel: String)
  case show(channel: String)
  case answer

  /// Finds the route of a path after the token.
  static func find(
    _ method: HTTPMethod, _ path: String, pages: Set<String>, files: PageFiles
  ) throws(Refusal) -> Route {
    if path.isEmpty { return try get(method, .withoutSlash) }
    let name = String(path.dropFirst())
    if pages.contains(name) { return try get(method, .file("index.html")) }
    if files[name] != nil { return try get(method, .file(name)) }
    if name == "demos" { return try get(method, .demos) }
    if name == "answer" { return try post(method, .answer) }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, isChannel(parts[0]) else { throw notFound }
    switch parts[1] {
    case "events": return try get(method, .events(channel: parts[0]))
    case "start": return try post(method, .start(channel: parts[0]))
    case "stop": return try post(method, .stop(channel: parts[0]))
    case "show": return try post(method, .show(channel: parts[0]))
    default: throw notFound
    }
  }

  /// True for the name of a channel: `class`, or a page's own.
  static func isChannel(_ name: String) -> Bool {
    name == Channel.className
      || (8...32).contains(name.utf8.count)
        && name.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
  }

  /// True if the followers of a class may use it.
  var isForFollowers: Bool {
    switch self {
    case .withoutSlash, .file, .demos, .answer: true
    case .events(let channel): channel == Channel.className
    default: false
    }
  }

  private static let notFound = Refusal(.notFound, "There is nothing here.")

  private static func get(_ method: HTTPMethod, _ route: Route) throws(Refusal) -> Route {
    guard method == .GET else { throw Refusal(.methodNotAllowed, "Use GET here.") }
    return route
  }

  private static func post(_ method: HTTPMethod, _ route: Route) throws(Refusal) -> Route {
    guard method == .POST else { throw Refusal(.methodNotAllowed, "Use POST here.") }
    return route
  }
}
