// Values and memory as bytes.

internal import SystemPackage
internal import Weir
internal import WeirLibC

extension UnsafeRawBufferPointer {
  /// Returns true if two pieces of memory contain the same bytes.
  func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let left = baseAddress, let right = other.baseAddress else { return true }
    return memcmp(left, right, count) == 0
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Replaces memory of less than `count` bytes by new memory, without its contents.
  package mutating func ensure(_ count: Int, alignment: Int = 8) {
    if self.count >= count { return }
    deallocate()
    self = .allocate(byteCount: count * 2, alignment: alignment)
  }
}

extension OpenFile {
  /// Writes bytes to the output.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    try write(capacity: bytes.count) { memory in
      memory.copyMemory(from: bytes)
      return bytes.count
    }
  }

  /// Writes the bytes of a value to the output.
  func write(bytesOf value: some BitwiseCopyable) throws(Errno) {
    try write(capacity: MemoryLayout.size(ofValue: value)) { memory in
      memory.storeBytes(of: value, as: type(of: value))
      return MemoryLayout.size(ofValue: value)
    }
  }
}
