// The format of the lines that b3sum writes.

internal import FileJobs

/// The parts of the line of a file around the output: `DIGITS  NAME`, `BLAKE3 (NAME) = DIGITS`,
/// or the output alone.
///
/// Names are written as bytes. A name that contains a newline or a backslash is escaped, in a
/// line of BSD's format also one that contains a carriage return.
struct DropInB3SumFormat: Sendable {
  let isRaw: Bool
  private let hasNames: Bool
  private let isTagged: Bool

  init(_ options: DropInB3SumOptions) {
    isRaw = options.isRaw
    hasNames = options.hasNames
    isTagged = options.isTagged
  }

  private static let tag: StaticString = "BLAKE3 ("
  private static let tagEnd: StaticString = ") = "

  /// The maximum number of bytes that ``writeStart(of:to:)`` and ``writeEnd(of:to:)`` write.
  static func capacity(_ name: UnsafeRawBufferPointer) -> Int {
    16 + 2 * name.count
  }

  /// Writes what precedes the output.
  func writeStart(of name: UnsafeRawBufferPointer, to line: inout LineWriter) {
    guard hasNames else { return }
    if name.contains(where: isEscaped) { line.append(LineWriter.backslash) }
    guard isTagged else { return }
    line.append(DropInB3SumFormat.tag)
    write(name, to: &line)
    line.append(DropInB3SumFormat.tagEnd)
  }

  /// Writes what follows the output.
  func writeEnd(of name: UnsafeRawBufferPointer, to line: inout LineWriter) {
    if isRaw { return }
    if hasNames && !isTagged {
      line.append("  ")
      write(name, to: &line)
    }
    line.append(UInt8(ascii: "\n"))
  }

  /// Writes bytes of the output, as digits unless they are wanted raw.
  func write(output bytes: UnsafeRawBufferPointer, to line: inout LineWriter) {
    if isRaw { line.append(bytes) } else { line.append(hexadecimal: bytes) }
  }

  private func isEscaped(_ byte: UInt8) -> Bool {
    LineWriter.isEscaped(byte) && (isTagged || byte != UInt8(ascii: "\r"))
  }

  private func write(_ name: UnsafeRawBufferPointer, to line: inout LineWriter) {
    for byte in name {
      if isEscaped(byte) { line.append(escaped: byte) } else { line.append(byte) }
    }
  }
}
