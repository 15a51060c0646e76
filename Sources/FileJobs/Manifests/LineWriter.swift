// Writing a line into memory.

internal import CFileKernels

/// Writes bytes one after the other into memory that is known to suffice.
struct LineWriter {
  static let backslash = UInt8(ascii: "\\")

  private let start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0

  init(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { fatalError("a line needs memory") }
    self.start = start.assumingMemoryBound(to: UInt8.self)
  }

  /// Whether a byte of a name is escaped in a line of text.
  static func isEscaped(_ byte: UInt8) -> Bool {
    byte == backslash || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  mutating func append(_ byte: UInt8) {
    start[count] = byte
    count += 1
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if let source = bytes.baseAddress {
      UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
      count += bytes.count
    }
  }

  mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// A name as it stands in a line of text.
  mutating func append(escaping bytes: UnsafeRawBufferPointer) {
    for byte in bytes {
      guard LineWriter.isEscaped(byte) else {
        append(byte)
        continue
      }
      append(LineWriter.backslash)
      switch byte {
      case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
      case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
      default: append(byte)
      }
    }
  }

  /// A digest, two digits a byte.
  mutating func append(_ digest: Digest) {
    digest.writeHexadecimal(to: start + count)
    count += digest.byteCount * 2
  }

  /// Bytes as hexadecimal digits, two a byte.
  mutating func append(hexadecimal bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    kernel_hexadecimal(
      UnsafeMutableRawPointer(start + count).assumingMemoryBound(to: CChar.self),
      source.assumingMemoryBound(to: UInt8.self), bytes.count)
    count += bytes.count * 2
  }

  /// A number in decimal.
  mutating func append(_ number: UInt64) {
    // From the last digit on: to divide by ten is to multiply, to divide by the
    // place of each digit is not.
    var rest = number
    var digits = 1
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    rest = number
    for place in stride(from: count + digits - 1, through: count, by: -1) {
      start[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += digits
  }
}
