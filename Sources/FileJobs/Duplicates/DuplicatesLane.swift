internal import SystemPackage
internal import Weir

/// The context of a lane that reads candidates. For each file it writes a digest; nothing
/// if the file has changed since it was found; or `sizeMismatch` alone if the size of the
/// file is not that of its content, as in /proc and /sys.
///
/// DESIGN. Most different large files differ at the beginning or the end: headers, and what an
/// archive has at its end. A file of at most `wholeMaximum` bytes is read at once: to open it again
/// would cost more than the bytes between, and a disk reads about as much ahead.
final class DuplicatesLane {
  /// The number of bytes at the beginning, and at the end, of a large file.
  static let edge = 4096
  static let wholeMaximum: UInt64 = 65536

  static let recordCount = 16
  static let sizeMismatch: UInt8 = 1

  private let digest: Digest
  private let part = UnsafeMutableRawBufferPointer.allocate(
    byteCount: DuplicatesLane.edge, alignment: 64)

  /// - Parameter algorithm: One with digests of 128 bits or more.
  init(_ algorithm: DigestAlgorithm) throws(Errno) { digest = try Digest(algorithm) }

  deinit {
    part.deallocate()
  }

  /// - Parameter isWhole: True if the file is read completely, whatever its size.
  func read(_ file: borrowing OpenFile, isWhole: Bool) throws(Errno) {
    guard let metadata = DuplicatesMetadata(file.lentNote) else { throw .invalidArgument }
    // A directory above the file may have become a link to another tree since the walk. The
    // processor detects later changes.
    guard metadata.matches(file.status) else { return }
    try digest.begin()
    let isRead =
      isWhole || metadata.size <= DuplicatesLane.wholeMaximum
      ? try readWhole(file, size: metadata.size) : try readEdges(file, size: metadata.size)
    try digest.finish()
    guard isRead else {
      // If another process writes the file, the processor detects that afterwards.
      return try file.write(bytesOf: DuplicatesLane.sizeMismatch)
    }
    try file.write(digest.bytes.prefix(DuplicatesLane.recordCount).rebased)
  }

  /// Returns false if the content has another size.
  private func readWhole(_ file: borrowing OpenFile, size: UInt64) throws(Errno) -> Bool {
    var left = size
    while let piece = try file.readPiece() {
      guard UInt64(piece.count) <= left else { return false }
      left -= UInt64(piece.count)
      try digest.update(piece)
    }
    return left == 0
  }

  private func readEdges(_ file: borrowing OpenFile, size: UInt64) throws(Errno) -> Bool {
    for offset in [0, size - UInt64(part.count)] {
      guard try file.read(at: offset, into: part) == part.count else { return false }
      try digest.update(UnsafeRawBufferPointer(part))
    }
    return true
  }
}
