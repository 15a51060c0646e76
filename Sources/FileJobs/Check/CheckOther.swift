// What is no file in a manifest of mtree(5).
//
// DESIGN. Directories, links and special files are looked at by the thread that
// feeds: that takes one system call each, and a walk would do the same there. Of
// a directory the type alone is verified, since its size and time change with
// every name in it; of a link what it points to. A path that is too long for one
// call takes two descriptors for a moment, as it does in a walk.

internal import Glibc
internal import SystemPackage
internal import Weir

/// Compares directories, links and special files with what is recorded of them.
struct CheckOther: ~Copyable {
  private var path: [UInt8] = []
  private let target = UnsafeMutablePointer<CChar>.allocate(capacity: targetMax)

  private static let targetMax = Int(PATH_MAX) + 1

  deinit { target.deallocate() }

  /// The verdict on an entry that is no file.
  mutating func verdict(on entry: MtreeEntry) -> CheckVerdict {
    if entry.isIgnored { return CheckVerdict(.passed) }
    path.removeAll(keepingCapacity: true)
    path.append(contentsOf: entry.name)
    path.append(0)
    do throws(Errno) {
      return try compare(entry)
    } catch {
      return CheckOther.failure(error, entry)
    }
  }

  private func compare(_ entry: MtreeEntry) throws(Errno) -> CheckVerdict {
    // What is behind a link to a directory is reached through it.
    let status = try LongPath.status(path, followsLinks: entry.type == .directory)
    guard EntryType(mode: status.st_mode) == entry.type else {
      return CheckVerdict(.wrongType, status.st_mode)
    }
    guard entry.type == .symbolicLink, let expected = entry.target else {
      return CheckVerdict(.matched)
    }
    let length = try LongPath.target(path, to: target, capacity: CheckOther.targetMax)
    let points = UnsafeRawBufferPointer(start: target, count: length)
    return CheckVerdict(points.elementsEqual(expected) ? .matched : .wrongTarget)
  }

  private static func failure(_ error: Errno, _ entry: MtreeEntry) -> CheckVerdict {
    if error == .noSuchFileOrDirectory || error == .notDirectory {
      return CheckVerdict(entry.isOptional ? .passed : .missing)
    }
    return CheckVerdict(.unreadable, UInt32(error.rawValue))
  }
}
