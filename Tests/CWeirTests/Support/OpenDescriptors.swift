// What descriptors this process has open.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc

/// How many there are.
func openDescriptors() -> Int { openDescriptorNumbers().count }

/// Lets libdispatch open the descriptors of its manager and of its timers, which a thread of its own
/// does later.
func settleDescriptors() {
  let settled = Latch(1)
  dispatch_after(after(milliseconds: 1), globalQueue()) { settled.arrive() }
  settled.wait()
}

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
/// Others open and close meanwhile: those count that three looks see, which are open at once.
func openDescriptors(below path: String) -> (lanes: Int, walk: Int) {
  var open = oneLook(below: path)
  for _ in 0..<2 { open.formIntersection(oneLook(below: path)) }
  let walk = open.count { $0.isDirectoryToRead }
  return (open.count - walk, walk)
}

private struct OpenDescriptor: Hashable {
  let number: Int32
  let inode: ino_t
  let isDirectoryToRead: Bool

  /// Returns `nil` if it was closed meanwhile.
  init?(_ number: Int32) {
    var status = stat()
    let pathOnly: Int32 = 0o10000000 /* O_PATH */
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, fstat(number, &status) == 0 else { return nil }
    self.number = number
    inode = status.st_ino
    isDirectoryToRead = status.st_mode & S_IFMT == S_IFDIR && flags & pathOnly == 0
  }
}

private func oneLook(below path: String) -> Set<OpenDescriptor> {
  Set(openDescriptorNumbers().filter { leads($0, below: path) }.compactMap(OpenDescriptor.init))
}

private func leads(_ number: Int32, below path: String) -> Bool {
  var target = [UInt8](repeating: 0, count: 4096)
  let length = target.withUnsafeMutableBytes {
    readlink("/proc/self/fd/\(number)", $0.baseAddress!.assumingMemoryBound(to: CChar.self), 4096)
  }
  return length > 0 && target.prefix(length).starts(with: path.utf8)
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
