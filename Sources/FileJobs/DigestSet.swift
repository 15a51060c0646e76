// Several digests of one file, from one read.

#if Tool
  internal import SystemPackage
  internal import Weir

  /// The digests of a file by several algorithms. A lane owns it.
  final class DigestSet {
    let digests: [Digest]
    /// How many bytes the digests computed last are of.
    private(set) var size: UInt64 = 0

    init(_ algorithms: [DigestAlgorithm]) throws(Errno) {
      var digests: [Digest] = []
      for algorithm in algorithms { digests.append(try Digest(algorithm)) }
      self.digests = digests
    }

    /// Computes them of what is left of a file.
    func compute(_ file: borrowing OpenFile) throws(Errno) {
      size = try digests.compute(file)
    }
  }

  /// What all algorithms read before the next part: it stays in the nearer caches
  /// of the core.
  private let partMax = 1 << 16

  extension [Digest] {
    /// Computes all of them of what is left of a file. Returns how many bytes that
    /// were.
    func compute(_ file: borrowing OpenFile) throws(Errno) -> UInt64 {
      var size: UInt64 = 0
      for digest in self { try digest.begin() }
      while let piece = try file.read() {
        size += UInt64(piece.count)
        if count == 1 { try self[0].update(piece) } else { try update(inParts: piece) }
      }
      for digest in self { try digest.finish() }
      return size
    }

    private func update(inParts piece: UnsafeRawBufferPointer) throws(Errno) {
      var begin = 0
      while begin < piece.count {
        let end = Swift.min(begin + partMax, piece.count)
        let part = UnsafeRawBufferPointer(rebasing: piece[begin..<end])
        for digest in self { try digest.update(part) }
        begin = end
      }
    }
  }
#endif
