// Objects of JSON, as bytes.

internal import FileJobs

/// Writes one JSON object after the other, each a line, or ended by a NUL.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var isFirst = true
  private let terminator: UInt8

  init(isZeroTerminated: Bool = false) {
    terminator = isZeroTerminated ? 0 : UInt8(ascii: "\n")
  }

  /// Begins an object of a type.
  mutating func begin(_ type: String) {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    append("type", type)
  }

  /// Ends it, and its line.
  mutating func end() {
    bytes.append(UInt8(ascii: "}"))
    bytes.append(terminator)
  }

  /// A member that is a string.
  mutating func append(_ key: String, _ value: String) {
    appendKey(key)
    appendString(value)
  }

  /// A member that is a number.
  mutating func append(_ key: String, _ value: some BinaryInteger) {
    appendKey(key)
    bytes.append(contentsOf: String(value).utf8)
  }

  mutating func append(_ key: String, _ value: Bool) {
    appendKey(key)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// A member that is a time in seconds, to the microsecond.
  mutating func append(_ key: String, seconds: Double) {
    appendKey(key)
    bytes.append(contentsOf: Quantities.fixed(seconds, digits: 6).utf8)
  }

  /// A member that is a name.
  mutating func append(_ key: String, name: UnsafeRawBufferPointer) {
    appendKey(key)
    bytes.append(contentsOf: JSONName.bytes(of: name))
  }

  /// A member that is an array.
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

  /// Only words of the program's own get here, and none needs more than this.
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
