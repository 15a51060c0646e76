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

  func write(_ text: String) throws {
    do {
      // Makes the writes to a FIFO or a terminal blocking.
      _ = fcntl(descriptor.rawValue, F_SETFL, 0)
      // What is no regular file has no size.
      try? descriptor.resize(to: 0)
      _ = try descriptor.writeAll(Array(text.utf8))
      try descriptor.close()
    } catch {
      throw Failure(file: name, error)
    }
  }
}
