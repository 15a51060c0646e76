// The order in which a walk finds names.

/// The order of names in a walk.
enum WalkOrder {
  private static let slash = UInt8(ascii: "/")

  /// Compares two names: a slash precedes every other byte. The result is negative if the
  /// first name precedes the second, and 0 if they are equal.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if left.hasSameBytes(as: right) { return 0 }
    let count = min(left.count, right.count)
    var index = 0
    while index < count && left[index] == right[index] { index += 1 }
    if index == count { return left.count - right.count }
    let (one, other) = (left[index], right[index])
    if one == slash { return -1 }
    if other == slash { return 1 }
    return Int(one) - Int(other)
  }
}
