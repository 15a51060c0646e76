// The open descriptors of this process.

import Glibc

/// The open descriptors of this process.
enum OpenDescriptors {
  /// The numbers of all but the standard ones.
  static var numbers: [Int32] {
    guard let folder = opendir("/proc/self/fd") else { return [] }
    defer { closedir(folder) }
    var numbers: [Int32] = []
    while let entry = readdir(folder) {
      let number = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { Int32(atoi($0)) }
      }
      if number > 2 && number != dirfd(folder) { numbers.append(number) }
    }
    return numbers
  }

  /// Closes all but the standard ones.
  static func closeAll() {
    for number in numbers { close(number) }
  }
}
