// The key of a name: bytes whose order is that of the walk.
//
// DESIGN. In the walk a slash precedes every other byte, and the end of a name precedes all. So a
// slash becomes 1, the bytes 1 and 2 become 2 3 and 2 4, and NUL ends the key, which no name contains. A comparison of bytes then gives the order of the walk, also in a sort that
// knows no names.

internal import WeirLibC

/// The conversion of names to keys and back.
enum CompareKey {
  private static let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
  static let separator = UInt8(1)
  private static let escape = UInt8(2)

  /// Returns the largest number of bytes of a key.
  static func capacity(nameCount: Int) -> Int { nameCount * 2 + 1 }

  /// Writes the key of a name without `.` and repeated slashes, with its end. Returns the number of
  /// bytes: 1 if nothing is left of the name, and `nil` if it contains a NUL.
  ///
  /// - Parameter stripped: The number of leading components to leave out. As for patch(1), the empty
  ///   one before a slash is a component.
  static func write(
    _ name: UnsafeRawBufferPointer, stripping stripped: Int,
    to memory: UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard let start = name.baseAddress else { return nil }
    let out = memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard let out else { fatalError("a key needs memory") }
    var (from, to, left) = (0, 0, stripped)
    if name.first == slash {
      if left == 0 {
        out[0] = separator
        to = 1
      } else {
        left -= 1
      }
    }
    while from < name.count {
      let rest = name.count - from
      let end = memchr(start + from, Int32(slash), rest).map { UnsafeRawPointer($0) - start }
      let component = UnsafeRawBufferPointer(rebasing: name[from..<(end ?? name.count)])
      from = (end ?? name.count) + 1
      if component.isEmpty || component.count == 1 && component[0] == dot { continue }
      if left > 0 {
        left -= 1
        continue
      }
      if to > 0 && !(to == 1 && out[0] == separator) {
        out[to] = separator
        to += 1
      }
      guard let count = append(component, to: out + to) else { return nil }
      to += count
    }
    out[to] = 0
    return to + 1
  }

  @inline(__always)
  private static func append(
    _ component: UnsafeRawBufferPointer, to out: UnsafeMutablePointer<UInt8>
  ) -> Int? {
    var least = UInt8.max
    for byte in component { least = min(least, byte) }
    if least > escape {
      UnsafeMutableRawBufferPointer(start: out, count: component.count)
        .copyMemory(from: component)
      return component.count
    }
    if least == 0 { return nil }
    var count = 0
    for byte in component {
      if byte <= escape {
        out[count] = escape
        count += 1
      }
      out[count] = byte <= escape ? byte + escape : byte
      count += 1
    }
    return count
  }

  /// Returns the name of a key.
  static func name(of key: UnsafeRawBufferPointer) -> [UInt8] {
    var name: [UInt8] = []
    name.reserveCapacity(key.count)
    var isEscaped = false
    for byte in key {
      if byte == escape {
        isEscaped = true
      } else {
        name.append(isEscaped ? byte - escape : byte == separator ? slash : byte)
        isEscaped = false
      }
    }
    return name
  }

  /// Returns true if a key is that of a name below a directory.
  static func isBelow(_ key: UnsafeRawBufferPointer, _ directory: [UInt8]) -> Bool {
    key.count > directory.count && key[directory.count] == separator
      && key.starts(with: directory)
  }

  /// Returns the last component of a key.
  static func lastComponent(of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: key[(key.lastIndex(of: separator).map { $0 + 1 } ?? 0)...])
  }
}
