// What stands between the lines of a manifest of mtree(5).
//
// DESIGN. mtree(8) of NetBSD wants every directory named before what is in it,
// beginning with `.`, and every name to begin with `./`. So the directories that
// names go through are written where the walk did not bring them, and how a name
// was given stands in a comment where that changes: `#weir bare` (`a/b`, `/a/b`)
// and `#weir dotted` (`./a/b`), which is how it begins. All that is remembered
// is one path: the directory of the name before.

/// Writes what goes before the lines: the first one, the directories that names
/// go through, and how names were given.
public struct MtreeFrame: Sendable {
  private var isBare = false
  private var hasRoot = false
  /// The directory of the name before.
  private var directory: [UInt8] = []

  private static let slash = UInt8(ascii: "/")

  /// A frame at its beginning, behind the first line.
  public init() {}

  /// The first line: `#mtree v2.0 weir VERSION`.
  public static func header(version: String) -> [UInt8] {
    Array("#mtree v2.0 weir \(version)\n".utf8)
  }

  /// Writes what goes before the line of a file, a link, or, where
  /// `isDirectory`, of a directory, with that line.
  ///
  /// - Parameters:
  ///   - name: Its name, as it was given or found.
  ///   - isDirectory: Whether it is a directory.
  ///   - lines: Where to write, at the end.
  public mutating func append(
    before name: UnsafeRawBufferPointer, isDirectory: Bool = false, to lines: inout [UInt8]
  ) {
    if !hasRoot {
      hasRoot = true
      lines.append(contentsOf: ". type=dir\n".utf8)
    }
    let isDotted = MtreeLine.isDotted(name)
    if isDotted == isBare && !(isDotted && name.count == 1) {
      isBare = !isDotted
      lines.append(contentsOf: (isBare ? "#weir bare\n" : "#weir dotted\n").utf8)
      directory.removeAll(keepingCapacity: true)
    }
    appendDirectories(of: name, isDirectory: isDirectory, to: &lines)
  }

  /// Writes the directories of a name that are not those of the name before.
  private mutating func appendDirectories(
    of name: UnsafeRawBufferPointer, isDirectory: Bool, to lines: inout [UInt8]
  ) {
    let end = isDirectory ? name.count : name.lastIndex(of: MtreeFrame.slash) ?? 0
    let parent = UnsafeRawBufferPointer(rebasing: name[..<MtreeFrame.trimmed(name, end)])
    if parent.elementsEqual(directory) { return }
    var begin = known(of: parent)
    while begin < parent.count {
      var next = begin
      while next < parent.count && parent[next] == MtreeFrame.slash { next += 1 }
      let part = next
      while next < parent.count && parent[next] != MtreeFrame.slash { next += 1 }
      let isDot = next - part == 1 && parent[part] == UInt8(ascii: ".")
      if !isDot {
        MtreeFrame.append(
          directory: UnsafeRawBufferPointer(rebasing: parent[..<next]), to: &lines)
      }
      begin = next
    }
    directory.removeAll(keepingCapacity: true)
    directory.append(contentsOf: parent)
  }

  /// How much of a path, in whole parts, is that of the directory before.
  private func known(of parent: UnsafeRawBufferPointer) -> Int {
    var known = 0
    for index in 0...min(parent.count, directory.count) {
      let isEnd = index == parent.count || parent[index] == MtreeFrame.slash
      let isItsEnd = index == directory.count || directory[index] == MtreeFrame.slash
      if isEnd && isItsEnd { known = index }
      guard index < parent.count, index < directory.count, parent[index] == directory[index]
      else { break }
    }
    return known
  }

  /// An end of a name without the slashes before it.
  private static func trimmed(_ name: UnsafeRawBufferPointer, _ end: Int) -> Int {
    var end = end
    while end > 0 && name[end - 1] == slash { end -= 1 }
    return end
  }

  private static func append(directory: UnsafeRawBufferPointer, to lines: inout [UInt8]) {
    let capacity = MtreeLine.capacity(directoryName: directory.count)
    lines += [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
      count = MtreeLine.write(directory: directory, to: UnsafeMutableRawBufferPointer(memory))
    }
  }
}
