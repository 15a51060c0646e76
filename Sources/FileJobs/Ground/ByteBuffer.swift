internal import WeirLibC

/// Bytes in memory that grows and is reused. One thread at a time uses it: that is not checked for
/// each record.
package final class ByteBuffer {
  @exclusivity(unchecked) private var start: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var capacity = 0
  @exclusivity(unchecked) var count = 0

  package init() {}

  deinit { free(start) }

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
  var memory: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: start, count: capacity)
  }

  /// Makes room for a number of bytes in all. The first ``count`` stay.
  @inline(__always)
  func reserve(_ needed: Int) {
    if capacity < needed { grow(to: needed) }
  }

  private func grow(to needed: Int) {
    capacity = max(needed, capacity * 2, 1024)
    start = realloc(start, capacity)
    if start == nil { fatalError("a buffer has no memory") }
  }

  /// Replaces the bytes by a copy, which is valid until the next change.
  package func hold(_ copied: some Collection<UInt8>) -> UnsafeRawBufferPointer {
    count = copied.count
    reserve(count)
    memory.copyBytes(from: copied)
    return bytes
  }

  /// Moves some of the bytes to the beginning, and forgets the others.
  func move(_ part: UnsafeRawBufferPointer) {
    if let from = part.baseAddress {
      memory.baseAddress?.copyMemory(from: from, byteCount: part.count)
    }
    count = part.count
  }

  func removeAll() {
    free(start)
    (start, capacity, count) = (nil, 0, 0)
  }

  /// Adds uninitialized bytes at the end, and returns them.
  func extend(by length: Int) -> UnsafeMutablePointer<UInt8> {
    reserve(count + length)
    defer { count += length }
    guard let start else { fatalError("a buffer has no memory") }
    return start.assumingMemoryBound(to: UInt8.self) + count
  }

  /// Replaces the bytes after the first `kept` ones.
  @inline(__always)
  func replace(after kept: Int, by rest: UnsafeRawBufferPointer) {
    count = kept
    reserve(kept + rest.count)
    memory[kept...].rebased.copyMemory(from: rest)
    count = kept + rest.count
  }

  /// Replaces the bytes after the first `kept` ones by at most `capacity` that a closure writes.
  @inline(__always)
  func replace(after kept: Int, writing capacity: Int, _ body: (inout LineWriter) -> Void) {
    count = kept
    reserve(kept + capacity + 1)
    var line = LineWriter(memory[kept...].rebased)
    body(&line)
    count = kept + line.count
  }
}

extension ByteBuffer {
  func append(_ bytes: UnsafeRawBufferPointer) { replace(after: count, by: bytes) }
  func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

  /// Appends at most `capacity` bytes. The closure returns their number.
  @inline(__always)
  func append(capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
    reserve(count + capacity)
    count += body(memory[count...].rebased)
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
