// The file that a run writes besides its output.

import Glibc
import SystemPackage

/// A file that is opened before the run, so that an error does not appear only after it, and
/// keeps its former content until it is written.
struct RunFile {
  let name: String
  private let descriptor: FileDescriptor

  init(_ name: String) throws {
    self.name = name
    do {
      descriptor = try FileDescriptor.open(
        FilePath(name), .writeOnly, options: [.create, .nonBlocking, .closeOnExec],
        permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
    } catch {
      throw Failure(file: name, error)
    }
  }

  /// The device and the number of a regular file; `nil` for other kinds.
  static func identity(_ descriptor: FileDescriptor) -> [UInt64]? {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  var identity: [UInt64]? { RunFile.identity(descriptor) }

  /// Replaces the content.
  func write(_ bytes: [UInt8]) throws {
    do {
      // Makes the writes to a FIFO or a terminal blocking.
      _ = fcntl(descriptor.rawValue, F_SETFL, 0)
      if identity != nil { try descriptor.resize(to: 0) }
      _ = try descriptor.writeAll(bytes)
      try descriptor.close()
    } catch {
      throw Failure(file: name, error)
    }
  }
}
