// The names of files in the manifests of a bag.
//
// DESIGN. A name may not contain the end of a line, so RFC 8493 has %0A and %0D for it, and %25 for
// the percent sign. Before version 1.0 the percent sign meant itself. Any other %XX is no escape
// in either, and stays: bags with names such as `%7Ehome` exist.

enum BagName {
  private static let percent = UInt8(ascii: "%")
  private static let slash = UInt8(ascii: "/")

  static func encoded(_ name: some Sequence<UInt8>, isOld: Bool) -> [UInt8] {
    var out: [UInt8] = []
    for byte in name {
      switch byte {
      case UInt8(ascii: "\n"): out += "%0A".utf8
      case UInt8(ascii: "\r"): out += "%0D".utf8
      case percent where !isOld: out += "%25".utf8
      default: out.append(byte)
      }
    }
    return out
  }

  /// Decodes a name in place, without a `./` at its beginning.
  static func decode(_ name: UnsafeMutableRawBufferPointer, isOld: Bool) -> UnsafeRawBufferPointer {
    var from = 0
    while from + 1 < name.count && name[from] == UInt8(ascii: ".") && name[from + 1] == slash {
      from += 2
    }
    let begin = from
    var to = from
    while from < name.count {
      var byte = name[from]
      if byte == percent, from + 2 < name.count,
        let meant = meaning(name[from + 1], name[from + 2] & ~0x20, name[from + 2], isOld: isOld)
      {
        byte = meant
        from += 2
      }
      name[to] = byte
      to += 1
      from += 1
    }
    return UnsafeRawBufferPointer(rebasing: name[begin..<to])
  }

  private static func meaning(
    _ first: UInt8, _ letter: UInt8, _ digit: UInt8, isOld: Bool
  ) -> UInt8? {
    switch (first, letter, digit) {
    case (UInt8(ascii: "0"), UInt8(ascii: "A"), _): UInt8(ascii: "\n")
    case (UInt8(ascii: "0"), UInt8(ascii: "D"), _): UInt8(ascii: "\r")
    case (UInt8(ascii: "2"), _, UInt8(ascii: "5")) where !isOld: percent
    default: nil
    }
  }

  /// Returns true if a name is not one below the bag, whatever links there are.
  static func leavesBag(_ name: UnsafeRawBufferPointer) -> Bool {
    guard let first = name.first else { return true }
    return first == slash || first == UInt8(ascii: "~") || name.contains(0)
      || name.split(separator: slash).contains { $0.elementsEqual("..".utf8) }
  }

  static func isPayload(_ name: some Collection<UInt8>) -> Bool {
    name.starts(with: BagDirectory.payload) && name.count > BagDirectory.payload.count
  }
}
