// JSON that Weir writes and reads back, against Foundation's parser.

import Foundation

@testable import FileJobs

enum JSONProperty {
  static func check(_ input: inout FuzzInput) throws {
    let text = input.all()
    if let value = JSONValue(text) {
      try expect(isJSON(text) != false, "no JSON by Foundation")
      try expect(JSONValue(value.line) == value, "another value is read back")
      try expect(isJSON(value.line) != false, "the written line is no JSON")
    } else {
      try expect(isJSON(text) != true || !isPlain(text), "plain JSON is refused")
    }
    try checkName(text)
  }

  /// A name of any bytes comes back from JSON.
  private static func checkName(_ name: [UInt8]) throws {
    let value = JSONValue.name(name)
    try expect(value.name == name, "another name by name")
    try expect(JSONValue(value.line)?.name == name, "another name by JSON")
    let line = name.withUnsafeBytes { JSONName.bytes(of: $0) }
    try expect(isJSON(line) == true, "the JSON of a name is none")
    try expect(line.count <= 32 + name.count * 6, "the JSON of a name is too long")
  }

  /// Returns true if a text is JSON; `nil` if it is not UTF-8, or perhaps another encoding to Foundation.
  private static func isJSON(_ text: [UInt8]) -> Bool? {
    guard let string = String(validating: text, as: UTF8.self), !string.hasPrefix("\u{FEFF}"),
      !text.contains(0)
    else { return nil }
    return (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil
  }

  /// True if a text that is JSON has only what Weir writes: integers of at most 18 digits, the escapes of
  /// Weir, and a depth below its limit.
  private static func isPlain(_ text: [UInt8]) -> Bool {
    var rest = String(decoding: text, as: UTF8.self)
    let string = #/"(?:[^"\\]|\\(?:["\\]|u00[0-7][0-9a-fA-F]))*"/#.matchingSemantics(.unicodeScalar)
    rest.replace(string, with: "")
    var (depth, deepest) = (0, 0)
    for byte in rest.utf8 {
      depth += "[{".utf8.contains(byte) ? 1 : "]}".utf8.contains(byte) ? -1 : 0
      deepest = max(deepest, depth)
    }
    return deepest < 16 && rest.firstMatch(of: #/"|[0-9][.eE]|[0-9]{19}/#) == nil
  }
}
