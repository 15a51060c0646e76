// A strict parser of JSON: it accepts RFC 8259 and nothing more, as the programs
// that read the output may.

indirect enum Json: Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([Json])
  case object([(name: String, value: Json)])

  struct Fault: Error { let place: Int }

  static func == (left: Json, right: Json) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.name == $1.name && $0.value == $1.value }
    default: false
    }
  }

  init(_ bytes: some Collection<UInt8>) throws(Fault) {
    var reader = JsonReader(bytes: Array(bytes))
    self = try reader.whole()
  }

  subscript(_ name: String) -> Json? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  var number: Double? {
    if case .number(let number) = self { number } else { nil }
  }
  var integer: Int? { number.flatMap { Int(exactly: $0) } }
  var string: String? {
    if case .string(let string) = self { string } else { nil }
  }
  var array: [Json]? {
    if case .array(let array) = self { array } else { nil }
  }
  var names: [String] {
    if case .object(let members) = self { members.map(\.name) } else { [] }
  }
}

private struct JsonReader {
  let bytes: [UInt8]
  var place = 0

  var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  func fault() -> Json.Fault { Json.Fault(place: place) }

  mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
  }

  mutating func take(_ text: String) throws(Json.Fault) {
    for byte in text.utf8 {
      guard next == byte else { throw fault() }
      place += 1
    }
  }

  mutating func takes(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  mutating func whole() throws(Json.Fault) -> Json {
    let value = try value()
    guard next == nil else { throw fault() }
    return value
  }

  mutating func value() throws(Json.Fault) -> Json {
    skipSpace()
    let value: Json
    switch next {
    case UInt8(ascii: "{"): value = try object()
    case UInt8(ascii: "["): value = try array()
    case UInt8(ascii: "\""): value = .string(try string())
    case UInt8(ascii: "t"):
      try take("true")
      value = .bool(true)
    case UInt8(ascii: "f"):
      try take("false")
      value = .bool(false)
    case UInt8(ascii: "n"):
      try take("null")
      value = .null
    default: value = .number(try number())
    }
    skipSpace()
    return value
  }

  mutating func object() throws(Json.Fault) -> Json {
    try take("{")
    skipSpace()
    var members: [(name: String, value: Json)] = []
    if takes("}") { return .object(members) }
    repeat {
      skipSpace()
      let name = try string()
      if members.contains(where: { $0.name == name }) { throw fault() }
      skipSpace()
      try take(":")
      members.append((name, try value()))
    } while takes(",")
    try take("}")
    return .object(members)
  }

  mutating func array() throws(Json.Fault) -> Json {
    try take("[")
    skipSpace()
    var elements: [Json] = []
    if takes("]") { return .array(elements) }
    repeat { elements.append(try value()) } while takes(",")
    try take("]")
    return .array(elements)
  }

  mutating func digits() throws(Json.Fault) {
    let begin = place
    while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
    if place == begin { throw fault() }
  }

  mutating func number() throws(Json.Fault) -> Double {
    let begin = place
    _ = takes("-")
    if !takes("0") { try digits() }
    if takes(".") { try digits() }
    if takes("e") || takes("E") {
      _ = takes("+") || takes("-")
      try digits()
    }
    guard let number = Double(String(decoding: bytes[begin..<place], as: UTF8.self)) else {
      throw fault()
    }
    return number
  }

  mutating func string() throws(Json.Fault) -> String {
    try take("\"")
    var text: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      if byte < 0x20 { throw fault() }
      place += 1
      if byte == UInt8(ascii: "\\") {
        text += try escaped()
      } else {
        text.append(byte)
      }
    }
    try take("\"")
    guard let string = String(validating: text, as: UTF8.self) else { throw fault() }
    return string
  }

  mutating func escaped() throws(Json.Fault) -> [UInt8] {
    guard let byte = next else { throw fault() }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"):
      guard place + 4 <= bytes.count,
        let number = UInt32(
          String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(number)
      else { throw fault() }
      place += 4
      return Array(String(Character(scalar)).utf8)
    default: throw fault()
    }
  }
}
