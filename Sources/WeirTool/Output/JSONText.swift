// JSON objects as bytes, and the object of a file without a result.

internal import FileJobs

struct JSONText {
  private var members: [JSONValue.Member]

  var bytes: [UInt8] { JSONValue.object(members).line }

  init(_ type: String) { members = [JSONValue.Member("type", .text(type))] }

  static func object(
    _ type: String, isZeroTerminated: Bool = false, _ members: (inout JSONText) -> Void
  ) -> [UInt8] {
    var json = JSONText(type)
    members(&json)
    return json.bytes + [isZeroTerminated ? 0 : UInt8(ascii: "\n")]
  }

  private mutating func append(_ key: String, _ value: JSONValue) {
    members.append(JSONValue.Member(key, value))
  }

  mutating func append(_ key: String, _ value: String) { append(key, .text(value)) }

  mutating func append(_ key: String, _ value: some BinaryInteger) {
    append(key, .encoded(Array(String(value).utf8)))
  }

  mutating func append(_ counts: some Sequence<(name: String, value: UInt64)>) {
    for (name, value) in counts { append(name, value) }
  }

  mutating func append(_ key: String, _ value: Bool) { append(key, .bool(value)) }

  /// Appends a time in seconds, to the microsecond.
  mutating func append(_ key: String, seconds: Double) {
    append(key, .encoded(Array(Quantities.fixed(seconds, digits: 6).utf8)))
  }

  mutating func append(_ key: String, name: UnsafeRawBufferPointer) {
    append(key, .encoded(JSONName.bytes(of: StartDirectory.shown(name))))
  }

  mutating func append(_ key: String, name: [UInt8]) {
    name.withUnsafeBytes { append(key, name: $0) }
  }

  mutating func append(_ key: String, elements: some Sequence<[UInt8]>) {
    append(key, .array(elements.map { .encoded($0) }))
  }
}

extension JSONText {
  /// Returns the object of a file without a result: `error` or `skipped`.
  static func object(
    _ finding: FileReporter.Finding, path: UnsafeRawBufferPointer, isZeroTerminated: Bool = false
  ) -> [UInt8] {
    let type = finding.isSkip ? "skipped" : "error"
    return object(type, isZeroTerminated: isZeroTerminated) { json in
      json.append("path", name: path)
      json.append("kind", finding.kind)
      json.append("message", finding.reason)
    }
  }
}
