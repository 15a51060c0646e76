internal import WeirLibC
internal import SystemPackage

/// The process that holds the lock of an output, as `/proc/locks` names it.
struct LockHolder {
  private let process: Int32
  /// The command line of the process, as far as it is visible.
  private let command: [[UInt8]]

  private static let commandMax = 4096

  /// Returns the error of a file that another process has locked.
  static func fault(_ name: [UInt8], _ descriptor: FileDescriptor) -> Fault {
    guard let holder = find(descriptor) else {
      let text: Message = "another run is writing it (its process cannot be seen from here)"
      return Fault(name, .refused(text))
    }
    let process = "another run is writing it: process \(holder.process)"
    return Fault(
      name,
      .refused(
        holder.command.isEmpty ? "\(process)" : "\(process), \(command: holder.command)"))
  }

  /// Searches `/proc/locks`, which has a line for each lock, with the process, the device and the
  /// inode. Returns `nil` if there is no such list, or if the process is on another machine or in
  /// another process namespace.
  private static func find(_ descriptor: FileDescriptor) -> LockHolder? {
    guard let status = try? stat(of: descriptor), let locks = read("/proc/locks", most: 1 << 22)
    else { return nil }
    // Some file systems have another device in this list than in their status: then the
    // inode alone has to do.
    let device = UInt(truncatingIfNeeded: status.st_dev)
    let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
    let minor = device & 0xFF | (device >> 12) & ~0xFF
    let whole = "\(hexadecimal(major)):\(hexadecimal(minor)):\(status.st_ino)"
    var found: Int32?
    for line in String(decoding: locks, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK" || words[1] == "POSIX",
        let process = Int32(words[4]), process > 0
      else { continue }
      if words[5] == whole { return LockHolder(of: process) }
      if words[5].hasSuffix(":\(status.st_ino)") { found = found ?? process }
    }
    return found.map(LockHolder.init(of:))
  }

  private static func hexadecimal(_ number: UInt) -> String {
    let digits = String(number, radix: 16)
    return digits.count < 2 ? "0\(digits)" : digits
  }

  private init(of process: Int32) {
    self.process = process
    let bytes =
      LockHolder.read("/proc/\(process)/cmdline", most: LockHolder.commandMax) ?? []
    command = bytes.split(separator: 0).map(Array.init)
  }

  /// Reads a file in `/proc`, whose status has no size.
  private static func read(_ path: String, most: Int) -> [UInt8]? {
    guard let descriptor = try? openFile(Array(path.utf8), O_RDONLY) else { return nil }
    defer { close(descriptor.rawValue) }
    var bytes: [UInt8] = []
    while bytes.count < most,
      (try? descriptor.read(appendingTo: &bytes, count: min(1 << 16, most - bytes.count))) == true
    {}
    return bytes
  }
}
