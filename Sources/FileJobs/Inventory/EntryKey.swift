// The key of a name: bytes whose order is that of the walk.
//
// DESIGN. In the walk a slash precedes every other byte, and the end of a name precedes all. So a
// slash becomes 1, the bytes 1 and 2 become 2 3 and 2 4, and NUL, which no name contains, ends the
// key. A comparison of bytes then gives the order of the walk, also in a sort that knows no names.

internal import WeirLibC

enum EntryKey {
  fileprivate static let dot = UInt8(ascii: ".")
  static let separator = UInt8(1)
  fileprivate static let escape = UInt8(2)

  static func name(of key: some Collection<UInt8>) -> [UInt8] {
    var name: [UInt8] = []
    name.reserveCapacity(key.count)
    var isEscaped = false
    for byte in key {
      if byte == escape {
        isEscaped = true
      } else {
        name.append(isEscaped ? byte - escape : byte == separator ? .slash : byte)
        isEscaped = false
      }
    }
    return name
  }

  /// Returns the name of a key as output shows it: ``LongName``.
  static func shownName(of key: UnsafeRawBufferPointer) -> [UInt8] {
    // An escape takes two bytes of a key for one of the name.
    if key.count <= 2 * LongName.lengthMax { return LongName.shortened(name(of: key)) }
    var last = key.count - 2 * LongName.endCount
    if key[last - 1] == escape { last += 1 }
    return LongName.joined(
      name(of: key[..<(2 * LongName.endCount)]), name(of: key[last...]))
  }

  static func isBelow(_ key: UnsafeRawBufferPointer, _ directory: [UInt8]) -> Bool {
    if directory.isEmpty { return true }
    return key.count > directory.count && key[directory.count] == separator
      && key.starts(with: directory)
  }

  static func lastComponent(of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    key[(key.lastIndex(of: separator).map { $0 + 1 } ?? 0)...].rebased
  }

  /// Returns a key without its first component, or without the slash that it begins with.
  static func withoutFirst(_ key: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    key.firstIndex(of: separator).map { key[($0 + 1)...] }
  }
}

/// A writer of the keys of names that follow each other. What a name shares with the one before is
/// not taken apart again: a manifest of mtree(5) can say a name of 64 KiB in ten bytes.
final class KeyWriter {
  private struct Mark {
    let name: Int
    let key: Int
    /// The number of components that are still to be left out.
    let left: Int
  }

  private let name = ByteBuffer()
  private let out = ByteBuffer()
  private var marks: [Mark] = []
  private let stripped: Int
  /// The keys of absolute names of the working directory.
  private var roots: [[UInt8]] = []
  private var begin = 0

  /// Leaves out leading components, as patch(1): the empty one before a slash counts. `roots` are
  /// absolute names of the working directory, which other names may begin with.
  init(stripping stripped: Int = 0, below roots: [[UInt8]] = []) {
    self.stripped = stripped
    for root in roots where root.first == UInt8.slash {
      if root.withUnsafeBytes({ write($0) }) { self.roots.append(Array(out.bytes)) }
    }
  }

  var strips: Bool { stripped > 0 }

  /// The key written last; empty if nothing is left of its name.
  var key: UnsafeRawBufferPointer { out.bytes[begin...].rebased }

  /// Writes the key of a name without `.` and repeated slashes. Returns false if it contains a NUL.
  func write(_ new: UnsafeRawBufferPointer) -> Bool {
    let shared = name.bytes.sharedCount(with: new)
    name.replace(after: shared, by: new[shared...].rebased)
    while let mark = marks.last, mark.name > shared { marks.removeLast() }
    var state = marks.last ?? Mark(name: 0, key: 0, left: stripped)
    out.count = state.key
    out.reserve(new.count * 2 + 1)
    guard let start = new.baseAddress,
      let memory = out.memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return false }
    var (from, to, left) = (state.name, state.key, state.left)
    if from == 0 && new.first == UInt8.slash {
      if left == 0 {
        memory[0] = EntryKey.separator
        to = 1
      } else {
        left -= 1
      }
    }
    while from < new.count {
      if from > state.name {
        state = Mark(name: from, key: to, left: left)
        marks.append(state)
      }
      let end = memchr(start + from, Int32(UInt8.slash), new.count - from)
        .map { UnsafeRawPointer($0) - start }
      let component = new[from..<(end ?? new.count)].rebased
      from = (end ?? new.count) + 1
      if component.isEmpty || component.count == 1 && component[0] == EntryKey.dot { continue }
      if left > 0 {
        left -= 1
        continue
      }
      if to > 0 && !(to == 1 && memory[0] == EntryKey.separator) {
        memory[to] = EntryKey.separator
        to += 1
      }
      guard let count = KeyWriter.append(component, to: memory + to) else {
        (name.count, out.count, marks) = (0, 0, [])
        return false
      }
      to += count
    }
    out.count = to
    begin = roots.isEmpty || to == 0 || memory[0] != EntryKey.separator ? 0 : beginBelowRoot
    return true
  }

  /// The number of bytes of the key that are those of a root.
  private var beginBelowRoot: Int {
    let key = out.bytes
    for root in roots where key.starts(with: root) {
      if key.count == root.count || root.count == 1 { return root.count }
      if key[root.count] == EntryKey.separator { return root.count + 1 }
    }
    return 0
  }

  /// Returns the number of bytes written; `nil` if the component contains a NUL.
  @inline(__always)
  private static func append(
    _ component: UnsafeRawBufferPointer, to out: UnsafeMutablePointer<UInt8>
  ) -> Int? {
    var least = UInt8.max
    for byte in component { least = min(least, byte) }
    if least > EntryKey.escape {
      UnsafeMutableRawBufferPointer(start: out, count: component.count)
        .copyMemory(from: component)
      return component.count
    }
    if least == 0 { return nil }
    var count = 0
    for byte in component {
      if byte <= EntryKey.escape {
        out[count] = EntryKey.escape
        count += 1
      }
      out[count] = byte <= EntryKey.escape ? byte + EntryKey.escape : byte
      count += 1
    }
    return count
  }
}

/// A name that is longer than any path: a small manifest of nested directories can list any number
/// of them. Output has its ends only.
package enum LongName {
  static let lengthMax = Int(PATH_MAX)
  static let endCount = 100

  package static func shortened(_ name: [UInt8]) -> [UInt8] {
    name.count <= lengthMax ? name : joined(name, name)
  }

  static func joined(_ first: [UInt8], _ last: [UInt8]) -> [UInt8] {
    Array(first.prefix(endCount)) + Array("...".utf8) + Array(last.suffix(endCount))
  }
}
