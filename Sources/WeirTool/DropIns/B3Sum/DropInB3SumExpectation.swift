// The expectation of a line of a manifest: the digest of a file, and its name as text.

internal import CFileKernels
internal import FileJobs
internal import SystemPackage

/// The note of a file to verify: the digest, then the text of the name in the manifest if that
/// is escaped.
struct DropInB3SumExpectation {
  private let digest: UnsafeRawBufferPointer
  private let text: UnsafeRawBufferPointer
  private let isEscaped: Bool

  private static let digestSize = Int(KERNEL_BLAKE3_LENGTH)

  // MARK: The note

  /// Reads the note of a file.
  init(_ note: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer) {
    digest = UnsafeRawBufferPointer(rebasing: note[..<DropInB3SumExpectation.digestSize])
    let escaped = UnsafeRawBufferPointer(rebasing: note[DropInB3SumExpectation.digestSize...])
    isEscaped = !escaped.isEmpty
    text = isEscaped ? escaped : name
  }

  /// The number of bytes in the note of a line.
  static func noteSize(_ line: DropInB3SumCheckLine) -> Int {
    digestSize + (line.isEscaped ? line.text.count : 0)
  }

  /// Writes the note of a line.
  static func writeNote(of line: DropInB3SumCheckLine, to memory: UnsafeMutableRawBufferPointer) {
    var note = LineWriter(memory)
    note.append(line.digest)
    if line.isEscaped { note.append(line.text) }
  }

  // MARK: The verdict

  /// Returns true if the output from an offset on begins with the digest.
  func isMet(by output: BLAKE3Output, from offset: UInt64) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: DropInB3SumExpectation.digestSize, alignment: 8) {
      bytes in
      output.write(from: offset, to: bytes)
      return bytes.elementsEqual(digest)
    }
  }

  /// Returns the maximum number of bytes that ``write(_:to:)`` writes: a text with escapes has
  /// at most two bytes for each byte of the name.
  static func capacity(_ name: UnsafeRawBufferPointer, _ verdict: [UInt8]) -> Int {
    1 + 2 * name.count + verdict.count
  }

  /// Writes the name as the manifest has it, then a verdict.
  func write(_ verdict: [UInt8], to line: inout LineWriter) {
    if isEscaped { line.append(LineWriter.backslash) }
    line.append(text)
    line.append(verdict)
  }

  /// Returns the line of a file that does not match or could not be read.
  func failure(_ error: Errno) -> [UInt8] {
    let reason = error == .mismatch ? "" : " (\(DropInB3SumText.reason(error)))"
    let verdict = Array(": FAILED\(reason)\n".utf8)
    return LineWriter.bytes(capacity: 1 + text.count + verdict.count) { write(verdict, to: &$0) }
  }
}
