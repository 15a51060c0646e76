// DESIGN. mtree(8) of NetBSD requires a line for every directory before its contents, beginning
// with `.`, and a `./` before every name. So the writer adds the parent directories that the walk
// did not report. A comment records the user's form of the names at each change: `#weir bare`
// (`a/b`, `/a/b`) and `#weir dotted` (`./a/b`), which is the first. The writer remembers the last
// directory only.

package import Weir

/// A writer of the lines of a manifest of mtree(5) around those that a job writes for files.
package struct MtreeWriter: Sendable {
  private var isBare = false
  private var hasRoot = false
  /// The directory of the name before.
  private var directory: [UInt8] = []

  /// Makes a writer for the rest of a manifest after its first line.
  package init() {}

  /// Makes a writer for the beginning of a manifest, whose first line it appends.
  package init(version: String, to lines: inout [UInt8]) {
    lines += MtreeWriter.header(version: version)
  }

  /// Returns the first line: `#mtree v2.0 weir VERSION`.
  package static func header(version: String) -> [UInt8] {
    Array("#mtree v2.0 weir \(version)\n".utf8)
  }

  /// Appends a result of a ``HashJob`` in ``ManifestFormat/mtree``. A failed file has no line.
  package mutating func append(_ result: FileResult, to lines: inout [UInt8]) {
    switch result.outcome {
    case .done:
      append(before: result.path, to: &lines)
      lines.append(contentsOf: result.output)
    case .directory:
      append(before: result.path, isDirectory: true, to: &lines)
    case .link:
      append(before: result.path, to: &lines)
      MtreeLine.append(link: result.path, target: result.output, to: &lines)
    default: break
    }
  }

  /// Appends the lines before that of a file or a link; for a directory its own line too.
  package mutating func append(
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

  /// Appends the parent directories that the name before does not have.
  private mutating func appendDirectories(
    of name: UnsafeRawBufferPointer, isDirectory: Bool, to lines: inout [UInt8]
  ) {
    let path = name[..<(isDirectory ? name.count : name.lastIndex(of: .slash) ?? 0)]
    let end = path.lastIndex { $0 != .slash }.map { $0 + 1 } ?? 0
    let parent = name[..<end].rebased
    if directory.withUnsafeBytes({ parent.hasSameBytes(as: $0) }) { return }
    var begin = sharedLength(of: parent)
    while begin < parent.count {
      var next = begin
      while next < parent.count && parent[next] == .slash { next += 1 }
      let part = next
      while next < parent.count && parent[next] != .slash { next += 1 }
      if !parent[part..<next].elementsEqual(".".utf8) {
        MtreeLine.append(directory: parent[..<next].rebased, to: &lines)
      }
      begin = next
    }
    directory.removeAll(keepingCapacity: true)
    directory.append(contentsOf: parent)
  }

  /// Returns the length, in whole components, that a path shares with the directory before.
  private func sharedLength(of parent: UnsafeRawBufferPointer) -> Int {
    var shared = 0
    for index in 0...min(parent.count, directory.count) {
      let isEnd = index == parent.count || parent[index] == .slash
      let isEndBefore = index == directory.count || directory[index] == .slash
      if isEnd && isEndBefore { shared = index }
      guard index < parent.count, index < directory.count, parent[index] == directory[index]
      else { break }
    }
    return shared
  }
}
