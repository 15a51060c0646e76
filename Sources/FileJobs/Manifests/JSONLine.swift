// The format of a JSON object per file.

/// The format of a JSON object per file:
///
/// ```text
/// {"type":"file","path":{"text":"a.c"},"size":3,"digests":{"sha256":"..."}}
/// ```
///
/// A name that is not UTF-8 is `{"bytes":"..."}`, in base64. So every line is valid JSON,
/// and every name can be recovered.
struct JSONLine: Sendable {
  /// `"sha256":"`, with a comma before each but the first.
  private let labels: [[UInt8]]
  private let digitCount: Int
  private let terminator: UInt8

  init(_ algorithms: [DigestAlgorithm], isZeroTerminated: Bool) {
    labels = algorithms.enumerated().map { index, algorithm in
      Array("\(index == 0 ? "" : ",")\"\(algorithm.name)\":\"".utf8)
    }
    digitCount = algorithms.reduce(0) { $0 + $1.byteCount * 2 + 32 }
    terminator = isZeroTerminated ? 0 : UInt8(ascii: "\n")
  }

  /// Returns the maximum number of bytes in a line for a name of `nameCount` bytes.
  func capacity(nameCount: Int) -> Int {
    128 + digitCount + JSONName.capacity(nameCount: nameCount)
  }

  /// Writes a line. Returns the number of bytes.
  func write(
    name: UnsafeRawBufferPointer, size: UInt64, digests: [Digest],
    to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    var line = LineWriter(out)
    line.append("{\"type\":\"file\",\"path\":")
    JSONName.append(name, to: &line)
    line.append(",\"size\":")
    line.append(size)
    line.append(",\"digests\":{")
    for (label, digest) in zip(labels, digests) {
      line.append(label)
      line.append(hexadecimal: digest.bytes)
      line.append(UInt8(ascii: "\""))
    }
    line.append("}}")
    line.append(terminator)
    return line.count
  }
}

/// A name in JSON: `{"text":"..."}`, or `{"bytes":"..."}` in base64.
public enum JSONName {
  /// Returns the maximum number of bytes: `\u001b` takes six for one.
  static func capacity(nameCount: Int) -> Int { 16 + nameCount * 6 }

  /// Returns a name as JSON.
  public static func bytes(of name: UnsafeRawBufferPointer) -> [UInt8] {
    LineWriter.bytes(capacity: capacity(nameCount: name.count)) { append(name, to: &$0) }
  }

  static func append(_ name: UnsafeRawBufferPointer, to line: inout LineWriter) {
    if isUTF8(name) {
      line.append("{\"text\":\"")
      appendText(name, to: &line)
    } else {
      line.append("{\"bytes\":\"")
      appendBase64(name, to: &line)
    }
    line.append("\"}")
  }

  private static func isUTF8(_ name: UnsafeRawBufferPointer) -> Bool {
    if name.allSatisfy({ $0 < 0x80 }) { return true }
    var decoder = Unicode.UTF8.ForwardParser()
    var iterator = name.makeIterator()
    while true {
      switch decoder.parseScalar(from: &iterator) {
      case .valid: continue
      case .emptyInput: return true
      case .error: return false
      }
    }
  }

  /// Appends UTF-8. Characters that a terminal may obey are escaped: people read JSON there too.
  private static func appendText(_ name: UnsafeRawBufferPointer, to line: inout LineWriter) {
    var index = 0
    while index < name.count {
      let byte = name[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""), LineWriter.backslash:
        line.append(LineWriter.backslash)
        line.append(byte)
      case UInt8(ascii: "\n"): line.append("\\n")
      case UInt8(ascii: "\r"): line.append("\\r")
      case UInt8(ascii: "\t"): line.append("\\t")
      case 0..<0x20, 0x7F:
        append(escapeOf: UInt16(byte), to: &line)
      case 0xC2 where name[index] < 0xA0:
        append(escapeOf: UInt16(name[index]), to: &line)
        index += 1
      case 0xE2 where isReordering(name[index], name[index + 1]):
        append(
          escapeOf: 0x2000 | UInt16(name[index] & 0x3F) << 6 | UInt16(name[index + 1] & 0x3F),
          to: &line)
        index += 2
      default: line.append(byte)
      }
    }
  }

  /// Returns true for U+2028 to U+202E, which end a line or reorder the text, and for the
  /// isolates U+2066 to U+2069, by the bytes after 0xE2.
  private static func isReordering(_ second: UInt8, _ third: UInt8) -> Bool {
    (second == 0x80 && (0xA8...0xAE).contains(third))
      || (second == 0x81 && (0xA6...0xA9).contains(third))
  }

  private static func append(escapeOf value: UInt16, to line: inout LineWriter) {
    line.append("\\u")
    for shift in [12, 8, 4, 0] as [UInt16] { line.append(digit(UInt8(value >> shift & 15))) }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  private static func appendBase64(_ name: UnsafeRawBufferPointer, to line: inout LineWriter) {
    var index = 0
    while index < name.count {
      let left = name.count - index
      let first = name[index]
      let second = left > 1 ? name[index + 1] : 0
      let third = left > 2 ? name[index + 2] : 0
      line.append(letter(first >> 2))
      line.append(letter((first & 3) << 4 | second >> 4))
      line.append(left > 1 ? letter((second & 15) << 2 | third >> 6) : UInt8(ascii: "="))
      line.append(left > 2 ? letter(third & 63) : UInt8(ascii: "="))
      index += 3
    }
  }

  private static func letter(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + value - 26
    case 52..<62: UInt8(ascii: "0") + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }
}
