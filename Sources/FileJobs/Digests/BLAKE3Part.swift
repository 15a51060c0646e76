// DESIGN. BLAKE3 is a tree over chunks of 1 KiB, in which every aligned subtree can be computed
// alone. So pieces of a file are hashed by any thread, each into a few chaining values, and
// joined in the order of the file: a reduce whose partial results are parts of the tree. A
// part may begin and end anywhere, because a file can grow or shrink meanwhile; the bytes
// before its first and after its last subtree stay bytes.

internal import CFileKernels
internal import SystemPackage
internal import Weir

struct BLAKE3Part: Sendable {
  /// The offset of the first byte in the input, and the number of bytes.
  let offset: UInt64
  private(set) var length: UInt64 = 0
  /// The bytes before the first subtree: fewer than a subtree has at least.
  private var head: [UInt8] = []
  /// Subtrees without gaps. Neighbors that form a larger subtree are merged.
  private var subtrees: [kernel_blake3_subtree_t] = []
  /// The bytes after the last subtree: fewer than a subtree has at least.
  private var rest: [UInt8] = []

  private static let subtreeMin = 2048  // KERNEL_BLAKE3_SUBTREE_MIN

  init(at offset: UInt64) {
    self.offset = offset
  }

  private var end: UInt64 { offset + length }

  /// The number of bytes from an offset to the next place where a subtree can begin.
  private static func gap(at offset: UInt64) -> Int {
    Int((0 &- offset) % UInt64(subtreeMin))
  }

  // MARK: Bytes

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var bytes = bytes[...]
    head.append(contentsOf: take(BLAKE3Part.gap(at: offset) - head.count, of: &bytes))
    while !bytes.isEmpty {
      if !rest.isEmpty || bytes.count < BLAKE3Part.subtreeMin {
        appendRest(from: &bytes)
      } else {
        append(subtreeOf: take(subtreeSize(max: bytes.count), of: &bytes))
      }
    }
  }

  /// Completes the bytes after the last subtree, as far as there are bytes.
  private mutating func appendRest(from bytes: inout Slice<UnsafeRawBufferPointer>) {
    rest.append(contentsOf: take(BLAKE3Part.subtreeMin - rest.count, of: &bytes))
    guard rest.count == BLAKE3Part.subtreeMin else { return }
    let block = rest
    rest.removeAll(keepingCapacity: true)
    block.withUnsafeBytes { append(subtreeOf: $0) }
  }

  private mutating func take(
    _ count: Int, of bytes: inout Slice<UnsafeRawBufferPointer>
  ) -> UnsafeRawBufferPointer {
    let taken = bytes.prefix(count).rebased
    bytes = bytes.dropFirst(count)
    length += UInt64(taken.count)
    return taken
  }

  /// The size of the largest subtree that begins at the end.
  private func subtreeSize(max count: Int) -> Int {
    let fitting = 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount)
    return min(fitting, end == 0 ? fitting : 1 << min(end.trailingZeroBitCount, 62))
  }

  // MARK: Subtrees

  /// Adds the subtree of the last bytes that were counted.
  private mutating func append(subtreeOf bytes: UnsafeRawBufferPointer) {
    let offset = end - UInt64(bytes.count)
    var subtree = kernel_blake3_subtree_t()
    let isDone = kernel_blake3_subtree(bytes.baseAddress, bytes.count, offset, &subtree)
    precondition(isDone, "a subtree of \(bytes.count) bytes at \(offset)")
    append(subtree)
  }

  /// Adds a subtree, and merges it with its neighbors as far as possible.
  private mutating func append(_ subtree: kernel_blake3_subtree_t) {
    subtrees.append(subtree)
    while subtrees.count > 1 {
      let last = subtrees[subtrees.count - 1]
      let isMerged = withUnsafePointer(to: last) {
        kernel_blake3_subtree_grow(&subtrees[subtrees.count - 2], $0)
      }
      if !isMerged { return }
      subtrees.removeLast()
    }
  }

  /// Adds the part that follows. Ignores a part that does not: the file was shorter for a
  /// moment, and a reader that had come to its end would not have seen that part either.
  mutating func append(_ next: BLAKE3Part) {
    guard next.offset == end, next.length > 0 else { return }
    next.head.withUnsafeBytes { append($0) }
    if !next.subtrees.isEmpty {
      precondition(
        rest.isEmpty, "a part at \(next.offset) has subtrees, but the one before has not")
      length += next.length - UInt64(next.head.count + next.rest.count)
      for subtree in next.subtrees { append(subtree) }
    }
    next.rest.withUnsafeBytes { append($0) }
  }

  /// Adds the part to a hasher. The part begins where the hasher is.
  func join(_ hasher: inout kernel_blake3_t) {
    head.withUnsafeBytes { kernel_blake3_update(&hasher, $0.baseAddress, $0.count) }
    for subtree in subtrees {
      let isJoined = withUnsafePointer(to: subtree) { kernel_blake3_join(&hasher, $0) }
      precondition(isJoined, "a subtree at \(subtree.offset) is out of place")
    }
    rest.withUnsafeBytes { kernel_blake3_update(&hasher, $0.baseAddress, $0.count) }
  }
}

extension Digest {
  /// The number of bytes that one thread hashes at a time.
  private static let pieceSize = 4 << 20

  /// Adds the rest of a big file, hashed together with helpers, if the algorithm is BLAKE3. Returns
  /// the number of bytes, which is 0 if nothing was done.
  func computeRest(
    _ file: borrowing OpenFile, after first: UInt64, with helpers: HelperLanes
  ) throws(Errno) -> UInt64 {
    guard let blake3, let lanes = helpers.lanes(for: file) else { return 0 }
    let part = try file.concurrentReduce(
      on: lanes, helpers: helpers.count, pieceSize: Digest.pieceSize
    ) { offset in
      BLAKE3Part(at: first + offset)
    } accumulate: { (part, bytes) throws(Errno) in
      part.append(bytes)
    } combine: { (sum, next) throws(Errno) in
      sum.append(next)
    }
    part.join(&blake3.pointee)
    return part.length
  }
}
