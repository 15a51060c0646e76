// Several digests of one file, from one read.

internal import SystemPackage
internal import Weir

/// The digests of a file by several algorithms. A lane owns it.
final class DigestSet {
  let digests: [Digest]
  /// The digest where there is one alone, as mostly: an array's elements are
  /// retained for each file.
  private let only: Digest?
  /// How many bytes the digests computed last are of.
  private(set) var size: UInt64 = 0
  /// What another name of the file needs to know: the size, and the digests
  /// one after the other.
  private let memo: UnsafeMutableRawBufferPointer

  init(_ algorithms: [DigestAlgorithm]) throws(Errno) {
    var digests: [Digest] = []
    for algorithm in algorithms { digests.append(try Digest(algorithm)) }
    self.digests = digests
    only = digests.count == 1 ? digests[0] : nil
    let length = digests.reduce(MemoryLayout<UInt64>.size) { $0 + $1.byteCount }
    memo = .allocate(byteCount: length, alignment: MemoryLayout<UInt64>.alignment)
  }

  deinit {
    memo.deallocate()
  }

  /// Computes them of what is left of a file, unless they are known by another
  /// of its names.
  func compute(_ file: borrowing OpenFile) throws(Errno) {
    if let known = file.remembered, recall(known) { return }
    size = if let only { try only.computeSize(file) } else { try digests.compute(file) }
    if file.isAwaited { file.remember(memorized()) }
  }

  /// Computes them and another one, whatever is known by another name.
  func compute(_ file: borrowing OpenFile, with other: Digest) throws(Errno) {
    size = try (digests + [other]).compute(file)
  }

  /// The digests of another name. Whether that is what was left there.
  private func recall(_ known: UnsafeRawBufferPointer) -> Bool {
    guard known.count == memo.count else { return false }
    size = known.loadUnaligned(as: UInt64.self)
    var begin = MemoryLayout<UInt64>.size
    for digest in digests {
      let end = begin + digest.byteCount
      digest.restore(UnsafeRawBufferPointer(rebasing: known[begin..<end]))
      begin = end
    }
    return true
  }

  private func memorized() -> UnsafeRawBufferPointer {
    memo.storeBytes(of: size, as: UInt64.self)
    var begin = MemoryLayout<UInt64>.size
    for digest in digests {
      let end = begin + digest.byteCount
      UnsafeMutableRawBufferPointer(rebasing: memo[begin..<end]).copyMemory(from: digest.bytes)
      begin = end
    }
    return UnsafeRawBufferPointer(memo)
  }
}

/// What all algorithms read before the next part: it stays in the nearer caches
/// of the core.
private let partMax = 1 << 16

extension Digest {
  /// Computes it of what is left of a file. Returns how many bytes that were.
  func computeSize(_ file: borrowing OpenFile) throws(Errno) -> UInt64 {
    var size: UInt64 = 0
    try begin()
    while let piece = try file.read() {
      size += UInt64(piece.count)
      try update(piece)
    }
    try finish()
    return size
  }
}

extension [Digest] {
  /// Computes all of them of what is left of a file. Returns how many bytes that
  /// were.
  func compute(_ file: borrowing OpenFile) throws(Errno) -> UInt64 {
    var size: UInt64 = 0
    for digest in self { try digest.begin() }
    while let piece = try file.read() {
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
      let part = UnsafeRawBufferPointer(rebasing: piece[begin..<end])
      for digest in self { try digest.update(part) }
      begin = end
    }
  }
}
