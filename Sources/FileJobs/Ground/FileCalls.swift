// System calls on files, for paths of bytes: open, whole reads and writes, status.

internal import CFileKernels
internal import Weir
package import WeirLibC
package import SystemPackage

extension Errno {
  /// The error of a failed file. The jobs of this module and the processor throw no other type.
  package init(of error: any Error) {
    self = error as? Errno ?? .ioError
  }

  /// True if a path leads to no file. A path with any other error may lead to one.
  package var isMissing: Bool { self == .noSuchFileOrDirectory || self == .notDirectory }
}

extension [UInt8] {
  package init(cString: UnsafePointer<CChar>) {
    self = Array(UnsafeRawBufferPointer(start: cString, count: strlen(cString)))
  }
}

package func withPath<R, E: Error>(
  _ path: [UInt8], _ body: (UnsafePointer<CChar>) throws(E) -> R
) throws(E) -> R {
  try (path + [0]).withUnsafeBufferPointer { (bytes) throws(E) in
    guard let start = bytes.baseAddress else { fatalError("a path needs memory") }
    return try body(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
  }
}

/// Returns the absolute path without symbolic links; `nil`, with `errno` set, if there is no file.
package func realPath(_ path: [UInt8]) -> [UInt8]? {
  guard let found = withPath(path, { realpath($0, nil) }) else { return nil }
  defer { free(found) }
  return [UInt8](cString: found)
}

/// Opens a file. The descriptor is closed by exec.
package func openFile(
  _ path: [UInt8], _ flags: Int32, mode: mode_t = 0, from directory: Int32 = AT_FDCWD
) throws(Errno) -> FileDescriptor {
  try withPath(path) { (path) throws(Errno) in
    FileDescriptor(
      rawValue: try retryingOnInterrupt { openat(directory, path, flags | O_CLOEXEC, mode) })
  }
}

/// Returns the value of an expression on a file; `nil` if there is no such file.
func ifExists<R>(_ value: @autoclosure () throws(Errno) -> R) throws(Errno) -> R? {
  do throws(Errno) {
    return try value()
  } catch {
    if error == .noSuchFileOrDirectory { return nil }
    throw error
  }
}

/// The flag of a descriptor that is neither read nor written: O_PATH, where the system has it.
package var openPathOnly: Int32 { kernel_path_only() }

extension FileDescriptor {
  /// Closes a file that was written, and reports what could not be. Linux has closed the
  /// descriptor also if a signal interrupts the call.
  package func closeWritten() throws(Errno) {
    if WeirLibC.close(rawValue) != 0 && errno != EINTR { throw Errno(rawValue: errno) }
  }

  /// Writes all of `bytes`, at the present position or at `offset`. `writeAll(_:)` of swift-system
  /// takes longer to look up its types, once, than a small file to read.
  package func write(
    all bytes: UnsafeRawBufferPointer, at offset: Int? = nil
  ) throws(Errno) {
    var done = 0
    while done < bytes.count {
      let start = bytes.baseAddress.map { $0 + done }
      let count = bytes.count - done
      let position = offset.map { off_t($0 + done) }
      done += try retryingOnInterrupt {
        position.map { WeirLibC.pwrite(rawValue, start, count, $0) }
          ?? WeirLibC.write(rawValue, start, count)
      }
    }
  }

  package func write(all bytes: [UInt8], at offset: Int? = nil) throws(Errno) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
      try write(all: UnsafeRawBufferPointer(bytes), at: offset)
    }
  }

  /// Appends at most `count` bytes from the present position. Returns false at the end of the file.
  package func read(appendingTo bytes: inout [UInt8], count: Int) throws(Errno) -> Bool {
    let old = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: count))
    var done = 0
    defer { bytes.removeLast(count - done) }
    done = try bytes.withUnsafeMutableBufferPointer { (memory) throws(Errno) in
      let start = memory.baseAddress.map { $0 + old }
      return try retryingOnInterrupt { WeirLibC.read(rawValue, start, count) }
    }
    return done > 0
  }

  /// Reads from `offset` on until the memory is full or the file ends. Returns the number of bytes.
  func read(
    filling memory: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Errno) -> Int {
    var done = 0
    while done < memory.count {
      let start = memory.baseAddress.map { $0 + done }
      let (rest, position) = (memory.count - done, off_t(offset + done))
      let count = try retryingOnInterrupt { WeirLibC.pread(rawValue, start, rest, position) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Returns at most `count` bytes from `offset` on, fewer only at the end of the file.
  package func bytes(at offset: Int, count: Int) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let done = try bytes.withUnsafeMutableBufferPointer { (memory) throws(Errno) in
      try read(filling: UnsafeMutableRawBufferPointer(memory), at: offset)
    }
    bytes.removeLast(count - done)
    return bytes
  }

  /// Returns the first line with its newline; `nil` if the file ends before it, or if it is longer
  /// than `max` bytes.
  func firstLine(max: Int) throws(Errno) -> [UInt8]? {
    var line: [UInt8] = []
    while line.count < max {
      let piece = try bytes(at: line.count, count: 1 << 14)
      if let end = piece.firstIndex(of: UInt8(ascii: "\n")) { return line + piece[...end] }
      if piece.isEmpty { break }
      line += piece
    }
    return nil
  }

  /// Gives a file that replaces another one the owner and the mode of that, as `>` would keep them,
  /// as far as this user may. If the group changes, nobody gets more rights than before.
  package func copyOwnership(of status: stat, adding mode: mode_t = 0) {
    var bits = status.st_mode & 0o777
    if fchown(rawValue, status.st_uid, status.st_gid) != 0
      && fchown(rawValue, uid_t.max, status.st_gid) != 0
    {
      let shared = bits & bits >> 3 & 0o7
      bits = bits & 0o700 | shared << 3 | shared
    }
    _ = fchmod(rawValue, bits | mode)
  }
}

extension stat {
  package init(of descriptor: FileDescriptor) throws(Errno) {
    self.init()
    if fstat(descriptor.rawValue, &self) != 0 { throw Errno(rawValue: errno) }
  }

  /// The status of the file at a path of at most `PATH_MAX` bytes.
  package init(of path: [UInt8], followsLinks: Bool = true) throws(Errno) {
    self.init()
    let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
    let result = withPath(path) { fstatat(AT_FDCWD, $0, &self, flags) }
    if result != 0 { throw Errno(rawValue: errno) }
  }

  package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}

/// The identity of a file to the system, whatever its name.
package struct FileIdentity: BitwiseCopyable, Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
}

extension FileIdentity {
  package init(_ status: stat) {
    self.init(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
  }
}

/// An open file, which is closed with its last owner.
final class OwnedFile: Sendable {
  let descriptor: FileDescriptor

  init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { close(descriptor.rawValue) }
}

/// A name in a directory, whether or not a file has it.
package struct FilePlace: Hashable {
  private let directory: FileIdentity
  private let name: [UInt8]

  /// Returns `nil` if there is no such directory.
  package init?(_ path: [UInt8]) {
    guard let status = try? stat(of: path.directory) else { return nil }
    directory = FileIdentity(status)
    name = Array(path.lastComponent)
  }
}

/// Returns the names in a directory, in no order.
func directoryNames(_ path: [UInt8]) throws(Errno) -> [[UInt8]] {
  let descriptor = try openFile(path, O_RDONLY | O_DIRECTORY)
  guard let stream = fdopendir(descriptor.rawValue) else {
    let error = Errno(rawValue: errno)
    close(descriptor.rawValue)
    throw error
  }
  defer { closedir(stream) }
  var names: [[UInt8]] = []
  while true {
    errno = 0
    guard let entry = readdir(stream) else { break }
    names.append(withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
  }
  if errno != 0 { throw Errno(rawValue: errno) }
  return names
}
