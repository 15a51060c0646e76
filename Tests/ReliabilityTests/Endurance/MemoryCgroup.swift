// A cgroup that bounds the memory of runs.

import Glibc
import TestSupport

/// A child of the cgroup of this process with a limit of memory, removed with the last reference.
final class MemoryCgroup: Sendable {
  let path: String

  /// Returns `nil` if this process may not make one.
  init?(bytes: Int) {
    var parents: [String] = []
    if let stream = fopen("/proc/self/cgroup", "re") {
      var line = [CChar](repeating: 0, count: 4096)
      while fgets(&line, 4096, stream) != nil {
        let bytes = line.prefix { $0 != 0 && $0 != 0x0A }.map { UInt8(bitPattern: $0) }
        let parts = String(decoding: bytes, as: UTF8.self)
          .split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { continue }
        if parts[1] == "memory" { parents.append("/sys/fs/cgroup/memory\(parts[2])") }
        if parts[1].isEmpty { parents.append("/sys/fs/cgroup\(parts[2])") }
      }
      fclose(stream)
    }
    parents.append("/sys/fs/cgroup/memory")
    for parent in parents {
      let path = "\(parent)/weir-test-\(getpid())-\(bytes >> 20)"
      guard mkdir(path, 0o755) == 0 else { continue }
      for name in ["memory.limit_in_bytes", "memory.max"] {
        guard let file = fopen("\(path)/\(name)", "r+e") else { continue }
        let isSet = fputs("\(bytes)", file) >= 0
        if fclose(file) == 0 && isSet {
          self.path = path
          return
        }
      }
      rmdir(path)
    }
    return nil
  }

  deinit { rmdir(path) }
}
