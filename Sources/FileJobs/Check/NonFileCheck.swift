// DESIGN. The feeding thread verifies directories, links and special files itself: that
// takes one system call each, which a walk would make on the same thread. Of a directory
// only the type is verified, because its size and time change with every name in it; of a
// link, the target. A path that is too long for one call takes two descriptors for a
// moment, as in a walk.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The comparison of directories, links and special files with their entries.
enum NonFileCheck {
  static func verdict(on entry: MtreeEntry) -> CheckVerdict {
    do throws(Errno) {
      return try compare(entry, Array(entry.name) + [0])
    } catch {
      if !error.isMissing { return .unreadable(error) }
      return entry.isOptional ? .skipped : .missing
    }
  }

  private static func compare(
    _ entry: MtreeEntry, _ path: [UInt8]
  ) throws(Errno) -> CheckVerdict {
    // A link to a directory counts as the directory: the names below it lead through it.
    let status = try LongPath.status(path, followsLinks: entry.type == .directory)
    guard FileWalk.EntryType(mode: status.st_mode) == entry.type else {
      return .wrongType(mode: status.st_mode)
    }
    guard entry.type == .symbolicLink, let expected = entry.target else { return .matched }
    let capacity = Int(PATH_MAX) + 1
    let target = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    defer { target.deallocate() }
    let length = try LongPath.target(path, to: target, capacity: capacity)
    let points = UnsafeRawBufferPointer(start: target, count: length)
    return points.elementsEqual(expected) ? .matched : .wrongTarget
  }
}

/// The `optional` directories of a manifest that do not exist. Everything below them may be
/// missing too.
///
/// DESIGN. Of nested directories only the outermost is stored: memory grows with missing ones only.
struct AbsentDirectories {
  private var paths: Set<[UInt8]> = []

  /// Returns true if a name lies below one of the directories.
  func contain(_ name: UnsafeRawBufferPointer) -> Bool {
    if paths.isEmpty { return false }
    let path = AbsentDirectories.bytes(of: name)
    return path.indices.contains { index in
      path[index] == .slash && paths.contains(Array(path[..<index]))
    }
  }

  mutating func insert(_ name: UnsafeRawBufferPointer) {
    if !contain(name) { paths.insert(AbsentDirectories.bytes(of: name)) }
  }

  /// Returns a path without `./` at its beginning and slashes at its end.
  private static func bytes(of name: UnsafeRawBufferPointer) -> [UInt8] {
    var path = name[...]
    if MtreeLine.isDotted(name) { path = path.dropFirst(2) }
    while path.last == .slash && path.count > 1 { path = path.dropLast() }
    return Array(path)
  }
}
