/// The resolver of the names in lines to full names.
///
/// A name with a slash is a full path. A name without a slash lies in the directory that
/// was entered last; `..` leaves that directory.
///
/// DESIGN. The full names of nested directories take the square of what their lines take: a
/// manifest of 3 MB can have names of gigabytes. So the length of a joined name is limited to what a
/// system call takes. A name with a slash, as weir writes them, may be longer.
struct MtreeNameResolver {
  /// True if the writer added `./` to the names that follow, so that it is removed.
  private var isBare = false
  private(set) var hasLostDot = false
  /// The current directory, and the lengths of its ancestors' names.
  private var directory: [UInt8] = []
  private var above: [Int] = []
  /// The number of entered directories below those whose names are too long.
  private var excess = 0
  private let memory = ByteBuffer()

  static let joinedMax = 1 << 12

  /// Applies a comment of ``MtreeWriter``; ignores all others.
  mutating func apply(_ comment: UnsafeRawBufferPointer) {
    guard comment.starts(with: "#weir ".utf8) else { return }
    if comment.elementsEqual("#weir bare".utf8) { isBare = true }
    if comment.elementsEqual("#weir dotted".utf8) { isBare = false }
  }

  /// Leaves the current directory. Returns false if there is none.
  mutating func leave() -> Bool {
    if excess > 0 {
      excess -= 1
      return true
    }
    guard let length = above.popLast() else { return false }
    directory.removeLast(directory.count - length)
    return true
  }

  /// Returns the full name of an entry, and enters the entry if it is a directory. The name
  /// is valid until the next call. Returns `nil` if it is too long.
  mutating func enter(
    _ name: UnsafeRawBufferPointer, isDirectory: Bool
  ) -> UnsafeRawBufferPointer? {
    hasLostDot = false
    if name.contains(.slash) {
      hasLostDot = isBare && name.count > 2 && MtreeLine.isDotted(name)
      return hasLostDot ? name[2...].rebased : name
    }
    if name.elementsEqual(".".utf8) {
      directory = [UInt8(ascii: ".")]
      above = [0]
      excess = 0
      return name
    }
    if excess > 0 || directory.count + 1 + name.count > MtreeNameResolver.joinedMax {
      if isDirectory { excess += 1 }
      return nil
    }
    let path = directory.isEmpty ? name : join(name)
    if isDirectory {
      above.append(directory.count)
      directory = Array(path)
    }
    return path
  }

  private mutating func join(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    memory.replace(after: 0, writing: directory.count + 1 + name.count) { line in
      line.append(directory)
      line.append(UInt8.slash)
      line.append(name)
    }
    return memory.bytes
  }
}
