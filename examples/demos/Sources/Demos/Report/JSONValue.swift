// The lines of `weir-demo --score` and of `weir-demo pitfalls --format json`.

/// A member of a line.
package enum JSONValue: Sendable {
  case bool(Bool)
  case number(Int)
  /// A number that is written to the millionth.
  case millionths(Double)
  case string(String)

  /// Returns an object of a type as a line.
  package static func line(_ type: String, _ members: [(String, JSONValue)]) -> [UInt8] {
    var text = ""
    for (name, value) in [("type", .string(type))] + members {
      text += text.isEmpty ? "{" : ","
      JSONText.write(name, to: &text)
      text += ":"
      value.write(to: &text)
    }
    return Array("\(text)}\n".utf8)
  }

  private func write(to text: inout String) {
    switch self {
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += String(value)
    case .millionths(let value):
      let millionths = Int((value * 1e6).rounded())
      text += "\(millionths / 1_000_000).\(String(1_000_000 + millionths % 1_000_000).dropFirst())"
    case .string(let value): JSONText.write(value, to: &text)
    }
  }
}
