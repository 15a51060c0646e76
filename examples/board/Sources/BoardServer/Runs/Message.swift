// The messages of a stream, as JSON objects.

import Demos
import Foundation

/// Creates messages. A message is the bytes of a JSON object without a line feed.
enum Message {
  static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The values are of this module: numbers are finite, and nothing else can fail.
    return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
  }

  /// Returns a message: its kind first, then the members of a value.
  static func encode(_ kind: StaticString, _ value: some Encodable) -> [UInt8] {
    Array("{\"kind\":\"\(kind)\",".utf8) + encode(value).dropFirst()
  }

  /// True if a message of a worker is of a kind. Workers write `kind` first.
  static func isKind(_ kind: StaticString, _ message: some Collection<UInt8>) -> Bool {
    message.starts(with: Array("{\"kind\":\"\(kind)\"".utf8))
  }
}

struct HelloMessage: Encodable {
  let kind = "hello"
  let run: Int?
}

/// The page that the followers open.
struct ShowMessage: Codable {
  var kind = "show"
  let page: String
  let knobs: [String: String]

  enum CodingKeys: CodingKey { case kind, page, knobs }

  init(page: String, knobs: [String: String]) { (self.page, self.knobs) = (page, knobs) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    page = try container.decode(String.self, forKey: .page)
    knobs = try container.decodeIfPresent([String: String].self, forKey: .knobs) ?? [:]
  }
}

struct EndMessage: Encodable {
  enum Reason: String, Encodable { case finished, stopped, failed }

  let kind = "end"
  let run: Int
  let reason: Reason
  var message = ""
}
