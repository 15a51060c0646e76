// A compact store of the paths of many files.

internal import WeirLibC

/// Paths, stored without repeating the directories that they share.
///
/// DESIGN. A path is the number of a directory and a last component; a directory is the
/// number of its parent and a component. So a path of a walk takes one byte more than its
/// last component. A directory is found again as long as it is a parent of the path
/// before, as in a walk; in a list whose paths go to and fro it is stored again. A table
/// to look directories up would take more memory than it saves.
///
/// The bytes of a path do not move until the end.
final class DuplicatesPaths {
  /// The location of a path in the store.
  struct Location {
    let directory: UInt32
    /// The index of a chunk, and an offset in it.
    let name: UInt64
  }

  private static let chunkSize = 1 << 20
  private static let slash = UInt8(ascii: "/")

  private var chunks: [UnsafeMutableRawBufferPointer] = []
  /// The bytes in use of the last chunk.
  private var used = 0
  /// The parent of each directory. The first is no directory, and the parent of all.
  private var parents: [UInt32] = [0]
  private var components: [UInt64] = [0]
  /// The directory of the last path and its parents, with their ends in ``current``.
  private var stack: [(number: UInt32, end: Int)] = [(0, 0)]
  private var current: [UInt8] = []
  /// The identities of directories that were asked for.
  private var identities: [UInt32: FileIdentity] = [:]

  deinit {
    chunks.forEach { $0.deallocate() }
  }

  // MARK: Adding

  func add(_ path: UnsafeRawBufferPointer) -> Location {
    var cut = path.count
    while cut > 0 && path[cut - 1] != DuplicatesPaths.slash { cut -= 1 }
    enter(UnsafeRawBufferPointer(rebasing: path[..<cut]))
    let name = store(UnsafeRawBufferPointer(rebasing: path[cut...]))
    return Location(directory: stack[stack.count - 1].number, name: name)
  }

  /// Makes a directory the current one. Its path ends with a slash.
  private func enter(_ directory: UnsafeRawBufferPointer) {
    let common = current.withUnsafeBytes { current in
      let shorter = min(current.count, directory.count)
      if let a = current.baseAddress, let b = directory.baseAddress, memcmp(a, b, shorter) == 0 {
        return shorter
      }
      return (0..<shorter).first { current[$0] != directory[$0] } ?? shorter
    }
    while stack[stack.count - 1].end > common { stack.removeLast() }
    let parent = stack[stack.count - 1]
    if parent.end < directory.count {
      let number = UInt32(parents.count)
      parents.append(parent.number)
      components.append(store(UnsafeRawBufferPointer(rebasing: directory[parent.end...])))
      stack.append((number, directory.count))
    }
    current.removeSubrange(parent.end...)
    current.append(contentsOf: directory[parent.end...])
  }

  /// Stores bytes after their number, which has seven bits a byte. Returns their location.
  private func store(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let needed = bytes.count + 10
    if chunks.isEmpty || chunks[chunks.count - 1].count - used < needed {
      let size = max(DuplicatesPaths.chunkSize, needed)
      chunks.append(.allocate(byteCount: size, alignment: 1))
      used = 0
    }
    let chunk = chunks[chunks.count - 1]
    let location = UInt64(chunks.count - 1) << 32 | UInt64(used)
    var rest = bytes.count
    while rest >= 0x80 {
      chunk[used] = UInt8(rest & 0x7F) | 0x80
      used += 1
      rest >>= 7
    }
    chunk[used] = UInt8(rest)
    used += 1
    if let source = bytes.baseAddress, let start = chunk.baseAddress {
      (start + used).copyMemory(from: source, byteCount: bytes.count)
    }
    used += bytes.count
    return location
  }

  // MARK: Reading: by many threads while none adds

  /// Returns the last component of a path.
  func name(_ location: Location) -> UnsafeRawBufferPointer { bytes(at: location.name) }

  /// Appends a path to bytes.
  func append(_ location: Location, to path: inout [UInt8]) {
    append(directory: location.directory, to: &path)
    path.append(contentsOf: name(location))
  }

  func path(_ location: Location) -> [UInt8] {
    var path: [UInt8] = []
    append(location, to: &path)
    return path
  }

  /// Returns true if a path is now that of a symbolic link.
  func isLink(_ location: Location) -> Bool {
    let status = try? LongPath.status(path(location) + [0], followsLinks: false)
    return status.map { $0.st_mode & S_IFMT == S_IFLNK } ?? false
  }

  private func append(directory: UInt32, to path: inout [UInt8]) {
    // Not by recursion: the directories may be too many for the stack of a lane.
    var directories: [UInt32] = []
    var number = directory
    while number != 0 {
      directories.append(number)
      number = parents[Int(number)]
    }
    for number in directories.reversed() {
      path.append(contentsOf: bytes(at: components[Int(number)]))
    }
  }

  private func bytes(at location: UInt64) -> UnsafeRawBufferPointer {
    let chunk = chunks[Int(location >> 32)]
    var begin = Int(location & 0xFFFF_FFFF)
    var count = 0
    var shift = 0
    while chunk[begin] >= 0x80 {
      count |= Int(chunk[begin] & 0x7F) << shift
      shift += 7
      begin += 1
    }
    count |= Int(chunk[begin]) << shift
    return UnsafeRawBufferPointer(rebasing: chunk[begin + 1..<begin + 1 + count])
  }

  // MARK: Directories

  /// Returns true if two paths lead to one name in one directory.
  func isSame(_ left: Location, _ right: Location) -> Bool {
    directory(of: left) == directory(of: right) && name(left).elementsEqual(name(right))
  }

  /// Returns a hash that is equal for such paths.
  func hash(of location: Location) -> Int {
    var hasher = Hasher()
    hasher.combine(directory(of: location))
    hasher.combine(bytes: name(location))
    return hasher.finalize()
  }

  /// Returns the identity of a path's directory; for an inaccessible directory, an identity
  /// that no other has. Each directory takes one stat.
  func directory(of location: Location) -> FileIdentity {
    if let known = identities[location.directory] { return known }
    var path: [UInt8] = []
    append(directory: location.directory, to: &path)
    if path.isEmpty { path.append(UInt8(ascii: ".")) }
    path.append(0)
    let status = try? LongPath.status(path, followsLinks: true)
    let identity =
      status.map { FileIdentity($0) }
      ?? FileIdentity(device: .max, inode: UInt64(location.directory))
    identities[location.directory] = identity
    return identity
  }
}
