// Until then the name is NAME.tmp.HOST.PID, with a number after it if that exists: containers may
// share the name of a host and the numbers of processes. Only a killed process leaves such a file.

internal import CFileKernels
internal import WeirLibC
package import SystemPackage
internal import Weir

/// A new file beside the one whose name it is going to get.
package final class ReplacingFile: Sendable {
  private let path: [UInt8]
  let temporary: [UInt8]
  /// The file, open to read and write; closed with the last reference.
  package let descriptor: FileDescriptor

  /// Creates the file for a name, whose symbolic links are resolved.
  package init(_ path: [UInt8]) throws(Errno) {
    self.path = path
    (temporary, descriptor) = try ReplacingFile.create(beside: path)
  }

  deinit { close(descriptor.rawValue) }

  private static func create(
    beside path: [UInt8]
  ) throws(Errno) -> (name: [UInt8], FileDescriptor) {
    for number in 1...1000 {
      let end = number > 1 ? ".\(number)" : ""
      let name = path + Array(".tmp.\(HostName.current).\(getpid())\(end)".utf8)
      do throws(Errno) {
        return (name, try openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o666))
      } catch {
        if error != .fileExists { throw error }
      }
    }
    throw .fileExists
  }

  /// Makes a file without a name in the directory of a file.
  static func unnamed(beside path: [UInt8]) throws(Errno) -> FileDescriptor {
    // Some file systems have no such files.
    let file = try? withPath(path.directory) { directory throws(Errno) in
      try retryingOnInterrupt { kernel_unnamed_file(directory) }
    }
    if let file { return FileDescriptor(rawValue: file) }
    let (name, descriptor) = try create(beside: path)
    _ = withPath(name) { unlink($0) }
    return descriptor
  }

  /// Writes the file to the disk, and gives it its name in place of another file.
  package func replace() throws(Errno) {
    try retryingOnInterrupt { fsync(descriptor.rawValue) }
    let isDone = withPath(temporary) { from in withPath(path) { rename(from, $0) == 0 } }
    if !isDone { throw Errno(rawValue: errno) }
    try FileSync.writeBack(directory: path.directory)
  }

  /// Gives the file its name; returns false if another file has it, or if the temporary name is
  /// gone. link(2) is atomic, on NFS too; file systems without hard links have a rename that
  /// replaces nothing. A server whose answer was lost is asked again, and finds the name that it
  /// has made.
  func claim() throws(Errno) -> Bool {
    func attempt(_ call: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32) -> Int32 {
      withPath(temporary) { from in withPath(path) { call(from, $0) } }
    }
    var error = attempt { link($0, $1) == 0 ? 0 : errno }
    if [EPERM, EOPNOTSUPP, EMLINK, ENOSYS].contains(error) {
      error = attempt { kernel_rename_new($0, $1) }
      // A file system that has neither.
      if [EINVAL, ENOSYS].contains(error) { throw .notSupported }
    }
    if error == 0 { return true }
    guard [EEXIST, ENOENT].contains(error), let other = try? stat(of: path) else {
      throw Errno(rawValue: error)
    }
    return FileIdentity(other) == FileIdentity(try stat(of: descriptor))
  }

  /// Removes the temporary name, if there is one.
  package func discard() { _ = withPath(temporary) { unlink($0) } }

  /// Resolves symbolic links of a file to replace, which need not exist: a rename would replace the
  /// link. Throws `isDirectory`, `isSpecial` or a system error; `notPermitted` in a directory like
  /// /tmp, where only its owner may replace a file.
  package static func resolved(_ name: [UInt8]) throws(Fault) -> [UInt8] {
    if name.isEmpty || name.contains(0) { throw Fault(name, .system(.noSuchFileOrDirectory)) }
    let status = try status(ofFile: name)
    if name.last == .slash { throw Fault(name, .system(.isDirectory)) }
    let path = try Fault.attributing(to: name) { () throws(Errno) in try withoutLinks(name) }
    if let status, let parent = try? stat(of: path.directory),
      parent.st_mode & S_ISVTX != 0, ![0, parent.st_uid, status.st_uid].contains(geteuid())
    {
      throw Fault(name, .system(.notPermitted))
    }
    return path
  }

  /// Returns `nil` if the file does not exist. Throws `isDirectory`, `isSpecial` or a system error.
  static func status(ofFile name: [UInt8]) throws(Fault) -> stat? {
    let found = try Fault.of(name, try ifExists(try stat(of: name)))
    guard let status = found, !status.isRegularFile else { return found }
    throw Fault(name, status.st_mode & S_IFMT == S_IFDIR ? .system(.isDirectory) : .isSpecial)
  }

  /// Resolves the symbolic links at the end of a path from `base`. The file need not exist.
  package static func withoutLinks(
    _ path: [UInt8], from base: Int32 = AT_FDCWD
  ) throws(Errno) -> [UInt8] {
    var path = path
    for _ in 0..<40 {
      let target = withPath(path) { path in
        [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { target, count in
          let length = target.withMemoryRebound(to: CChar.self) { target in
            target.baseAddress.map { readlinkat(base, path, $0, target.count) } ?? -1
          }
          count = max(0, length)
        }
      }
      if target.isEmpty {
        if errno == EINVAL || errno == ENOENT { return path }
        throw Errno(rawValue: errno)
      }
      path = (target.first == .slash ? [] : path.directory + [.slash]) + target
    }
    throw .tooManySymbolicLinkLevels
  }
}

/// The name of this machine.
package enum HostName {
  /// The name as a part of a file name.
  package static var current: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "host" }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let word = bytes.filter { $0 > 0x20 && $0 < 0x7F && $0 != .slash }
    return word.isEmpty ? "host" : String(decoding: word, as: UTF8.self)
  }
}
