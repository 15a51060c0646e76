// The parser of the first line of a plan.

/// A parser of the object that ``PlanHeader/json`` writes. It accepts nothing else: keys in
/// another order, blanks between them and leading zeros are errors.
struct PlanHeaderParser {
  private let text: ArraySlice<UInt8>
  private var index: Int

  init(_ text: ArraySlice<UInt8>) {
    self.text = text
    index = text.startIndex
  }

  /// Returns the version of a plan's first line; `nil` if the line is not that of a plan.
  static func version(of text: ArraySlice<UInt8>) -> UInt64? {
    var parser = PlanHeaderParser(text)
    return parser.take(PlanHeader.begin) ? parser.number() : nil
  }

  /// Returns the header; `nil` if the text is not one of this version.
  static func header(in text: ArraySlice<UInt8>) -> PlanHeader? {
    var parser = PlanHeaderParser(text)
    guard let header = parser.header() else { return nil }
    return header.json.elementsEqual(text) ? header : nil
  }

  private mutating func header() -> PlanHeader? {
    guard take(PlanHeader.begin), number() == PlanHeader.version,
      let id = string(after: ",\"plan\":"), id.count == 64,
      let shards = number(after: ",\"shards\":"), (1...UInt64(PlanHeader.shardsMax)) ~= shards,
      let by = string(after: ",\"by\":"),
      let strategy = ShardStrategy(rawValue: String(decoding: by, as: UTF8.self)),
      take(",\"root\":"), let root = name()
    else { return nil }
    var header = PlanHeader(shards: Int(shards), strategy: strategy, root: root)
    header.id = String(decoding: id, as: UTF8.self)
    guard let files = number(after: ",\"files\":"), let bytes = number(after: ",\"bytes\":"),
      let entries = number(after: ",\"entries\":"), let length = number(after: ",\"length\":"),
      let unreadable = number(after: ",\"unreadable\":"),
      let filtered = number(after: ",\"filtered\":"),
      let excluded = number(after: ",\"excluded\":"), let named = namedInputs(),
      let shardFiles = numbers(after: ",\"shard_files\":["), shardFiles.count == Int(shards),
      let shardBytes = numbers(after: ",\"shard_bytes\":["), shardBytes.count == Int(shards),
      take("}")
    else { return nil }
    (header.files, header.bytes, header.entries, header.length) = (files, bytes, entries, length)
    (header.unreadable, header.filtered, header.excluded) = (unreadable, filtered, excluded)
    (header.named, header.shardFiles, header.shardBytes) = (named, shardFiles, shardBytes)
    return header
  }

  mutating func namedInputs() -> PlanNamedInputs? {
    guard let bytes = number(after: ",\"named\":{\"bytes\":"),
      let hasOther = boolean(after: ",\"other\":"),
      let isSingle = boolean(after: ",\"single\":"), take("}")
    else { return nil }
    return PlanNamedInputs(bytes: bytes, hasOther: hasOther, isSingle: isSingle)
  }

  // MARK: Values

  mutating func take(_ word: String) -> Bool {
    guard text[index...].starts(with: word.utf8) else { return false }
    index += word.utf8.count
    return true
  }

  mutating func number() -> UInt64? {
    let digits = text[index...].prefix { (0x30...0x39).contains($0) }
    index = digits.endIndex
    return UInt64(String(decoding: digits, as: UTF8.self))
  }

  mutating func number(after key: String) -> UInt64? { take(key) ? number() : nil }

  mutating func boolean(after key: String) -> Bool? {
    guard take(key) else { return nil }
    if take("true") { return true }
    return take("false") ? false : nil
  }

  private mutating func numbers(after key: String) -> [UInt64]? {
    guard take(key) else { return nil }
    var all: [UInt64] = []
    while let number = number() {
      all.append(number)
      if take("]") { return all }
      guard take(",") else { return nil }
    }
    return nil
  }

  mutating func string(after key: String) -> [UInt8]? { take(key) ? string() : nil }

  /// A string, or an object with the bytes of a string in base64.
  mutating func name() -> [UInt8]? {
    guard take("{\"bytes\":") else { return string() }
    guard let letters = string(), let bytes = PlanHeaderParser.bytes(base64: letters),
      take("}")
    else { return nil }
    return bytes
  }

  private mutating func string() -> [UInt8]? {
    guard take("\"") else { return nil }
    var bytes: [UInt8] = []
    while index < text.endIndex {
      let byte = text[index]
      index += 1
      if byte == UInt8(ascii: "\"") { return bytes }
      guard byte == LineWriter.backslash else {
        bytes.append(byte)
        continue
      }
      guard let escaped = escape() else { return nil }
      bytes.append(escaped)
    }
    return nil
  }

  /// The byte of an escape sequence, after its backslash.
  private mutating func escape() -> UInt8? {
    guard index < text.endIndex else { return nil }
    let letter = text[index]
    index += 1
    switch letter {
    case UInt8(ascii: "\""), LineWriter.backslash: return letter
    case UInt8(ascii: "n"): return UInt8(ascii: "\n")
    case UInt8(ascii: "r"): return UInt8(ascii: "\r")
    case UInt8(ascii: "t"): return UInt8(ascii: "\t")
    case UInt8(ascii: "u"):
      let digits = text[index...].prefix(4)
      index = digits.endIndex
      return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    default: return nil
    }
  }

  private static func bytes(base64 letters: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count) = (UInt32(0), 0)
    for letter in letters {
      if letter == UInt8(ascii: "=") { break }
      guard let value = value(base64: letter) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }

  private static func value(base64 letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
