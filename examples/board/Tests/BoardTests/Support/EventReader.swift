// A stream of events, as a page reads it.

import Foundation

struct Received: @unchecked Sendable {
  let values: [String: Any]

  var kind: String { values["kind"] as? String ?? "" }
  func text(_ name: String) -> String { values[name] as? String ?? "" }
  func number(_ name: String) -> Int { values[name] as? Int ?? -1 }
}

/// Reads a stream of events. All calls block, each for two minutes without any bytes at most.
final class EventReader: @unchecked Sendable {
  private let connection: Connection
  private var chunk = ""
  private(set) var messages: [Received] = []

  init(_ connection: Connection, _ path: String, _ headers: [String: String] = [:]) throws {
    self.connection = connection
    connection.sendRequest("GET", path, headers)
    let (status, answer) = try connection.head()
    guard status == 200, answer["content-type"] == "text/event-stream" else {
      throw TimeIsUp(description: "the stream has status \(status)")
    }
  }

  /// Reads the next event; returns its messages, which are none for a comment; `nil` at the end.
  func next() throws -> [Received]? {
    while true {
      if let end = chunk.range(of: "\n\n") {
        let event = chunk[..<end.lowerBound]
        defer { chunk.removeSubrange(..<end.upperBound) }
        return try take(event.split(separator: "\n").map(String.init))
      }
      guard let line = try connection.line(), let size = Int(line, radix: 16), size > 0,
        let bytes = try connection.bytes(size + 2)
      else { return nil }
      chunk += String(decoding: bytes.dropLast(2), as: UTF8.self)
    }
  }

  private func take(_ lines: [String]) throws -> [Received] {
    var new: [Received] = []
    for line in lines where line.hasPrefix("data: ") {
      let objects = try JSONSerialization.jsonObject(with: Data(line.dropFirst(6).utf8))
      new += (objects as? [[String: Any]] ?? []).map(Received.init)
    }
    messages += new
    return new
  }

  /// Reads until a message that fits, and returns it.
  @discardableResult
  func until(_ what: String, where fits: (Received) -> Bool) throws -> Received {
    if let known = messages.first(where: fits) { return known }
    while let new = try next() {
      if let message = new.first(where: fits) { return message }
    }
    throw TimeIsUp(description: "the stream ended before \(what); \(messages.suffix(3))")
  }

  @discardableResult
  func until(_ kind: String) throws -> Received { try until(kind) { $0.kind == kind } }
}
