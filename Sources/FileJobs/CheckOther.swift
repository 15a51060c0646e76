// What is no file in a manifest of mtree(5).
//
// DESIGN. Directories, links and special files are looked at by the thread that
// feeds: that takes one system call each, and a walk would do the same there. Of
// a directory the type alone is verified, since its size and time change with
// every name in it; of a link what it points to.

#if Tool
  internal import Glibc
  internal import Weir

  /// Compares directories, links and special files with what is recorded of them.
  struct CheckOther: ~Copyable {
    private var path: [CChar] = []
    private let target = UnsafeMutablePointer<CChar>.allocate(capacity: targetMax)

    private static let targetMax = Int(PATH_MAX) + 1

    deinit { target.deallocate() }

    /// The verdict on an entry that is no file.
    mutating func verdict(on entry: MtreeEntry) -> CheckVerdict {
      if entry.isIgnored { return CheckVerdict(.passed) }
      path.removeAll(keepingCapacity: true)
      for byte in entry.name { path.append(CChar(bitPattern: byte)) }
      path.append(0)
      var status = stat()
      // What is behind a link to a directory is reached through it.
      let result =
        entry.type == .directory ? stat(path, &status) : lstat(path, &status)
      if result != 0 { return CheckOther.failure(errno, entry) }
      guard EntryType(mode: status.st_mode) == entry.type else {
        return CheckVerdict(.wrongType, status.st_mode)
      }
      guard entry.type == .symbolicLink, let expected = entry.target else {
        return CheckVerdict(.matched)
      }
      let length = readlink(path, target, CheckOther.targetMax)
      if length < 0 { return CheckOther.failure(errno, entry) }
      let points = UnsafeRawBufferPointer(start: target, count: length)
      return CheckVerdict(points.elementsEqual(expected) ? .matched : .wrongTarget)
    }

    private static func failure(_ error: Int32, _ entry: MtreeEntry) -> CheckVerdict {
      if error == ENOENT || error == ENOTDIR {
        return CheckVerdict(entry.isOptional ? .passed : .missing)
      }
      return CheckVerdict(.unreadable, UInt32(error))
    }
  }
#endif
