internal import CFileKernels

/// Writes bytes one after the other into memory whose size is known to suffice.
package struct LineWriter {
  package static let backslash = UInt8(ascii: "\\")

  private let start: UnsafeMutablePointer<UInt8>
  package private(set) var count = 0

  package init(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { fatalError("a line needs memory") }
    self.start = start.assumingMemoryBound(to: UInt8.self)
  }

  /// Returns the bytes that `body` writes, at most `capacity`.
  package static func bytes(capacity: Int, _ body: (inout LineWriter) -> Void) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: max(capacity, 1)) { memory, count in
      var line = LineWriter(UnsafeMutableRawBufferPointer(memory))
      body(&line)
      count = line.count
    }
  }

  /// Returns true if a line of text escapes a byte of a name.
  package static func isEscaped(_ byte: UInt8) -> Bool {
    byte == backslash || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  package mutating func append(_ byte: UInt8) {
    start[count] = byte
    count += 1
  }

  func replace(at place: Int, by byte: UInt8) { start[place] = byte }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if let source = bytes.baseAddress {
      UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
      count += bytes.count
    }
  }

  package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  package mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a name with its escapes. It takes at most two bytes for each byte.
  package mutating func append(escaping bytes: UnsafeRawBufferPointer) {
    for byte in bytes {
      if LineWriter.isEscaped(byte) { append(escaped: byte) } else { append(byte) }
    }
  }

  package mutating func append(escaped byte: UInt8) {
    append(LineWriter.backslash)
    switch byte {
    case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
    default: append(byte)
    }
  }

  package mutating func append(hexadecimal bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    kernel_hexadecimal(
      UnsafeMutableRawPointer(start + count).assumingMemoryBound(to: CChar.self),
      source.assumingMemoryBound(to: UInt8.self), bytes.count)
    count += bytes.count * 2
  }

  package mutating func append(_ number: UInt64) {
    // From the last digit to the first: a division by ten compiles to a multiplication, a
    // division by the place value of each digit does not.
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

extension [UInt8] {
  package mutating func append(escaping name: UnsafeRawBufferPointer) {
    self += LineWriter.bytes(capacity: 2 * name.count) { $0.append(escaping: name) }
  }
}
