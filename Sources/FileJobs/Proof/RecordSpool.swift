// Records in a file without a name, found again by their offsets.

internal import SystemPackage
internal import Weir
internal import WeirLibC

/// Records that take no memory. They are appended first, and read afterwards, in any order; records
/// that lie one after the other are read from one piece.
final class RecordSpool {
  private let file: FileDescriptor
  private let writer: BufferedWriter
  /// The piece that was read last, and its offset.
  private var piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 8)
  private var filled = 0..<0

  private static let pieceSize = 1 << 16
  /// Records begin at multiples of eight, after their size.
  private static let alignment = 8

  /// - Parameter path: The file lies in the directory of this one.
  init(beside path: [UInt8]) throws(Errno) {
    file = try ReplacingFile.unnamed(beside: path)
    writer = BufferedWriter(file)
  }

  deinit {
    piece.deallocate()
    close(file.rawValue)
  }

  /// Appends a record. Returns its offset.
  func append(_ record: [UInt8]) throws(Errno) -> Int {
    let offset = writer.count
    var head: [UInt8] = []
    head.append(littleEndian: UInt64(record.count))
    try writer.append(head)
    try writer.append(record)
    try writer.append([UInt8](repeating: 0, count: -writer.count & (RecordSpool.alignment - 1)))
    return offset
  }

  /// Must be called after the last record was appended.
  func finish() throws(Errno) { try writer.flush() }

  /// Reads the record at an offset; valid until the next one is read.
  func record(at offset: Int) throws(Errno) -> UnsafeRawBufferPointer {
    let size: UInt64 = try bytes(at: offset, RecordSpool.alignment).littleEndian(at: 0)
    return try bytes(at: offset + RecordSpool.alignment, Int(size))
  }

  private func bytes(at offset: Int, _ count: Int) throws(Errno) -> UnsafeRawBufferPointer {
    if offset < filled.lowerBound || offset + count > filled.upperBound {
      filled = 0..<0
      piece.ensure(count)
      filled = offset..<offset + (try file.read(filling: piece, at: offset))
      if filled.count < count { throw .ioError }
    }
    let begin = offset - filled.lowerBound
    return UnsafeRawBufferPointer(rebasing: piece[begin..<begin + count])
  }
}
