// What the system has of a file in memory, and its removal.
//
// DESIGN. POSIX_FADV_DONTNEED is a wish: pages that are dirty, locked or mapped stay, and so does
// all of a file system in memory. So mincore(2) is asked afterwards. It answers truthfully to the
// owner of a file and to those who may write it; to others every page counts as in memory, which
// is the safe side. fdatasync(2) may flush the disk's own cache, so it is called only if pages
// stayed. Rejected: O_DIRECT, which some file systems lack and others ignore, and which needs
// aligned reads; cachestat(2), which counts nothing for a file of overlayfs.

internal import SystemPackage
internal import Weir
internal import WeirLibC

enum PageCache {
  /// The bytes of a file that one question to the system is about.
  private static let windowSize = 1 << 30

  /// Drops a regular file from memory. Returns true if nothing of it is left.
  static func drop(_ file: FileDescriptor) -> Bool {
    guard let status = try? stat(of: file), status.isRegularFile else { return false }
    let size = Int(status.st_size)
    if isDropped(file, size) { return true }
    _ = try? retryingOnInterrupt { fdatasync(file.rawValue) }
    return isDropped(file, size)
  }

  private static func isDropped(_ file: FileDescriptor, _ size: Int) -> Bool {
    guard posix_fadvise(file.rawValue, 0, 0, POSIX_FADV_DONTNEED) == 0 else { return false }
    return stride(from: 0, to: size, by: windowSize).allSatisfy { offset in
      isAbsent(file, offset, min(windowSize, size - offset))
    }
  }

  /// Returns true if no page of a part of a file is in memory.
  private static func isAbsent(_ file: FileDescriptor, _ offset: Int, _ length: Int) -> Bool {
    guard let map = mmap(nil, length, PROT_READ, MAP_SHARED, file.rawValue, off_t(offset)),
      map != MAP_FAILED
    else { return false }
    defer { munmap(map, length) }
    let pageSize = sysconf(Int32(_SC_PAGESIZE))
    var pages = [UInt8](repeating: 1, count: (length + pageSize - 1) / pageSize)
    return mincore(map, length, &pages) == 0 && pages.allSatisfy { $0 & 1 == 0 }
  }
}
