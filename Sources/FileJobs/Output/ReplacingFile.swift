// A file that takes the place of another one when it is complete.
//
// Until then its name is NAME.tmp.HOST.PID. Only a killed process leaves it.

internal import WeirLibC
package import SystemPackage
internal import Weir

/// A new file beside the one that it is going to replace.
package final class ReplacingFile: Sendable {
  private let path: [UInt8]
  private let temporary: [UInt8]
  /// The file, open to read and write; closed with the last reference.
  package let descriptor: FileDescriptor

  /// Creates the file.
  ///
  /// - Parameter path: The file to replace, whose symbolic links are resolved.
  package init(_ path: [UInt8]) throws(Errno) {
    self.path = path
    let base = path + Array(".tmp.\(HostName.current).\(getpid())".utf8)
    (temporary, descriptor) = try ReplacingFile.create(base)
  }

  deinit { close(descriptor.rawValue) }

  /// Creates a file, with a number after its name if that exists: containers may share the name
  /// of a host and the numbers of processes.
  static func create(_ base: [UInt8]) throws(Errno) -> (name: [UInt8], FileDescriptor) {
    for number in 1...1000 {
      let name = number > 1 ? base + Array(".\(number)".utf8) : base
      do throws(Errno) {
        return (name, try openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o666))
      } catch {
        if error != .fileExists { throw error }
      }
    }
    throw .fileExists
  }

  /// Writes the file to the disk, and gives it its name.
  package func replace() throws(Errno) {
    try retryingOnInterrupt { fsync(descriptor.rawValue) }
    let isDone = withPath(temporary) { from in withPath(path) { rename(from, $0) == 0 } }
    if !isDone { throw Errno(rawValue: errno) }
    try OutputSync.writeBack(directory: OutputFile.directory(of: path))
  }

  /// Removes the file, if it has not its name yet.
  package func discard() { _ = withPath(temporary) { unlink($0) } }
}

/// The name of this machine.
package enum HostName {
  /// The name as a part of a file name.
  package static var current: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "host" }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let word = bytes.filter { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
    return word.isEmpty ? "host" : String(decoding: word, as: UTF8.self)
  }
}
