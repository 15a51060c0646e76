// Bytes in memory that grows, and what two pieces of memory share.

internal import WeirLibC

/// Bytes in memory that grows and is reused.
final class ByteBuffer {
  private(set) var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
  var count = 0

  deinit { memory.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Makes room for a number of bytes in all. The first ``count`` stay.
  @inline(__always)
  func reserve(_ capacity: Int) {
    if memory.count < capacity { grow(to: capacity) }
  }

  private func grow(to capacity: Int) {
    let old = memory
    memory = .allocate(byteCount: capacity * 2, alignment: 8)
    memory.copyMemory(from: bytes(of: old))
    old.deallocate()
  }

  private func bytes(of memory: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: memory[..<count])
  }

  /// Replaces the bytes after the first `kept` ones.
  @inline(__always)
  func replace(after kept: Int, by rest: UnsafeRawBufferPointer) {
    count = kept
    reserve(kept + rest.count)
    UnsafeMutableRawBufferPointer(rebasing: memory[kept...]).copyMemory(from: rest)
    count = kept + rest.count
  }

  /// Replaces the bytes after the first `kept` ones by at most `capacity` that a closure writes.
  @inline(__always)
  func replace(after kept: Int, writing capacity: Int, _ body: (inout LineWriter) -> Void) {
    count = kept
    reserve(kept + capacity + 1)
    var line = LineWriter(UnsafeMutableRawBufferPointer(rebasing: memory[kept...]))
    body(&line)
    count = kept + line.count
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the number of bytes with which two pieces of memory begin alike.
  @inline(__always)
  func sharedCount(with other: UnsafeRawBufferPointer) -> Int {
    guard let left = baseAddress, let right = other.baseAddress else { return 0 }
    let end = Swift.min(count, other.count)
    var shared = 0
    while shared + 8 <= end {
      let differing =
        left.loadUnaligned(fromByteOffset: shared, as: UInt64.self)
        ^ right.loadUnaligned(fromByteOffset: shared, as: UInt64.self)
      if differing != 0 { return shared + differing.littleEndian.trailingZeroBitCount / 8 }
      shared += 8
    }
    while shared < end
      && left.load(fromByteOffset: shared, as: UInt8.self)
        == right.load(fromByteOffset: shared, as: UInt8.self)
    { shared += 1 }
    return shared
  }

  /// The number of bytes before the first NUL.
  var keyCount: Int {
    guard let start = baseAddress, let end = memchr(start, 0, count) else { return count }
    return UnsafeRawPointer(end) - start
  }
}
