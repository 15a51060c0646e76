// Names in the output of GNU's checksum tools.

/// Writes bytes one after the other into memory that is known to suffice.
struct ByteWriter {
  private let start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0

  init(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { fatalError("a line needs memory") }
    self.start = start.assumingMemoryBound(to: UInt8.self)
  }

  /// Where the next byte goes.
  var end: UnsafeMutablePointer<UInt8> { start + count }

  mutating func append(_ byte: UInt8) {
    start[count] = byte
    count += 1
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    UnsafeMutableRawPointer(end).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Says that so many bytes were written at ``end``.
  mutating func advance(by written: Int) { count += written }
}

/// A name as it stands in a line.
struct DropInName {
  private let bytes: UnsafeRawBufferPointer
  /// Whether it is written with escapes, which a backslash at the beginning of
  /// the line tells.
  let isEscaped: Bool

  /// Which names are written with escapes.
  enum Escaping {
    /// None: lines end in NUL.
    case none
    /// Those with a newline, as in what is said of a file that was verified.
    case newlines
    /// Those with a newline, a carriage return or a backslash.
    case all
  }

  init(_ bytes: UnsafeRawBufferPointer, _ escaping: Escaping) {
    self.bytes = bytes
    isEscaped =
      switch escaping {
      case .none: false
      case .newlines: bytes.contains(UInt8(ascii: "\n"))
      case .all: bytes.contains { DropInName.letter(for: $0) != nil }
      }
  }

  /// The most bytes it takes, the backslash at the beginning aside.
  var capacity: Int { isEscaped ? 2 * bytes.count : bytes.count }

  func write(to line: inout ByteWriter) {
    guard isEscaped else { return line.append(bytes) }
    for byte in bytes {
      if let letter = DropInName.letter(for: byte) {
        line.append(UInt8(ascii: "\\"))
        line.append(letter)
      } else {
        line.append(byte)
      }
    }
  }

  /// What stands behind the backslash for a byte that is escaped.
  private static func letter(for byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\\"): UInt8(ascii: "\\")
    case UInt8(ascii: "\n"): UInt8(ascii: "n")
    case UInt8(ascii: "\r"): UInt8(ascii: "r")
    default: nil
    }
  }
}
