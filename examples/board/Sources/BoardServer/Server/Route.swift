// The addresses of the board.

import FlyingFox
import Foundation

enum Route: Equatable {
  /// The address without its last slash, which relative links need.
  case withoutSlash
  case file(String)
  case demos
  case events
  case start
  case stop
  case show
  case answer

  /// Finds the route of a path after the token.
  static func find(
    _ method: HTTPMethod, _ path: String, pages: Set<String>, files: PageFiles
  ) throws(Refusal) -> Route {
    if path.isEmpty { return try get(method, .withoutSlash) }
    let name = String(path.dropFirst())
    if pages.contains(name) { return try get(method, .file("index.html")) }
    if files[name] != nil { return try get(method, .file(name)) }
    switch name {
    case "demos": return try get(method, .demos)
    case "events": return try get(method, .events)
    case "start": return try post(method, .start)
    case "stop": return try post(method, .stop)
    case "show": return try post(method, .show)
    case "answer": return try post(method, .answer)
    default: throw Refusal(.notFound, "There is nothing here.")
    }
  }

  /// True if the followers of a class may use it.
  var isForFollowers: Bool {
    switch self {
    case .withoutSlash, .file, .demos, .events, .answer: true
    case .start, .stop, .show: false
    }
  }

  private static func get(_ method: HTTPMethod, _ route: Route) throws(Refusal) -> Route {
    guard method == .GET else { throw Refusal(.methodNotAllowed, "Use GET here.") }
    return route
  }

  private static func post(_ method: HTTPMethod, _ route: Route) throws(Refusal) -> Route {
    guard method == .POST else { throw Refusal(.methodNotAllowed, "Use POST here.") }
    return route
  }
}
