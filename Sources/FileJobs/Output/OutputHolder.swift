// Who holds a lock.

internal import Glibc
internal import SystemPackage

/// A process that holds the lock of an output.
package struct OutputHolder: Equatable, Sendable {
  /// Its number.
  package let process: Int32
  /// The words it was called with, as far as they can be seen.
  package let command: [[UInt8]]

  /// The most bytes that are read of what it was called with.
  private static let commandMax = 4096

  /// Looks for it in `/proc/locks`: a line a lock, with the process, the device
  /// and the inode.
  ///
  /// - Parameter descriptor: Of the file that is locked.
  /// - Returns: `nil` where it cannot be told: there is no such list, or the
  ///   process is on another machine, or one that is not seen from here.
  static func find(_ descriptor: Int32) -> OutputHolder? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let locks = read("/proc/locks", most: 1 << 22)
    else { return nil }
    // Some file systems show another device there than they tell: then the inode
    // has to do.
    let device = status.st_dev
    let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
    let minor = device & 0xFF | (device >> 12) & ~0xFF
    let whole = "\(two(major)):\(two(minor)):\(status.st_ino)"
    var found: Int32?
    for line in String(decoding: locks, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK" || words[1] == "POSIX",
        let process = Int32(words[4]), process > 0
      else { continue }
      if words[5] == whole { return OutputHolder(of: process) }
      if words[5].hasSuffix(":\(status.st_ino)") { found = found ?? process }
    }
    return found.map(OutputHolder.init(of:))
  }

  private init(of process: Int32) {
    self.process = process
    let bytes = OutputHolder.read("/proc/\(process)/cmdline", most: OutputHolder.commandMax) ?? []
    command = bytes.split(separator: 0).map(Array.init)
  }

  /// In hexadecimal, at least two digits.
  private static func two(_ number: UInt) -> String {
    let digits = String(number, radix: 16)
    return digits.count < 2 ? "0\(digits)" : digits
  }

  /// A file of the kernel's, which has no size.
  private static func read(_ path: String, most: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65536)
    while bytes.count < most {
      let count = Glibc.read(descriptor, &piece, min(piece.count, most - bytes.count))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes.append(contentsOf: piece.prefix(count))
    }
    return bytes
  }
}
