// Reading what has to be read of a file to tell it from others.

internal import SystemPackage
internal import Weir

/// What a lane needs to read files that are to be compared. It writes, for each, a
/// digest, or nothing where the file is not what was found; or `misfit` alone where
/// it is, and its size is not that of what it holds, as in /proc and /sys.
///
/// DESIGN. First the beginning and the end of large files, where most that differ do:
/// headers, and what an archive has at its end. Up to `wholeMaximum` a file is read
/// whole at once: to open it again would cost more than the bytes between, and a disk
/// reads about as much ahead.
final class DuplicatesLane {
  /// How much is read of the beginning of a large file, and as much of its end.
  static let edge = 4096
  /// What is read at once.
  static let wholeMaximum: UInt64 = 65536

  /// What it writes for a file.
  static let recordCount = 16
  /// What it writes for one whose size lies.
  static let misfit: UInt8 = 1

  private let digest: Digest
  private let part = UnsafeMutableRawBufferPointer.allocate(
    byteCount: DuplicatesLane.edge, alignment: 64)

  init() throws(Errno) {
    guard let algorithm = DigestAlgorithm("xxh128") else { throw .notSupported }
    digest = try Digest(algorithm)
  }

  deinit {
    part.deallocate()
  }

  /// - Parameter isWhole: Whether the file is read whole, whatever its size.
  func read(_ file: borrowing OpenFile, isWhole: Bool) throws(Errno) {
    guard let stamp = DuplicatesStamp(file.note) else { throw .invalidArgument }
    try digest.begin()
    let isRead =
      isWhole || stamp.size <= DuplicatesLane.wholeMaximum
      ? try readWhole(file, size: stamp.size) : try readEdges(file, size: stamp.size)
    try digest.finish()
    // What the processor has looked at by now; it costs nothing more.
    guard stamp.matches(file.status) else { return }
    guard isRead else {
      // Where it is being written to the processor sees that, behind this.
      return try file.write(capacity: 1) { memory in
        memory.storeBytes(of: DuplicatesLane.misfit, as: UInt8.self)
        return 1
      }
    }
    let bytes = digest.bytes
    try file.write(capacity: bytes.count) { memory in
      memory.copyMemory(from: bytes)
      return bytes.count
    }
  }

  /// Returns whether there was as much as there was to be.
  private func readWhole(_ file: borrowing OpenFile, size: UInt64) throws(Errno) -> Bool {
    var left = size
    while let piece = try file.read() {
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
