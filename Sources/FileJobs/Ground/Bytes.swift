// Memory, names and values as bytes, and the search in what is sorted.

internal import SystemPackage
internal import Weir
internal import WeirLibC

extension UnsafeRawBufferPointer {
  func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let left = baseAddress, let right = other.baseAddress else { return true }
    return memcmp(left, right, count) == 0
  }

  /// Returns a negative number if the first memory precedes the second, and 0 if they are equal.
  func order(to other: UnsafeRawBufferPointer) -> Int {
    guard let left = baseAddress, let right = other.baseAddress else { return count - other.count }
    let order = Int(memcmp(left, right, Swift.min(count, other.count)))
    return order == 0 ? count - other.count : order
  }

  package func littleEndian<Number: FixedWidthInteger>(at offset: Int) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// The bytes of the slice, as memory whose indices begin at 0.
  package var rebased: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self) }
}

extension Slice<UnsafeMutableRawBufferPointer> {
  package var rebased: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: self)
  }
}

extension UInt8 {
  package static var slash: UInt8 { UInt8(ascii: "/") }

  package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  package var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// The value of a hexadecimal digit; `nil` for another byte.
  var hexadecimalValue: UInt8? {
    if isDigit { return self - UInt8(ascii: "0") }
    let lower = self | 0x20
    return (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(lower)
      ? lower - UInt8(ascii: "a") + 10 : nil
  }
}

extension [UInt8] {
  package mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The bytes without a carriage return at their end.
  var withoutReturn: UnsafeMutableRawBufferPointer {
    last == UInt8(ascii: "\r") ? dropLast().rebased : self
  }
}

extension OpenFile {
  func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    try write(capacity: bytes.count) { memory in
      memory.copyMemory(from: bytes)
      return bytes.count
    }
  }

  func write(bytesOf value: some BitwiseCopyable) throws(Errno) {
    try write(capacity: MemoryLayout.size(ofValue: value)) { memory in
      memory.storeBytes(of: value, as: type(of: value))
      return MemoryLayout.size(ofValue: value)
    }
  }
}

extension UInt64 {
  /// Reads a decimal number without a sign; `nil` if it is anything else, or too large.
  package init?(decimal text: some Collection<UInt8>) {
    if text.isEmpty { return nil }
    self = 0
    for byte in text {
      guard byte.isDigit else { return nil }
      let (ten, isTooLarge) = multipliedReportingOverflow(by: 10)
      let (sum, overflows) = ten.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      if isTooLarge || overflows { return nil }
      self = sum
    }
  }
}

extension Range<Int> {
  /// Returns the first number that satisfies a condition which all later numbers satisfy.
  func binarySearch(where condition: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if condition(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

enum WalkOrder {
  /// Like ``order(to:)``, but a slash precedes every other byte.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if left.hasSameBytes(as: right) { return 0 }
    let count = min(left.count, right.count)
    var index = 0
    while index < count && left[index] == right[index] { index += 1 }
    if index == count { return left.count - right.count }
    let (one, other) = (left[index], right[index])
    if one == .slash { return -1 }
    if other == .slash { return 1 }
    return Int(one) - Int(other)
  }
}

// The parts of a path. swift-system's FilePath would copy each path, and has no component for `.` and
// for a slash at the end.

extension BidirectionalCollection<UInt8> {
  package var lastComponentStart: Index {
    lastIndex(of: .slash).map(index(after:)) ?? startIndex
  }
}

extension UnsafeRawBufferPointer {
  var lastComponent: UnsafeRawBufferPointer { self[lastComponentStart...].rebased }
}

extension [UInt8] {
  package var lastComponent: ArraySlice<UInt8> { self[lastComponentStart...] }

  /// The bytes before the last slash; `.` if there is none, and `/` for a name in the root.
  package var directory: [UInt8] {
    switch lastComponentStart {
    case 0: [UInt8(ascii: ".")]
    case 1: [.slash]
    case let start: Array(self[..<(start - 1)])
    }
  }
}
