// JSON values of the data of a page, and of the lines of a run.

/// A JSON value. Its text can stand in a script element of HTML.
package indirect enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case number(Int)
  /// A number that is written to the millionth.
  case millionths(Double)
  case string(String)
  case array([JSONValue])
  case object([(String, JSONValue)])

  static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// Returns an object of a type as a line.
  package static func line(_ type: String, _ members: [(String, JSONValue)]) -> [UInt8] {
    var text = ""
    JSONValue.object([("type", .string(type))] + members).write(to: &text)
    return Array("\(text)\n".utf8)
  }

  /// Appends the text.
  func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += String(value)
    case .millionths(let value):
      let millionths = Int((value * 1e6).rounded())
      text += "\(millionths / 1_000_000).\(String(1_000_000 + millionths % 1_000_000).dropFirst())"
    case .string(let value): JSONText.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        JSONText.write(member.0, to: &text)
        text += ":"
        member.1.write(to: &text)
      }
      text += "}"
    }
  }
}
