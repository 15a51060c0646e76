// The names of many files, in little memory.

internal import Glibc

/// Names, of which what they begin with is kept once.
///
/// DESIGN. A name is a number of a directory and what stands behind the last slash;
/// a directory is the number of the one above it and what comes then. So a name of
/// a walk takes one byte more than its last component. Directories are found again
/// as long as they are above the one before, as in a walk; in a list whose names go to
/// and fro they are kept again. A table to look them up in would take more than it
/// saves.
///
/// What is added stays where it is until the end.
final class DuplicatesNames {
  /// Where a name is kept.
  struct Place {
    let directory: UInt32
    /// Which chunk, and where in it.
    let name: UInt64
  }

  private static let chunkSize = 1 << 20
  private static let slash = UInt8(ascii: "/")

  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var used = 0  // of the last chunk
  /// Of each directory the one above it. The first is none, and above all.
  private var parents: [UInt32] = [0]
  private var parts: [UInt64] = [0]
  /// The directory of the name that was added last, and those above it: where
  /// each ends in ``current``.
  private var stack: [(number: UInt32, end: Int)] = [(0, 0)]
  private var current: [UInt8] = []
  /// Devices and inodes of directories that somebody asked for.
  private var identities: [UInt32: Identity] = [:]

  /// A directory, whatever it is called.
  struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  deinit {
    chunks.forEach { $0.deallocate() }
  }

  // MARK: Adding

  func add(_ path: UnsafeRawBufferPointer) -> Place {
    var cut = path.count
    while cut > 0 && path[cut - 1] != DuplicatesNames.slash { cut -= 1 }
    enter(UnsafeRawBufferPointer(rebasing: path[..<cut]))
    let name = keep(UnsafeRawBufferPointer(rebasing: path[cut...]))
    return Place(directory: stack[stack.count - 1].number, name: name)
  }

  /// Goes to a directory: its name, up to the slash that ends it.
  private func enter(_ directory: UnsafeRawBufferPointer) {
    let common = current.withUnsafeBytes { current in
      let shorter = min(current.count, directory.count)
      if let a = current.baseAddress, let b = directory.baseAddress, memcmp(a, b, shorter) == 0 {
        return shorter
      }
      return (0..<shorter).first { current[$0] != directory[$0] } ?? shorter
    }
    while stack[stack.count - 1].end > common { stack.removeLast() }
    let above = stack[stack.count - 1]
    if above.end < directory.count {
      let number = UInt32(parents.count)
      parents.append(above.number)
      parts.append(keep(UnsafeRawBufferPointer(rebasing: directory[above.end...])))
      stack.append((number, directory.count))
    }
    current.removeSubrange(above.end...)
    current.append(contentsOf: directory[above.end...])
  }

  /// Keeps bytes behind their number, seven bits a byte.
  private func keep(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let needed = bytes.count + 10
    if chunks.isEmpty || chunks[chunks.count - 1].count - used < needed {
      let size = max(DuplicatesNames.chunkSize, needed)
      chunks.append(.allocate(byteCount: size, alignment: 1))
      used = 0
    }
    let chunk = chunks[chunks.count - 1]
    let place = UInt64(chunks.count - 1) << 32 | UInt64(used)
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
    return place
  }

  // MARK: Reading; by many threads while nobody adds

  /// The last component.
  func name(_ place: Place) -> UnsafeRawBufferPointer { bytes(at: place.name) }

  /// Adds a name as it was given to others.
  func append(_ place: Place, to path: inout [UInt8]) {
    append(directory: place.directory, to: &path)
    path.append(contentsOf: name(place))
  }

  /// The name as it was given.
  func path(_ place: Place) -> [UInt8] {
    var path: [UInt8] = []
    append(place, to: &path)
    return path
  }

  /// Whether a name is, by now, that of a symbolic link.
  func isLink(_ place: Place) -> Bool {
    let status = try? LongPath.status(path(place) + [0], followsLinks: false)
    return status.map { $0.st_mode & S_IFMT == S_IFLNK } ?? false
  }

  private func append(directory: UInt32, to path: inout [UInt8]) {
    // Not by recursion: there may be more above it than fit a lane's stack.
    var way: [UInt32] = []
    var number = directory
    while number != 0 {
      way.append(number)
      number = parents[Int(number)]
    }
    for number in way.reversed() { path.append(contentsOf: bytes(at: parts[Int(number)])) }
  }

  private func bytes(at place: UInt64) -> UnsafeRawBufferPointer {
    let chunk = chunks[Int(place >> 32)]
    var begin = Int(place & 0xFFFF_FFFF)
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

  /// Whether two names are one, however they were given: in one directory, by one name.
  func isSame(_ left: Place, _ right: Place) -> Bool {
    directory(of: left) == directory(of: right) && name(left).elementsEqual(name(right))
  }

  /// The same for those that are.
  func hash(of place: Place) -> Int {
    var hasher = Hasher()
    hasher.combine(directory(of: place))
    hasher.combine(bytes: name(place))
    return hasher.finalize()
  }

  /// Which directory a name is in, by device and inode; of one that cannot be asked
  /// something that no other has. It is asked once a directory.
  func directory(of place: Place) -> Identity {
    if let known = identities[place.directory] { return known }
    var path: [UInt8] = []
    append(directory: place.directory, to: &path)
    if path.isEmpty { path.append(UInt8(ascii: ".")) }
    path.append(0)
    let status = try? LongPath.status(path, followsLinks: true)
    let identity =
      status.map { Identity(device: UInt64($0.st_dev), inode: UInt64($0.st_ino)) }
      ?? Identity(device: .max, inode: UInt64(place.directory))
    identities[place.directory] = identity
    return identity
  }
}
