// DESIGN. A tree can be deeper than a path may be long (PATH_MAX). Such a path is followed in
// pieces, each from the directory that the piece before led to, as by the walk that found it. The
// usual path takes one call and no descriptor.

package import WeirLibC
package import SystemPackage
internal import Weir

/// System calls on paths of any length. Each path ends in NUL.
package enum LongPath {
  package static func status(
    _ path: [UInt8], followsLinks: Bool
  ) throws(Errno) -> stat {
    var status = stat()
    let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
    try with(path) { (directory, rest) throws(Errno) in
      if fstatat(directory, rest, &status, flags) != 0 { throw Errno(rawValue: errno) }
    }
    return status
  }

  /// Writes the target of a symbolic link to `memory`. Returns its number of bytes.
  static func target(
    _ path: [UInt8], to memory: UnsafeMutablePointer<CChar>, capacity: Int
  ) throws(Errno) -> Int {
    try with(path) { (directory, rest) throws(Errno) in
      let length = readlinkat(directory, rest, memory, capacity)
      if length < 0 { throw Errno(rawValue: errno) }
      return length
    }
  }

  static func open(_ path: [UInt8], _ flags: Int32) throws(Errno) -> FileDescriptor {
    try with(path) { (directory, rest) throws(Errno) in
      try open(rest, from: directory, flags)
    }
  }

  /// Opens a name below a directory. No symbolic link is followed on the way, nor at its end.
  static func open(
    _ name: [UInt8], beneath root: [UInt8], _ flags: Int32
  ) throws(Errno) -> FileDescriptor {
    var directory = try openFile(root, O_RDONLY | O_DIRECTORY)
    defer { close(directory.rawValue) }
    func open(_ component: some Sequence<UInt8>, _ flags: Int32) throws(Errno) -> FileDescriptor {
      try withPath(Array(component)) { (path) throws(Errno) in
        try LongPath.open(path, from: directory.rawValue, flags | O_NOFOLLOW | O_CLOEXEC)
      }
    }
    let components = name.split(separator: .slash)
    for component in components.dropLast() {
      let next = try open(component, O_RDONLY | O_DIRECTORY)
      close(directory.rawValue)
      directory = next
    }
    return try open(components.last ?? [], flags)
  }

  /// Calls `body` with a directory and the rest of a path, relative to the directory.
  private static func with<R>(
    _ path: [UInt8], _ body: (Int32, UnsafePointer<CChar>) throws(Errno) -> R
  ) throws(Errno) -> R {
    let count = path.count - 1
    if count < Int(PATH_MAX) { return try call(body, AT_FDCWD, path) }
    var directory: FileDescriptor?
    defer { if let directory { close(directory.rawValue) } }
    var begin = 0
    while count - begin >= Int(PATH_MAX) {
      let end = try end(of: path, from: begin)
      let next = try enter(Array(path[begin..<end]) + [0], from: directory?.rawValue)
      if let directory { close(directory.rawValue) }
      directory = next
      // A rest with a leading slash would begin at the root.
      begin = path[end...].firstIndex { $0 != .slash } ?? count
    }
    let rest = begin < count ? Array(path[begin...]) : [UInt8(ascii: "."), 0]
    return try call(body, directory?.rawValue ?? AT_FDCWD, rest)
  }

  /// Returns the index after the last slash of the longest piece that the system accepts.
  private static func end(of path: [UInt8], from begin: Int) throws(Errno) -> Int {
    let longest = path[begin...].prefix(Int(PATH_MAX) - 1)
    guard let slash = longest.lastIndex(of: .slash) else { throw .fileNameTooLong }
    return slash + 1
  }

  private static func enter(
    _ part: [UInt8], from directory: Int32?
  ) throws(Errno) -> FileDescriptor {
    let open = { (directory: Int32, part: UnsafePointer<CChar>) throws(Errno) in
      try LongPath.open(part, from: directory, openPathOnly | O_DIRECTORY | O_CLOEXEC)
    }
    return try DescriptorBudget.retrying { () throws(Errno) in
      try call(open, directory ?? AT_FDCWD, part)
    }
  }

  private static func call<R>(
    _ body: (Int32, UnsafePointer<CChar>) throws(Errno) -> R, _ directory: Int32,
    _ path: [UInt8]
  ) throws(Errno) -> R {
    try path.withUnsafeBufferPointer { (bytes) throws(Errno) in
      guard let start = bytes.baseAddress else { throw .noSuchFileOrDirectory }
      return try body(directory, UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
    }
  }

  private static func open(
    _ path: UnsafePointer<CChar>, from directory: Int32, _ flags: Int32
  ) throws(Errno) -> FileDescriptor {
    FileDescriptor(rawValue: try retryingOnInterrupt { openat(directory, path, flags) })
  }
}
