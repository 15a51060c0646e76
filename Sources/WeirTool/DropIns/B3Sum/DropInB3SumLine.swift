// The lines that b3sum writes about files.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// The line of a file.
///
/// A lane writes the whole line if it has at most 1 KiB of output. Otherwise the lane writes a
/// record: the root of the tree of the file, then the name. The thread that delivers makes the
/// line of it in pieces, because `--length` has no upper limit.
struct DropInB3SumLine: DropInLine {
  private let lanes: DropInB3SumLanes
  private let format: DropInB3SumFormat
  private let length: UInt64
  private let seek: UInt64

  /// The maximum number of bytes of output in a line that a lane writes.
  private static let shortMax: UInt64 = 1 << 10
  /// The number of bytes of output in a piece of a longer line.
  private static let pieceSize: UInt64 = 1 << 14

  init(_ options: DropInB3SumOptions) {
    lanes = DropInB3SumLanes(options)
    format = DropInB3SumFormat(options)
    (length, seek) = (options.length, options.seek)
  }

  private var isLong: Bool { length > DropInB3SumLine.shortMax }

  func makeContent() throws(Errno) -> DropInB3SumContent { try lanes.makeContent() }

  func capacity(_ name: UnsafeRawBufferPointer) -> Int {
    isLong
      ? MemoryLayout<BLAKE3Output>.size + name.count
      : DropInB3SumFormat.capacity(name) + 2 * Int(length)
  }

  func write(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer, _ content: DropInB3SumContent,
    to memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    var line = LineWriter(memory)
    if isLong {
      withUnsafeBytes(of: content.output) { line.append($0) }
      line.append(name)
    } else {
      format.writeStart(of: name, to: &line)
      write(content.output, seek..<seek + length, to: &line)
      format.writeEnd(of: name, to: &line)
    }
    return line.count
  }

  /// Writes a range of the output.
  private func write(_ output: BLAKE3Output, _ range: Range<UInt64>, to line: inout LineWriter) {
    withUnsafeTemporaryAllocation(byteCount: range.count, alignment: 8) { bytes in
      output.write(from: range.lowerBound, to: bytes)
      format.write(output: UnsafeRawBufferPointer(bytes), to: &line)
    }
  }

  // MARK: Delivery

  /// Writes a line to standard output.
  ///
  /// - Parameter written: The line, or the record of a long one.
  func deliver(_ written: UnsafeRawBufferPointer, to streams: DropInStreams) {
    guard isLong else { return streams.write(written) }
    let output = written.loadUnaligned(as: BLAKE3Output.self)
    let name = UnsafeRawBufferPointer(rebasing: written[MemoryLayout<BLAKE3Output>.size...])
    let capacity = DropInB3SumFormat.capacity(name)
    streams.write(LineWriter.bytes(capacity: capacity) { format.writeStart(of: name, to: &$0) })
    var offset = seek
    while offset < seek + length {
      let end = offset + min(DropInB3SumLine.pieceSize, seek + length - offset)
      streams.write(
        LineWriter.bytes(capacity: 2 * Int(end - offset)) { write(output, offset..<end, to: &$0) })
      streams.endIfLost()
      offset = end
    }
    streams.write(LineWriter.bytes(capacity: capacity) { format.writeEnd(of: name, to: &$0) })
  }
}
