// Which descriptors a manifest can name.

internal import Glibc

enum CheckDescriptors {
  /// Where there is no list of them.
  private static let countMax: Int32 = 1024

  /// The descriptors that are open now. To be asked for before the program opens
  /// any itself, and before it starts a thread that may.
  static func openNow() -> Set<Int32> {
    guard let directory = opendir("/dev/fd") else {
      return Set((0..<countMax).filter { fcntl($0, F_GETFD) != -1 })
    }
    defer { closedir(directory) }
    var numbers: Set<Int32> = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = Int32(name), number != dirfd(directory) { numbers.insert(number) }
    }
    return numbers
  }
}
