// A reader of the recorder's JSON lines: an object per line whose members are numbers, strings,
// Booleans and small objects of numbers. It copes with any bytes: nothing recurses without a limit,
// and no number overflows.

internal import FoundationEssentials

struct TraceLineReader {
  /// The reason a line cannot be read.
  struct Failure: Error {
    var reason: String
  }

  private static let deepest = 16

  private let line: ArraySlice<UInt8>
  private var at: Int

  /// Creates a reader of one line, without its line feed.
  init(_ line: ArraySlice<UInt8>) {
    self.line = line
    at = line.startIndex
  }

  /// Returns the event of the line, or nil if its kind is unknown or the line is empty.
  mutating func event() throws(Failure) -> TraceLog.Event? {
    skipSpace()
    if at == line.endIndex { return nil }
    var members = Members()
    try readObject { reader, name throws(Failure) in try reader.readMember(name, &members) }
    skipSpace()
    guard at == line.endIndex else { throw Failure(reason: "text after the object") }
    let missing =
      !members.hasKind ? "ev" : !members.hasTime ? "t" : !members.hasThread ? "thr" : nil
    if let missing { throw Failure(reason: "the member \"\(missing)\" is missing") }
    guard let kind = members.kind else { return nil }
    members.event.kind = kind
    return members.event
  }
}

// MARK: - Members

extension TraceLineReader {
  private struct Members {
    var (hasKind, hasTime, hasThread) = (false, false, false)
    var kind: TraceLog.Kind?
    var event = TraceLog.Event(time: 0, kind: .note, thread: 0, label: "")
  }

  private mutating func readMember(
    _ name: String, _ members: inout Members
  ) throws(Failure) {
    switch name {
    case "t": (members.event.time, members.hasTime) = (try readNumber(name), true)
    case "ev":
      (members.kind, members.hasKind) = (TraceLog.Kind(rawValue: try readString(name)), true)
    case "thr": (members.event.thread, members.hasThread) = (try readCount(name), true)
    case "q": members.event.label = try readString(name)
    case "obj": members.event.object = try readCount(name)
    case "task": members.event.task = try readCount(name)
    case "lane": members.event.lane = try readCount(name)
    case "v": members.event.value = try readCount(name)
    case "woken": members.event.woken = try readBool(name)
    case "jobs", "sem":
      var event = members.event
      try readObject { reader, name throws(Failure) in
        switch name {
        case "queued": event.queued = try reader.readCount(name)
        case "running": event.running = try reader.readCount(name)
        case "waiting": event.waiting = try reader.readCount(name)
        default: try reader.skipValue(depth: 1)
        }
      }
      members.event = event
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
      if readWord().isEmpty { throw Failure(reason: "a value is expected") }
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

  /// Reads a number or a word, such as `true`.
  private mutating func readWord() -> String {
    let begin = at
    while let byte = peek, byte > UInt8(ascii: " "), byte != UInt8(ascii: ","),
      byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]")
    {
      at += 1
    }
    return String(decoding: line[begin..<at], as: UTF8.self)
  }

  private mutating func readNumber(_ name: String) throws(Failure) -> UInt64 {
    guard let value = UInt64(readWord()) else {
      throw Failure(reason: "\"\(name)\" needs a whole number from 0 to 2^64 - 1")
    }
    return value
  }

  /// Reads a number. One above 2^40, such as SIZE_MAX, becomes 2^40, so that sums fit.
  private mutating func readCount(_ name: String) throws(Failure) -> Int {
    Int(min(try readNumber(name), 1 << 40))
  }

  private mutating func readBool(_ name: String) throws(Failure) -> Bool {
    guard let value = Bool(readWord()) else {
      throw Failure(reason: "\"\(name)\" needs true or false")
    }
    return value
  }

  /// Reads a string. Bytes that are not UTF-8 become U+FFFD.
  private mutating func readString(_ name: String) throws(Failure) -> String {
    guard take("\"") else { throw Failure(reason: "\"\(name)\" needs a string") }
    let begin = at
    var hasEscape = false
    while let byte = peek, byte != UInt8(ascii: "\"") {
      hasEscape = hasEscape || byte == UInt8(ascii: "\\")
      at += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    let text = String(decoding: line[begin..<min(at, line.endIndex)], as: UTF8.self)
    guard take("\"") else { throw Failure(reason: "a string has no end") }
    guard hasEscape else { return text }
    guard let decoded = try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))
    else {
      throw Failure(reason: "a string has an unknown escape")
    }
    return decoded
  }
}
