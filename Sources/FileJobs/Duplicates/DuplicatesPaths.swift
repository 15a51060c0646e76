internal import WeirLibC

/// Paths, stored without repeating the directories that they share.
///
/// DESIGN. A path is the number of a directory and a last component: four bytes more than the
/// component. A directory is found again as long as it is a parent of the path before, as in a
/// walk; in a list whose paths go to and fro it is stored again. A table of directories would take
/// more memory than it saves. The bytes of a path do not move until the end.
final class DuplicatesPaths {
  struct Location {
    let directory: UInt32
    /// The index of a chunk, and an offset in it.
    let name: UInt64
  }

  /// A name in a directory, however the path to the directory is spelled.
  struct Place: Hashable {
    let directory: FileIdentity
    let name: [UInt8]
  }

  static let none = UInt32.max
  private static let chunkSize = 1 << 20
  private static let headerSize = MemoryLayout<UInt32>.size

  private var chunks: [UnsafeMutableRawBufferPointer] = []
  /// The bytes in use of the last chunk.
  private var used = 0
  /// The paths of directories, each with a slash at its end.
  private var directories: [UInt64] = []
  /// For each directory the number of the one that it was found in, or ``none``.
  private(set) var parents: [UInt32] = []
  /// The directory of the last path, after its parents.
  private var stack: [UInt32] = []
  private var identities: [UInt32: FileIdentity] = [:]

  deinit {
    chunks.forEach { $0.deallocate() }
  }

  func add(_ path: UnsafeRawBufferPointer) -> Location {
    Location(directory: directory(of: path), name: store(path.lastComponent))
  }

  func directory(of path: UnsafeRawBufferPointer) -> UInt32 {
    let directory = path[..<path.lastComponentStart].rebased
    leave(before: directory)
    if let last = stack.last, bytes(at: directories[Int(last)]).count == directory.count {
      return last
    }
    return push(directory)
  }

  /// Adds a directory that a walk enters. Its number is higher than its parents'.
  func enter(_ path: UnsafeRawBufferPointer) -> UInt32 {
    var directory = Array(path)
    if directory.last != .slash { directory.append(.slash) }
    return directory.withUnsafeBytes { directory in
      leave(before: directory)
      // A directory that is walked again is another one.
      if let last = stack.last, bytes(at: directories[Int(last)]).count == directory.count {
        stack.removeLast()
      }
      return push(directory)
    }
  }

  /// Returns to the last directory that contains another one, or is it.
  private func leave(before directory: UnsafeRawBufferPointer) {
    while let last = stack.last, !isParent(last, of: directory) { stack.removeLast() }
  }

  private func push(_ directory: UnsafeRawBufferPointer) -> UInt32 {
    let number = UInt32(directories.count)
    parents.append(stack.last ?? DuplicatesPaths.none)
    stack.append(number)
    directories.append(store(directory))
    return number
  }

  func name(_ location: Location) -> UnsafeRawBufferPointer { bytes(at: location.name) }

  /// Returns the path of a directory, with a slash at its end; empty for the working directory.
  func path(ofDirectory number: UInt32) -> UnsafeRawBufferPointer {
    bytes(at: directories[Int(number)])
  }

  private func isParent(_ number: UInt32, of directory: UnsafeRawBufferPointer) -> Bool {
    let parent = bytes(at: directories[Int(number)])
    return parent.hasSameBytes(as: directory.prefix(parent.count).rebased)
  }

  /// Stores bytes after their number. Returns their location.
  func store(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let needed = bytes.count + DuplicatesPaths.headerSize
    if chunks.isEmpty || chunks[chunks.count - 1].count - used < needed {
      let size = max(DuplicatesPaths.chunkSize, needed)
      chunks.append(.allocate(byteCount: size, alignment: 1))
      used = 0
    }
    let chunk = chunks[chunks.count - 1][used...].rebased
    chunk.storeBytes(of: UInt32(bytes.count), as: UInt32.self)
    chunk[DuplicatesPaths.headerSize...].rebased.copyMemory(from: bytes)
    defer { used += needed }
    return UInt64(chunks.count - 1) << 32 | UInt64(used)
  }

  // MARK: Reading: by many threads while none adds

  func append(_ location: Location, to path: inout [UInt8]) {
    path.append(contentsOf: bytes(at: directories[Int(location.directory)]))
    path.append(contentsOf: bytes(at: location.name))
  }

  func path(_ location: Location) -> [UInt8] {
    var path: [UInt8] = []
    append(location, to: &path)
    return path
  }

  func isLink(_ location: Location) -> Bool {
    let status = try? LongPath.status(path(location) + [0], followsLinks: false)
    return status.map { $0.st_mode & S_IFMT == S_IFLNK } ?? false
  }

  func bytes(at location: UInt64) -> UnsafeRawBufferPointer {
    let chunk = chunks[Int(location >> 32)][Int(location & 0xFFFF_FFFF)...].rebased
    let end = DuplicatesPaths.headerSize + Int(chunk.loadUnaligned(as: UInt32.self))
    return UnsafeRawBufferPointer(rebasing: chunk[DuplicatesPaths.headerSize..<end])
  }

  /// Returns the place that a path leads to. Each directory takes one stat; the place in an
  /// inaccessible directory is one that no other path has.
  func place(_ location: Location) -> Place {
    let name = Array(bytes(at: location.name))
    if let known = identities[location.directory] { return Place(directory: known, name: name) }
    let path = Array(bytes(at: directories[Int(location.directory)]))
    let status = try? LongPath.status(
      (path.isEmpty ? Array(".".utf8) : path) + [0], followsLinks: true)
    let identity =
      status.map { FileIdentity($0) }
      ?? FileIdentity(device: .max, inode: UInt64(location.directory))
    identities[location.directory] = identity
    return Place(directory: identity, name: name)
  }
}
