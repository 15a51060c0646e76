// A reader of the recorder's JSON lines: an object per line whose members are numbers, strings,
// Booleans and small objects of numbers. It copes with any bytes: nothing recurses without a limit,
// and no number overflows.

struct TraceLineReader {
  /// One line, without its line feed.
  struct Line {
    var number: Int
    var bytes: ArraySlice<UInt8>
    var isTerminated: Bool
  }

  /// The reason a line cannot be read.
  struct Failure: Error {
    var reason: String
  }

  private static let deepest = 16

  private let bytes: [UInt8]
  private var next = 0
  private var number = 0
  private var line: ArraySlice<UInt8> = []
  private var at = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the next line that is not empty, or nil at the end.
  mutating func nextLine() -> Line? {
    while next < bytes.count {
      let begin = next
      var end = begin
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      next = end + 1
      number += 1
      let line = bytes[begin..<end]
      if line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) {
        return Line(number: number, bytes: line, isTerminated: end < bytes.count)
      }
    }
    return nil
  }

  /// Returns the event of a line, or nil if its kind is unknown.
  mutating func event(in line: ArraySlice<UInt8>) throws(Failure) -> TraceLog.Event? {
    self.line = line
    at = line.startIndex
    var members = Members()
    try readObject { reader, name throws(Failure) in try reader.readMember(name, &members) }
    skipSpace()
    guard at == line.endIndex else { throw Failure(reason: "text after the object") }
    guard let name = members.name else { throw Failure(reason: "the member \"ev\" is missing") }
    guard let time = members.time else { throw Failure(reason: "the member \"t\" is missing") }
    guard let thread = members.thread else {
      throw Failure(reason: "the member \"thr\" is missing")
    }
    guard let kind = TraceLog.Kind(rawValue: name) else { return nil }
    var event = TraceLog.Event(
      time: time, kind: kind, thread: thread, label: members.label ?? "", object: members.object,
      task: members.task, lane: members.lane, value: members.value ?? 0, woken: members.woken)
    event.queued = members.queued
    event.running = members.running
    event.waiting = members.waiting
    return event
  }
}

// MARK: - Members

extension TraceLineReader {
  private struct Members {
    var time: UInt64?
    var name: String?
    var thread: Int?
    var label: String?
    var object: Int?
    var task: Int?
    var lane: Int?
    var value: Int?
    var woken: Bool?
    var queued: Int?
    var running: Int?
    var waiting: Int?
  }

  private mutating func readMember(
    _ name: String, _ members: inout Members
  ) throws(Failure) {
    switch name {
    case "t": members.time = try readNumber(name)
    case "ev": members.name = try readString(name)
    case "thr": members.thread = try readCount(name)
    case "q": members.label = try readString(name)
    case "obj": members.object = try readCount(name)
    case "task": members.task = try readCount(name)
    case "lane": members.lane = try readCount(name)
    case "v": members.value = try readCount(name)
    case "woken": members.woken = try readBool(name)
    case "jobs", "sem":
      var inner = members
      try readObject { reader, name throws(Failure) in
        switch name {
        case "queued": inner.queued = try reader.readCount(name)
        case "running": inner.running = try reader.readCount(name)
        case "waiting": inner.waiting = try reader.readCount(name)
        default: try reader.skipValue(depth: 1)
        }
      }
      members = inner
    default: try skipValue(depth: 0)
    }
  }

  /// Reads an object; `member` reads the value of each member.
  private mutating func readObject(
    _ member: (inout Self, String) throws(Failure) -> Void
  ) throws(Failure) {
    skipSpace()
    guard take("{") else { throw Failure(reason: "an object is expected") }
    skipSpace()
    if take("}") { return }
    repeat {
      skipSpace()
      let name = try readString("name")
      skipSpace()
      guard take(":") else { throw Failure(reason: "\":\" is expected after a name") }
      skipSpace()
      try member(&self, name)
      skipSpace()
    } while take(",")
    guard take("}") else { throw Failure(reason: "\",\" or \"}\" is expected") }
  }

  /// Skips a value of an unknown member.
  private mutating func skipValue(depth: Int) throws(Failure) {
    guard depth < Self.deepest else { throw Failure(reason: "values are nested too deeply") }
    skipSpace()
    switch peek {
    case UInt8(ascii: "\""):
      _ = try readString("value")
    case UInt8(ascii: "{"):
      try readObject { reader, _ throws(Failure) in try reader.skipValue(depth: depth + 1) }
    case UInt8(ascii: "["):
      at += 1
      skipSpace()
      if take("]") { return }
      repeat {
        try skipValue(depth: depth + 1)
        skipSpace()
      } while take(",")
      guard take("]") else { throw Failure(reason: "\",\" or \"]\" is expected") }
    default:
      let begin = at
      while let byte = peek, Self.isWord(byte) { at += 1 }
      guard at > begin else { throw Failure(reason: "a value is expected") }
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}

// MARK: - Values

extension TraceLineReader {
  private var peek: UInt8? { at < line.endIndex ? line[at] : nil }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func skipSpace() {
    while peek == UInt8(ascii: " ") || peek == UInt8(ascii: "\t") || peek == UInt8(ascii: "\r") {
      at += 1
    }
  }

  private mutating func readNumber(_ name: String) throws(Failure) -> UInt64 {
    var value: UInt64 = 0
    let begin = at
    while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      let (product, isOver) = value.multipliedReportingOverflow(by: 10)
      let (sum, isOverToo) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      guard !isOver, !isOverToo else {
        throw Failure(reason: "the number of \"\(name)\" is too large")
      }
      value = sum
      at += 1
    }
    let goesOn = peek.map(Self.isWord) ?? false
    guard at > begin, !goesOn else {
      throw Failure(reason: "\"\(name)\" needs a whole number, 0 or more")
    }
    return value
  }

  /// Reads a number. One above 2^40, such as SIZE_MAX, becomes 2^40, so that sums fit.
  private mutating func readCount(_ name: String) throws(Failure) -> Int {
    Int(min(try readNumber(name), 1 << 40))
  }

  private mutating func readBool(_ name: String) throws(Failure) -> Bool {
    let begin = at
    while let byte = peek, Self.isWord(byte) { at += 1 }
    switch String(decoding: line[begin..<at], as: UTF8.self) {
    case "true": return true
    case "false": return false
    default: throw Failure(reason: "\"\(name)\" needs true or false")
    }
  }

  /// Reads a string. Bytes that are not UTF-8 and halves of surrogate pairs become U+FFFD.
  private mutating func readString(_ name: String) throws(Failure) -> String {
    guard take("\"") else { throw Failure(reason: "\"\(name)\" needs a string") }
    var text: [UInt8] = []
    while let byte = peek {
      at += 1
      switch byte {
      case UInt8(ascii: "\""):
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        text.append(contentsOf: String(Character(try readEscape())).utf8)
      default:
        text.append(byte)
      }
    }
    throw Failure(reason: "a string has no end")
  }

  private mutating func readEscape() throws(Failure) -> Unicode.Scalar {
    guard let byte = peek else { throw Failure(reason: "a string has no end") }
    at += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "u"): return try readCodePoint()
    default: throw Failure(reason: "a string has an unknown escape")
    }
  }

  private mutating func readCodePoint() throws(Failure) -> Unicode.Scalar {
    let first = try readCodeUnit()
    if first >= 0xd800, first < 0xdc00 {
      let after = at
      if take("\\"), take("u") {
        let second = try readCodeUnit()
        if second >= 0xdc00, second < 0xe000 {
          let value = 0x10000 + (first - 0xd800) << 10 + (second - 0xdc00)
          return Unicode.Scalar(value) ?? "\u{fffd}"
        }
      }
      at = after
    }
    return Unicode.Scalar(first) ?? "\u{fffd}"
  }

  private mutating func readCodeUnit() throws(Failure) -> UInt32 {
    guard at + 4 <= line.endIndex else { throw Failure(reason: "a string has no end") }
    var value: UInt32 = 0
    for byte in line[at..<at + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw Failure(reason: "a string has an unknown escape")
      }
      value = value << 4 | UInt32(digit)
    }
    at += 4
    return value
  }
}
