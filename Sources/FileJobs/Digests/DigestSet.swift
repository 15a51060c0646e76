internal import SystemPackage
internal import Weir

/// The digests of a file by several algorithms. A lane owns the set.
final class DigestSet {
  let digests: [Digest]
  private let algorithms: [DigestAlgorithm]
  /// The only digest, in the usual case of one algorithm. Elements of an array are
  /// retained for each file; this reference is not.
  private let only: Digest?
  /// The lanes that help with a big file; for a single digest only.
  private let helpers: HelperLanes?
  private(set) var size: UInt64 = 0
  /// The result for other names of the same file: the size, then each digest.
  private let memo: UnsafeMutableRawBufferPointer

  init(_ algorithms: [DigestAlgorithm], helpers: HelperLanes? = nil) throws(Errno) {
    self.helpers = helpers
    var digests: [Digest] = []
    for algorithm in algorithms { digests.append(try Digest(algorithm)) }
    self.digests = digests
    self.algorithms = algorithms
    only = digests.count == 1 ? digests[0] : nil
    let length = digests.reduce(MemoryLayout<UInt64>.size) { $0 + $1.byteCount }
    memo = .allocate(byteCount: length, alignment: MemoryLayout<UInt64>.alignment)
  }

  deinit {
    memo.deallocate()
  }

  /// Takes the digests over from another name of the same file, or computes those of the rest.
  func compute(_ file: borrowing OpenFile) throws(Errno) {
    if let known = file.remembered, recall(known) { return }
    size = if let only { try only.compute(file, with: helpers) } else { try digests.compute(file) }
    if file.isAwaited { file.remember(memorized()) }
  }

  /// The digests computed last, as values that can be kept.
  var values: FileDigests {
    FileDigests(
      size: size,
      all: zip(algorithms, digests).map { algorithm, digest in
        FileDigest(algorithm: algorithm, bytes: Array(digest.bytes))
      })
  }

  /// Computes the digests and another one. Takes nothing over from other names.
  func compute(_ file: borrowing OpenFile, with other: Digest) throws(Errno) {
    size = try (digests + [other]).compute(file)
  }

  /// Restores the result of another name. Returns false if the memo is not one of this set.
  private func recall(_ known: UnsafeRawBufferPointer) -> Bool {
    guard known.count == memo.count else { return false }
    size = known.loadUnaligned(as: UInt64.self)
    forEachDigest { digest, range in
      digest.restore(known[range].rebased)
    }
    return true
  }

  private func memorized() -> UnsafeRawBufferPointer {
    memo.storeBytes(of: size, as: UInt64.self)
    forEachDigest { digest, range in
      memo[range].rebased.copyMemory(from: digest.bytes)
    }
    return UnsafeRawBufferPointer(memo)
  }

  private func forEachDigest(_ body: (Digest, Range<Int>) -> Void) {
    var begin = MemoryLayout<UInt64>.size
    for digest in digests {
      let end = begin + digest.byteCount
      body(digest, begin..<end)
      begin = end
    }
  }
}

/// The bytes that all algorithms digest before the next part, which stay in a core's inner caches.
private let partMax = 1 << 16

extension [Digest] {
  func compute(_ file: borrowing OpenFile) throws(Errno) -> UInt64 {
    var size: UInt64 = 0
    for digest in self { try digest.begin() }
    while let piece = try file.readPiece() {
      size += UInt64(piece.count)
      try update(inParts: piece)
    }
    for digest in self { try digest.finish() }
    return size
  }

  private func update(inParts piece: UnsafeRawBufferPointer) throws(Errno) {
    var begin = 0
    while begin < piece.count {
      let end = Swift.min(begin + partMax, piece.count)
      let part = piece[begin..<end].rebased
      for digest in self { try digest.update(part) }
      begin = end
    }
  }
}
