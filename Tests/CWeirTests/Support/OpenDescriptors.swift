// What descriptors this process has open.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc

/// How many there are.
func openDescriptors() -> Int { openDescriptorNumbers().count }

func openDescriptorNumbers() -> [Int32] {
  guard let directory = opendir("/proc/self/fd") else { return [] }
  defer { closedir(directory) }
  let own = dirfd(directory)
  var numbers: [Int32] = []
  while let entry = readdir(directory) {
    if let number = Int32(name(of: entry)), number != own { numbers.append(number) }
  }
  return numbers
}

/// How many lead to something whose path begins so.
func openDescriptors(below path: String) -> Int {
  openDescriptorNumbers().count { number in
    var target = [UInt8](repeating: 0, count: 4096)
    let length = target.withUnsafeMutableBytes {
      readlink("/proc/self/fd/\(number)", $0.baseAddress!.assumingMemoryBound(to: CChar.self), 4096)
    }
    return length > 0 && target.prefix(length).starts(with: path.utf8)
  }
}

private func name(of entry: UnsafeMutablePointer<dirent>) -> String {
  withUnsafePointer(to: &entry.pointee.d_name) {
    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
  }
}

private let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

/// Sets the soft limit.
func setDescriptorLimit(_ limit: Int) -> Bool {
  var limits = rlimit()
  getrlimit(descriptors, &limits)
  limits.rlim_cur = rlim_t(limit)
  return setrlimit(descriptors, &limits) == 0
}

func hardDescriptorLimit() -> Int {
  var limits = rlimit()
  getrlimit(descriptors, &limits)
  return Int(clamping: limits.rlim_max)
}
