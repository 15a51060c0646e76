// Comparison of memory.

internal import Glibc

extension UnsafeRawBufferPointer {
  /// Returns true if two pieces of memory contain the same bytes.
  func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let left = baseAddress, let right = other.baseAddress else { return true }
    return memcmp(left, right, count) == 0
  }
}
