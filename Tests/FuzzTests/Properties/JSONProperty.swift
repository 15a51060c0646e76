// JSON that Weir writes and reads back, against a second parser of RFC 8259.

@testable import FileJobs

enum JSONProperty {
  static func check(_ input: inout FuzzInput) throws {
    let text = input.all()
    let value = JSONValue(text)
    let second = SecondJSON(text)
    if let value {
      try expect(second.isValid, "no JSON by the second parser")
      try expect(JSONValue(value.line) == value, "another value is read back")
      try expect(SecondJSON(value.line).isValid, "the written line is no JSON")
    } else {
      try expect(!second.isValid || !second.isPlain, "plain JSON is refused")
    }
    try checkName(text)
  }

  /// A name of any bytes comes back from JSON.
  private static func checkName(_ name: [UInt8]) throws {
    let value = JSONValue.name(name)
    try expect(value.name == name, "another name by name")
    try expect(JSONValue(value.line)?.name == name, "another name by JSON")
    let line = name.withUnsafeBytes { JSONName.bytes(of: $0) }
    let second = SecondJSON(line)
    try expect(second.isValid, "the JSON of a name is none")
    try expect(line.count <= 32 + name.count * 6, "the JSON of a name is too long")
  }
}

/// A second parser: valid or not, by the grammar of RFC 8259.
struct SecondJSON {
  private let text: [UInt8]
  private var at = 0
  private(set) var isValid = false
  /// True if a valid text has only what Weir writes: integers of 64 bits without a sign or zero
  /// too many, the escapes of Weir, and a depth below its limit.
  private(set) var isPlain = true

  init(_ text: [UInt8]) {
    self.text = text
    isValid = value(0) && end()
  }

  private var byte: UInt8? { at < text.count ? text[at] : nil }

  private mutating func skip() {
    while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { at += 1 }
  }

  private mutating func end() -> Bool {
    skip()
    return at == text.count
  }

  private mutating func word(_ word: String) -> Bool {
    guard text[at...].starts(with: word.utf8) else { return false }
    at += word.utf8.count
    return true
  }

  private mutating func value(_ depth: Int) -> Bool {
    if depth > 200 { return false }
    if depth >= 16 { isPlain = false }
    skip()
    switch byte {
    case UInt8(ascii: "{"): return list(depth, end: "}", isObject: true)
    case UInt8(ascii: "["): return list(depth, end: "]", isObject: false)
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "t"): return word("true")
    case UInt8(ascii: "f"): return word("false")
    case UInt8(ascii: "n"): return word("null")
    default: return number()
    }
  }

  private mutating func list(_ depth: Int, end: String, isObject: Bool) -> Bool {
    at += 1
    skip()
    if word(end) { return true }
    repeat {
      skip()
      if isObject {
        guard byte == UInt8(ascii: "\""), string() else { return false }
        skip()
        guard word(":") else { return false }
      }
      guard value(depth + 1) else { return false }
      skip()
    } while word(",")
    return word(end)
  }

  private mutating func string() -> Bool {
    at += 1
    while let byte {
      at += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case 0..<0x20: return false
      case UInt8(ascii: "\\"): if !escape() { return false }
      default: break
      }
    }
    return false
  }

  private mutating func escape() -> Bool {
    guard let byte else { return false }
    at += 1
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
    guard byte == UInt8(ascii: "u") else {
      isPlain = false
      return "/bfnrt".utf8.contains(byte)
    }
    let digits = text[at...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) })
    else { return false }
    if !digits.starts(with: "00".utf8) || (digits.dropFirst(2).first ?? 0) >= 0x38 {
      isPlain = false
    }
    at += 4
    return true
  }

  private mutating func digits() -> Int {
    let begin = at
    while let byte, (0x30...0x39).contains(byte) { at += 1 }
    return at - begin
  }

  private mutating func number() -> Bool {
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { at += 1 }
    let isZero = byte == UInt8(ascii: "0")
    let count = digits()
    if count == 0 || (isZero && count > 1) { return false }
    if count > 18 { isPlain = false }
    if byte == UInt8(ascii: ".") {
      isPlain = false
      at += 1
      if digits() == 0 { return false }
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      isPlain = false
      at += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { at += 1 }
      if digits() == 0 { return false }
    }
    return true
  }
}
