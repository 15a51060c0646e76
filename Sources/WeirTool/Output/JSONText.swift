// JSON objects as bytes, and the object of a file without a result.

internal import FileJobs
internal import Weir

/// JSON objects, each ended by a newline or by NUL.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var isFirst = true
  private let terminator: UInt8

  init(isZeroTerminated: Bool = false) {
    terminator = isZeroTerminated ? 0 : UInt8(ascii: "\n")
  }

  /// Returns an object of a type as a line.
  ///
  /// - Parameter members: Appends the members after the type.
  static func object(
    _ type: String, isZeroTerminated: Bool = false, _ members: (inout JSONText) -> Void
  ) -> [UInt8] {
    var json = JSONText(isZeroTerminated: isZeroTerminated)
    json.begin(type)
    members(&json)
    json.end()
    return json.bytes
  }

  /// Begins an object of a type.
  mutating func begin(_ type: String) {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    append("type", type)
  }

  /// Ends the object and its line.
  mutating func end() {
    bytes.append(UInt8(ascii: "}"))
    bytes.append(terminator)
  }

  /// Appends a string member.
  mutating func append(_ key: String, _ value: String) {
    appendKey(key)
    appendString(value)
  }

  /// Appends a number member.
  mutating func append(_ key: String, _ value: some BinaryInteger) {
    appendKey(key)
    bytes.append(contentsOf: String(value).utf8)
  }

  mutating func append(_ key: String, _ value: Bool) {
    appendKey(key)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Appends a time in seconds, to the microsecond.
  mutating func append(_ key: String, seconds: Double) {
    appendKey(key)
    bytes.append(contentsOf: Quantities.fixed(seconds, digits: 6).utf8)
  }

  mutating func append(_ key: String, name: UnsafeRawBufferPointer) {
    appendKey(key)
    bytes.append(contentsOf: JSONName.bytes(of: name))
  }

  /// Appends an array of encoded elements.
  mutating func append(_ key: String, elements: some Sequence<[UInt8]>) {
    appendKey(key)
    bytes.append(UInt8(ascii: "["))
    var isFirst = true
    for element in elements {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      bytes.append(contentsOf: element)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func appendKey(_ key: String) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    appendString(key)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Escapes only what the program's own words contain; names are encoded by `JSONName`.
  private mutating func appendString(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(UInt8(ascii: "\\"))
      }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
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
