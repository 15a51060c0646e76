// JSON that Weir writes and reads back: every value comes back, and nothing else is accepted.

@testable import FileJobs
import TestSupport
import Testing

struct JSONValueTests {
  private func random(_ random: inout SeededGenerator, depth: Int = 0) -> JSONValue {
    switch Int.random(in: 0...(depth < 4 ? 5 : 3), using: &random) {
    case 0: return .bool(Bool.random(using: &random))
    case 1: return .integer(Int64.random(in: .min ... .max, using: &random))
    case 2: return .name(random.name())
    case 3: return .null
    case 4:
      return .array(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          self.random(&random, depth: depth + 1)
        })
    default:
      return .object(
        (0..<Int.random(in: 0...4, using: &random)).map {
          JSONValue.Member("k\($0)", self.random(&random, depth: depth + 1))
        })
    }
  }

  @Test("random values come back, and no beginning of one is a value")
  func values() {
    var generator = SeededGenerator(for: "JSON values")
    for _ in 0..<500 {
      let value = random(&generator)
      let line = value.line
      #expect(JSONValue(line) == value)
      // A beginning of a number is a number.
      if case .integer = value { continue }
      for count in 0..<line.count { #expect(JSONValue(line.prefix(count)) == nil) }
    }
  }

  @Test("names of any bytes come back")
  func names() {
    var random = SeededGenerator(for: "JSON names")
    for count in 0..<200 {
      let name = random.bytes(count % 40)
      #expect(JSONValue(JSONValue.name(name).line)?.name == name)
    }
  }

  @Test(
    "other texts are refused",
    arguments: [
      "", "{", "}", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "1.5", "1e3", "--1", "-", "truefalse",
      "nul",
      "\"", "\"\\x\"", "\"\\u00\"", "\"\\uD800\"", "99999999999999999999", "[1] 2", "\"a\nb\"",
    ])
  func malformed(text: String) { #expect(JSONValue(text.utf8) == nil) }

  @Test("a hundred thousand brackets are refused, and nothing overflows")
  func depth() {
    #expect(JSONValue(Array(repeating: UInt8(ascii: "["), count: 100_000)) == nil)
  }
}
