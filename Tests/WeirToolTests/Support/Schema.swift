// A validator for JSON Schema.

import Foundation
import Testing

/// The part of JSON Schema that the schemas in docs/schema use.
struct Schema: @unchecked Sendable {
  private let root: [String: Any]
  /// The documents that references name, by their names.
  private let others: [String: [String: Any]]

  private static let known: Set = [
    "$schema", "$id", "$defs", "$ref", "title", "description", "type", "const", "enum", "oneOf",
    "properties", "patternProperties", "required", "additionalProperties", "minProperties",
    "minimum", "pattern",
    "items", "minItems",
  ]

  /// The schema of a verb, from docs/schema of the package of this file or of one around it.
  init(of command: String) throws {
    var folder = URL(filePath: #filePath)
    let path = "docs/schema/\(command).json"
    repeat {
      folder.deleteLastPathComponent()
    } while folder.pathComponents.count > 1
      && !FileManager.default.fileExists(atPath: folder.appending(path: path).path)
    root = try Self.document(folder.appending(path: path))
    let common = folder.appending(path: "docs/schema/common.json")
    others = (try? Self.document(common)).map { ["common.json": $0] } ?? [:]
  }

  private init(root: [String: Any]) {
    self.root = root
    others = [:]
  }

  private static func document(_ file: URL) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
  }

  /// Returns the errors of a value by a reference: `#/a/b`, or `FILE#/a/b`.
  private func faults(of value: Any, reference: String, _ place: String) -> [String] {
    let parts = reference.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
    let document = parts[0].isEmpty ? self : others[parts[0]].map { Schema(root: $0) }
    let target = parts[1].split(separator: "/").reduce(document?.root as Any?) { found, name in
      (found as? [String: Any])?[String(name)]
    }
    guard let document, let target = target as? [String: Any] else {
      return ["\(reference) is nowhere"]
    }
    return document.faults(of: value, target, place)
  }

  /// Returns the errors of a value.
  func faults(of value: Any) -> [String] { faults(of: value, root, "$") }

  private func faults(of value: Any, _ schema: [String: Any], _ place: String) -> [String] {
    var found = schema.keys.filter { !Schema.known.contains($0) }.map { "\($0) is unknown here" }
    if let reference = schema["$ref"] as? String {
      found += faults(of: value, reference: reference, place)
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
    if let elements = value as? [Any] { found += faults(among: elements, schema, place) }
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
    let patterns = schema["patternProperties"] as? [String: [String: Any]] ?? [:]
    for (key, value) in object {
      if let property = properties[key] {
        found += faults(of: value, property, "\(place).\(key)")
      } else if let pattern = patterns.first(where: {
        key.range(of: $0.key, options: .regularExpression) != nil
      }) {
        found += faults(of: value, pattern.value, "\(place).\(key)")
      } else if schema["additionalProperties"] as? Bool == false {
        found.append("\(place) has \(key)")
      }
    }
    return found
  }

  private func faults(
    among elements: [Any], _ schema: [String: Any], _ place: String
  ) -> [String] {
    var found: [String] = []
    if elements.count < schema["minItems"] as? Int ?? 0 { found.append("\(place) is too short") }
    guard let element = schema["items"] as? [String: Any] else { return found }
    for (index, value) in elements.enumerated() {
      found += faults(of: value, element, "\(place)[\(index)]")
    }
    return found
  }

  private static func isOf(_ type: String, _ value: Any) -> Bool {
    let isTruth = (value as? NSNumber).map { $0.objCType.pointee == CChar(0x63) } ?? false
    switch type {
    case "string": return value is String
    case "object": return value is [String: Any]
    case "array": return value is [Any]
    case "boolean": return isTruth
    case "integer": return !isTruth && (value as? Double).map { $0 == $0.rounded() } ?? false
    case "number": return !isTruth && value is Double
    default: return false
    }
  }
}
