// The names of files in the manifests of a bag.
//
// DESIGN. A name may not contain the end of a line, so RFC 8493 has %0A and %0D for it, and %25 for
// the percent sign. Before version 1.0 the percent sign meant itself. Any other %XX is no escape
// in either, and stays: bags with names such as `%7Ehome` exist.

enum BagName {
  private static let percent = UInt8(ascii: "%")

  static func encoded(_ name: some Sequence<UInt8>, isOld: Bool) -> [UInt8] {
    name.reduce(into: []) { out, byte in
      switch byte {
      case UInt8(ascii: "\n"): out += "%0A".utf8
      case UInt8(ascii: "\r"): out += "%0D".utf8
      case percent where !isOld: out += "%25".utf8
      default: out.append(byte)
      }
    }
  }

  /// Decodes a name in place, without a `./` at its beginning.
  static func decode(_ name: UnsafeMutableRawBufferPointer, isOld: Bool) -> UnsafeRawBufferPointer {
    var from = 0
    while name[from...].starts(with: "./".utf8) { from += 2 }
    let begin = from
    var to = from
    while from < name.count {
      let meant = meaning(name[from...].prefix(3), isOld: isOld)
      name[to] = meant ?? name[from]
      to += 1
      from += meant == nil ? 1 : 3
    }
    return UnsafeRawBufferPointer(rebasing: name[begin..<to])
  }

  private static func meaning(_ text: Slice<UnsafeMutableRawBufferPointer>, isOld: Bool) -> UInt8? {
    if text.first != percent { return nil }
    return switch String(decoding: text, as: UTF8.self) {
    case "%0A", "%0a": UInt8(ascii: "\n")
    case "%0D", "%0d": UInt8(ascii: "\r")
    case "%25" where !isOld: percent
    default: nil
    }
  }

  /// Returns true if a name is not one below the bag, whatever links there are.
  static func leavesBag(_ name: UnsafeRawBufferPointer) -> Bool {
    guard let first = name.first else { return true }
    return first == .slash || first == UInt8(ascii: "~") || name.contains(0)
      || name.split(separator: .slash).contains { $0.elementsEqual("..".utf8) }
  }

  static func isPayload(_ name: some Collection<UInt8>) -> Bool {
    name.starts(with: BagDirectory.payload) && name.count > BagDirectory.payload.count
  }
}
