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

/// How many lead to something whose path begins so: those of lanes, and those
/// of the walk, which alone opens directories to read them.
///
/// Others open and close meanwhile, and a file that moves to another number is
/// seen twice: so it is the least of three looks.
func openDescriptors(below path: String) -> (lanes: Int, walk: Int) {
  let looks = (0..<3).map { _ in oneLook(below: path) }
  return (looks.map(\.lanes).min()!, looks.map(\.walk).min()!)
}

private func oneLook(below path: String) -> (lanes: Int, walk: Int) {
  var count = (lanes: 0, walk: 0)
  for number in openDescriptorNumbers() where leads(number, below: path) {
    switch isDirectoryToRead(number) {
    case true?: count.walk += 1
    case false?: count.lanes += 1
    case nil: break  // closed meanwhile
    }
  }
  return count
}

private func leads(_ number: Int32, below path: String) -> Bool {
  var target = [UInt8](repeating: 0, count: 4096)
  let length = target.withUnsafeMutableBytes {
    readlink("/proc/self/fd/\(number)", $0.baseAddress!.assumingMemoryBound(to: CChar.self), 4096)
  }
  return length > 0 && target.prefix(length).starts(with: path.utf8)
}

private func isDirectoryToRead(_ number: Int32) -> Bool? {
  var status = stat()
  let pathOnly: Int32 = 0o10000000 /* O_PATH */
  guard fstat(number, &status) == 0 else { return nil }
  return status.st_mode & S_IFMT == S_IFDIR && fcntl(number, F_GETFL) & pathOnly == 0
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
