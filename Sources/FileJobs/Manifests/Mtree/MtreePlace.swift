// Where the names of a manifest of mtree(5) are.

/// Makes the name that a file has from the one that stands in a line.
///
/// A name with a slash is a whole path. One without is in the directory that
/// was named last, until `..` leaves that.
struct MtreePlace: ~Copyable {
  /// Whether names lose the `./` that was written before them.
  private var isBare = false
  /// Whether the name that was entered last has lost it.
  private(set) var hasLostDot = false
  /// The directory that was entered, and the lengths of those above it.
  private var directory: [UInt8] = []
  private var above: [Int] = []
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)

  private static let slash = UInt8(ascii: "/")

  deinit { memory.deallocate() }

  /// Takes notice of a comment of ours.
  mutating func obey(_ comment: UnsafeRawBufferPointer) {
    guard comment.starts(with: "#weir ".utf8) else { return }
    if comment.elementsEqual("#weir bare".utf8) { isBare = true }
    if comment.elementsEqual("#weir dotted".utf8) { isBare = false }
  }

  /// Leaves the directory that was entered last. Whether there is one.
  mutating func leave() -> Bool {
    guard let length = above.popLast() else { return false }
    directory.removeLast(directory.count - length)
    return true
  }

  /// The name of an entry; of use until the next one.
  mutating func enter(
    _ name: UnsafeRawBufferPointer, isDirectory: Bool
  ) -> UnsafeRawBufferPointer {
    hasLostDot = false
    if name.contains(MtreePlace.slash) {
      hasLostDot = isBare && name.count > 2 && MtreeLine.isDotted(name)
      return hasLostDot ? UnsafeRawBufferPointer(rebasing: name[2...]) : name
    }
    if name.elementsEqual(".".utf8) {
      directory = [UInt8(ascii: ".")]
      above = [0]
      return name
    }
    let path = directory.isEmpty ? name : join(name)
    if isDirectory {
      above.append(directory.count)
      directory = Array(path)
    }
    return path
  }

  private mutating func join(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let count = directory.count + 1 + name.count
    if memory.count < count {
      memory.deallocate()
      memory = .allocate(byteCount: count * 2, alignment: 1)
    }
    memory.copyBytes(from: directory)
    memory[directory.count] = MtreePlace.slash
    UnsafeMutableRawBufferPointer(rebasing: memory[(directory.count + 1)...])
      .copyMemory(from: name)
    return UnsafeRawBufferPointer(rebasing: memory[..<count])
  }
}
