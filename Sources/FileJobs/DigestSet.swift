// Several digests of one file, from one read.

#if Tool
  internal import SystemPackage
  internal import Weir

  /// The digests of a file by several algorithms. A lane owns it.
  final class DigestSet {
    let digests: [Digest]
    /// How many bytes the digests computed last are of.
    private(set) var size: UInt64 = 0

    /// What all algorithms read before the next piece: it stays in the nearer
    /// caches of the core.
    private static let pieceMax = 1 << 16

    init(_ algorithms: [DigestAlgorithm]) throws(Errno) {
      var digests: [Digest] = []
      for algorithm in algorithms { digests.append(try Digest(algorithm)) }
      self.digests = digests
    }

    /// Computes them of what is left of a file.
    func compute(_ file: borrowing OpenFile) throws(Errno) {
      size = 0
      for digest in digests { try digest.begin() }
      while let piece = try file.read() {
        size += UInt64(piece.count)
        try update(piece)
      }
      for digest in digests { try digest.finish() }
    }

    private func update(_ piece: UnsafeRawBufferPointer) throws(Errno) {
      if digests.count == 1 { return try digests[0].update(piece) }
      var begin = 0
      while begin < piece.count {
        let end = min(begin + DigestSet.pieceMax, piece.count)
        let part = UnsafeRawBufferPointer(rebasing: piece[begin..<end])
        for digest in digests { try digest.update(part) }
        begin = end
      }
    }
  }
#endif
