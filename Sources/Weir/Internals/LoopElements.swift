// The elements of a stride.

extension RandomAccessCollection {
  /// The elements at these offsets from the start.
  @inlinable
  func slice(_ begin: Int, _ end: Int) -> SubSequence {
    let first = index(startIndex, offsetBy: begin)
    return self[first..<index(first, offsetBy: end - begin)]
  }
}
