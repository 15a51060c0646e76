// JSON: what Weir writes, and the first lines of plans and parts, which it reads back.
//
// DESIGN. Strict and small: integers only, no escapes but those that Weir itself writes, and a
// limit on depth, so that a damaged file gives `nil` and never a deep recursion. Foundation's
// reader would add six megabytes to a static binary, and would make text of names that are no
// UTF-8. (SwiftPM offers no smaller library that is kept up.)

/// A value of JSON. Strings are bytes.
package enum JSONValue: Equatable, Sendable, ExpressibleByStringLiteral {
  case null
  case bool(Bool)
  case integer(Int64)
  case string([UInt8])
  case array([JSONValue])
  case object([Member])
  /// Text that is JSON already; never read.
  case encoded([UInt8])

  package struct Member: Equatable, Sendable {
    let key: String
    let value: JSONValue

    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }

  package static func text(_ text: String) -> JSONValue { .string(Array(text.utf8)) }
  package init(stringLiteral text: String) { self = .text(text) }

  /// Makes an integer of a count. A count beyond 2^63 does not occur in files.
  package static func count(_ count: some BinaryInteger) -> JSONValue {
    .integer(Int64(clamping: count))
  }

  /// Makes the value of a name: a string, or `{"bytes": BASE64}` if it is not UTF-8.
  package static func name(_ bytes: [UInt8]) -> JSONValue {
    bytes.withUnsafeBytes { name in
      if JSONName.isUTF8(name) { return .string(bytes) }
      let digits = LineWriter.bytes(capacity: name.count * 2 + 4) { $0.append(base64: name) }
      return .object(["bytes": .string(digits)])
    }
  }

  // MARK: - Access

  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  package var text: String? {
    guard case .string(let bytes) = self else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  package var count: UInt64? {
    guard case .integer(let number) = self else { return nil }
    return UInt64(exactly: number)
  }

  package var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  package var array: [JSONValue]? {
    guard case .array(let values) = self else { return nil }
    return values
  }

  /// The bytes of a name that ``name(_:)`` has made.
  package var name: [UInt8]? {
    if case .string(let bytes) = self { return bytes }
    guard case .string(let text)? = self["bytes"] else { return nil }
    var bytes: [UInt8] = []
    return Base64.decode(text) { bytes.append($0) } ? bytes : nil
  }

  // MARK: - Writing

  package var line: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let number): bytes += String(number).utf8
    case .encoded(let text): bytes += text
    case .string(let text): JSONValue.append(text, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONValue.append(Array(member.key.utf8), to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
    text.withUnsafeBytes { text in
      bytes += LineWriter.bytes(capacity: 2 + text.count * 6) { line in
        line.append(UInt8(ascii: "\""))
        line.append(json: text, isShown: false)
        line.append(UInt8(ascii: "\""))
      }
    }
  }

  // MARK: - Reading

  /// Reads a value; `nil` if the text is anything else, or has more than blanks after it.
  package init?(_ text: some Sequence<UInt8>) {
    var reader = Reader(rest: Array(text)[...])
    guard let value = reader.value(depth: 0) else { return nil }
    reader.skipBlanks()
    guard reader.rest.isEmpty else { return nil }
    self = value
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    private static let depthMax = 16

    mutating func skipBlanks() {
      while let first = rest.first, [0x20, 0x09, 0x0A, 0x0D].contains(first) { rest.removeFirst() }
    }

    private mutating func take(_ text: String) -> Bool {
      guard rest.starts(with: text.utf8) else { return false }
      rest.removeFirst(text.utf8.count)
      return true
    }

    mutating func value(depth: Int) -> JSONValue? {
      guard depth < Reader.depthMax else { return nil }
      skipBlanks()
      switch rest.first {
      case UInt8(ascii: "{"): return object(depth: depth)
      case UInt8(ascii: "["): return array(depth: depth)
      case UInt8(ascii: "\""): return string().map { .string($0) }
      case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return integer()
      default:
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        return take("null") ? .null : nil
      }
    }

    private mutating func integer() -> JSONValue? {
      let end = rest.dropFirst().firstIndex { !$0.isDigit } ?? rest.endIndex
      defer { rest = rest[end...] }
      let digits = rest[..<end].drop { $0 == UInt8(ascii: "-") }
      if digits.count > 1 && digits.first == UInt8(ascii: "0") { return nil }
      return Int64(String(decoding: rest[..<end], as: UTF8.self)).map { .integer($0) }
    }

    private mutating func string() -> [UInt8]? {
      rest.removeFirst()
      var text: [UInt8] = []
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\""): return text
        case UInt8(ascii: "\\"):
          guard let escaped = escaped() else { return nil }
          text.append(escaped)
        case 0..<0x20: return nil
        default: text.append(byte)
        }
      }
      return nil
    }

    private mutating func escaped() -> UInt8? {
      let byte = rest.popFirst()
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return byte }
      guard byte == UInt8(ascii: "u"), rest.count >= 4 else { return nil }
      defer { rest.removeFirst(4) }
      let digits = String(decoding: rest.prefix(4), as: UTF8.self)
      if digits.hasPrefix("+") || digits.hasPrefix("-") { return nil }
      return UInt16(digits, radix: 16).flatMap { $0 < 0x80 ? UInt8($0) : nil }
    }

    private mutating func elements(until end: String, _ read: (inout Reader) -> Bool) -> Bool {
      rest.removeFirst()
      skipBlanks()
      if take(end) { return true }
      while read(&self) {
        skipBlanks()
        if take(end) { return true }
        guard take(",") else { return false }
      }
      return false
    }

    private mutating func array(depth: Int) -> JSONValue? {
      var values: [JSONValue] = []
      let isRead = elements(until: "]") { reader in
        guard let value = reader.value(depth: depth + 1) else { return false }
        values.append(value)
        return true
      }
      return isRead ? .array(values) : nil
    }

    private mutating func object(depth: Int) -> JSONValue? {
      var members: [Member] = []
      let isRead = elements(until: "}") { reader in
        reader.skipBlanks()
        guard reader.rest.first == UInt8(ascii: "\""), let key = reader.string() else {
          return false
        }
        reader.skipBlanks()
        guard reader.take(":"), let value = reader.value(depth: depth + 1) else { return false }
        members.append(Member(String(decoding: key, as: UTF8.self), value))
        return true
      }
      return isRead ? .object(members) : nil
    }
  }
}

/// Counts that a file has as JSON, and a merge adds up.
protocol JSONNumbers {
  static var recorded: [(String, WritableKeyPath<Self, UInt64>)] { get }
}

extension JSONNumbers {
  var members: [JSONValue.Member] {
    Self.recorded.map { .init($0.0, .count(self[keyPath: $0.1])) }
  }

  var json: JSONValue { .object(members) }

  /// Takes the numbers of an object. Returns false if one is malformed or missing.
  mutating func take(_ object: JSONValue) -> Bool {
    for (name, path) in Self.recorded {
      guard let count = object[name]?.count else { return false }
      self[keyPath: path] = count
    }
    return true
  }

  /// Adds numbers that ``json`` has made. Returns false if they are malformed. A number that the
  /// version of the shard does not have is 0.
  mutating func add(_ json: JSONValue) -> Bool {
    for (name, path) in Self.recorded {
      guard let value = json[name] else { continue }
      guard let count = value.count else { return false }
      self[keyPath: path] = self[keyPath: path].addingClamped(count)
    }
    return true
  }
}

extension UInt64 {
  /// Limits the sum to the largest number of JSON: sparse files can have sizes of exabytes.
  func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? UInt64(Int64.max) : Swift.min(sum, UInt64(Int64.max))
  }
}
