// JSON output: what docs/schema says of it, and what is in it.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct SchemaTests {
  private func schema(_ name: String) throws -> Schema {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try Schema(Data(contentsOf: root.appending(path: "docs/schema/\(name).json")))
  }

  private func objects(_ output: [UInt8], separator: UInt8 = 0x0A) throws -> [[String: Any]] {
    #expect(output.last == separator)
    return try output.split(separator: separator).map { line in
      let value = try JSONSerialization.jsonObject(with: Data(line))
      return try #require(value as? [String: Any])
    }
  }

  /// The bytes of a name as it stands in JSON.
  private func name(_ object: [String: Any]) throws -> [UInt8] {
    let path = try #require(object["path"] as? [String: String])
    if let text = path["text"] { return Array(text.utf8) }
    return try Array(#require(Data(base64Encoded: path["bytes"] ?? "!")))
  }

  @Test("files, failures and what is skipped stand in their order, and fit the schema")
  func order() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "c", "e"] { try directory.write(name, to: name) }
    try directory.makeDirectory("t")
    try directory.write("x", to: "t/x")
    try directory.makeFIFO("t/f")
    try directory.makeFIFO("p")
    let schema = try schema("hash")
    for option in ["-amd5", "-amd5,sha512,xxh3"] {
      let result = try await weir(
        "hash", "--format", "json", option, "a", "none", "c", "t", "p", "e", in: directory
      ).run()
      #expect(result.status == 3)
      let objects = try objects(result.output)
      for object in objects { #expect(schema.faults(of: object).isEmpty, "\(object)") }
      #expect(
        objects.compactMap { $0["type"] as? String } == [
          "file", "error", "file", "skipped", "file", "error", "file", "summary",
        ])
      #expect(
        try objects.dropLast().map { String(decoding: try name($0), as: UTF8.self) } == [
          "a", "none", "c", "t/f", "t/x", "p", "e",
        ])
      let digests = try #require(objects[0]["digests"] as? [String: String])
      #expect(digests["md5"] == "0cc175b9c0f1b6a831c399e269772661")
      #expect(digests.count == (option == "-amd5" ? 1 : 3))
      #expect(objects[1]["message"] as? String == "No such file or directory")
      let summary = try #require(objects.last)
      #expect(summary["files"] as? Int == 4 && summary["unreadable"] as? Int == 1)
      #expect(summary["special"] as? Int == 2 && summary["complete"] as? Bool == true)
      #expect(result.errorLines.count == 4)  // messages are said all the same
    }
  }

  @Test("what check writes fits its schema")
  func check() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello\n", to: "a")
    try directory.makeFIFO("p")
    let good = "b1946ac92492d2347c6235b4d2611184"
    let bad = String(good.reversed())
    try directory.write(
      "\(good)  a\n\(bad)  a\n\(good)  none\nnothing\n\(good)  p\n", to: "M")
    let result = try await weir("check", "--format", "json", "M", "gone", in: directory).run()
    let schema = try schema("check")
    let objects = try objects(result.output)
    for object in objects { #expect(schema.faults(of: object).isEmpty, "\(object)") }
    #expect(
      objects.prefix(5).map { $0["status"] as? String } == [
        "ok", "failed", "missing", nil, "unreadable",
      ])
    #expect(objects.last?["type"] as? String == "summary" && result.status == 1)
  }

  @Test("any name comes back from JSON as it was", arguments: [0x0A, 0x00] as [UInt8])
  func names(separator: UInt8) async throws {
    var random = SeededGenerator(for: "json names")
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("t")
    let names = random.names(1500)
    for name in names { try directory.write([], to: Array("t/".utf8) + name) }
    let zero = separator == 0 ? ["-z"] : []
    let result = try await weir(
      words("hash", "-axxh64", "--format=json", "t") + zero.map { Array($0.utf8) }, in: directory
    ).run()
    result.expectSilence()
    let schema = try schema("hash")
    let objects = try objects(result.output, separator: separator)
    #expect(objects.count == names.count + 1)
    #expect(objects.allSatisfy { schema.faults(of: $0).isEmpty })
    let read = try objects.dropLast().map { try name($0) }
    #expect(difference(read, names.map { Array("t/".utf8) + $0 }) == nil)
  }

  @Test("what does not fit is found not to fit")
  func faults() throws {
    let schema = try schema("hash")
    let digest = String(repeating: "0", count: 32)
    let line = #"{"type":"file","path":{"text":"a"},"size":1,"digests":{"md5":"\#(digest)"}}"#
    let good = try objects(Array("\(line)\n".utf8))[0]
    #expect(schema.faults(of: good).isEmpty)
    let bad: [(String, Any?)] = [
      ("type", "fil"), ("path", "a"), ("path", ["text": "a", "bytes": "YQ=="]), ("size", -1),
      ("size", "1"), ("digests", [String: String]()), ("digests", ["md5": "0"]),
      ("digests", ["md7": digest]), ("more", 1), ("size", nil), ("path", nil),
    ]
    for (key, value) in bad {
      var object = good
      object[key] = value
      #expect(!schema.faults(of: object).isEmpty, "\(object)")
    }
  }
}

/// As much of JSON Schema as the schemas here use.
private struct Schema: @unchecked Sendable {
  private let root: [String: Any]

  private static let known: Set = [
    "$schema", "$id", "$defs", "$ref", "title", "description", "type", "const", "enum", "oneOf",
    "properties", "required", "additionalProperties", "minProperties", "minimum", "pattern",
  ]

  init(_ data: Data) throws {
    root = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// What is wrong with a value.
  func faults(of value: Any) -> [String] { faults(of: value, root, "$") }

  private func faults(of value: Any, _ schema: [String: Any], _ place: String) -> [String] {
    var found = schema.keys.filter { !Schema.known.contains($0) }.map { "\($0) is unknown here" }
    if let reference = schema["$ref"] as? String {
      let name = reference.split(separator: "/").last.map(String.init) ?? ""
      let target = (root["$defs"] as? [String: Any])?[name] as? [String: Any]
      found += target.map { faults(of: value, $0, place) } ?? ["\(reference) is nowhere"]
    }
    if let choices = schema["oneOf"] as? [[String: Any]] {
      let fitting = choices.filter { faults(of: value, $0, place).isEmpty }.count
      if fitting != 1 { found.append("\(place) fits \(fitting) of oneOf") }
    }
    if let constant = schema["const"] as? String, value as? String != constant {
      found.append("\(place) is not \(constant)")
    }
    if let words = schema["enum"] as? [String], !words.contains(value as? String ?? "") {
      found.append("\(place) is none of \(words)")
    }
    if let type = schema["type"] as? String, !Schema.isOf(type, value) {
      found.append("\(place) is no \(type)")
    }
    if let text = value as? String, let pattern = schema["pattern"] as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      found.append("\(place) does not fit \(pattern)")
    }
    if let number = value as? NSNumber, let minimum = schema["minimum"] as? Double,
      number.doubleValue < minimum
    {
      found.append("\(place) is below \(minimum)")
    }
    if let object = value as? [String: Any] { found += faults(within: object, schema, place) }
    return found
  }

  private func faults(
    within object: [String: Any], _ schema: [String: Any], _ place: String
  ) -> [String] {
    var found: [String] = []
    for key in schema["required"] as? [String] ?? [] where object[key] == nil {
      found.append("\(place) lacks \(key)")
    }
    if object.count < schema["minProperties"] as? Int ?? 0 { found.append("\(place) is empty") }
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    for (key, value) in object {
      if let property = properties[key] {
        found += faults(of: value, property, "\(place).\(key)")
      } else if schema["additionalProperties"] as? Bool == false {
        found.append("\(place) has \(key)")
      }
    }
    return found
  }

  private static func isOf(_ type: String, _ value: Any) -> Bool {
    let isTruth = (value as? NSNumber).map { $0.objCType.pointee == CChar(0x63) } ?? false
    switch type {
    case "string": return value is String
    case "object": return value is [String: Any]
    case "boolean": return isTruth
    case "integer": return !isTruth && (value as? Double).map { $0 == $0.rounded() } ?? false
    case "number": return !isTruth && value is Double
    default: return false
    }
  }
}
