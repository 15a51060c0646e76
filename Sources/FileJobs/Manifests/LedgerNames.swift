// The names of files, compared across runs.
//
// DESIGN. Names are compared as the paths that they are from the working directory of their run,
// without `.` and repeated slashes: `u`, `./u`, `u/` and `/srv/u` are one path in /srv. `..` stays
// after another component, since it may lead out of a symbolic link; the working directory has
// none. (Rejected: to compare spellings first, and paths of the names that are found in none. An
// update from the parent directory gave p/y the record of p/p/y, which was ./p/y.)
//
// A tree that was copied and is updated with `-C` has the names of the original. Whether it is
// such a tree is decided once for a manifest: see ``FormerManifest``.

/// The names of the files of a run.
struct LedgerNames: Equatable {
  /// The working directory; empty if unknown.
  let directory: [UInt8]

  private static let dash = UInt8(ascii: "-")

  /// Returns a path; it begins with `.` if the working directory is unknown. `-` is standard input.
  func path(of name: some Collection<UInt8>) -> [UInt8] {
    if name.elementsEqual(CollectionOfOne(LedgerNames.dash)) { return [LedgerNames.dash] }
    if name.first != .slash, !directory.isEmpty, LedgerNames.isPlain(name) {
      return directory == [.slash] ? directory + name : directory + [.slash] + name
    }
    var path = directory.isEmpty ? [UInt8(ascii: ".")] : directory
    if name.first == .slash || path == [.slash] { path = [] }
    var canLeave = name.first != .slash && !directory.isEmpty
    for component in name.split(separator: .slash)
    where !component.elementsEqual(".".utf8) {
      canLeave = canLeave && component.elementsEqual("..".utf8)
      if canLeave {
        path.removeSubrange((path.lastIndex(of: .slash) ?? 0)...)
      } else {
        path.append(.slash)
        path += component
      }
    }
    return path.isEmpty ? [.slash] : path
  }

  /// Returns true if a name has no empty component, none that begins with a dot, and no last slash.
  private static func isPlain(_ name: some Collection<UInt8>) -> Bool {
    var before = UInt8.slash
    for byte in name {
      if before == .slash && (byte == .slash || byte == UInt8(ascii: ".")) { return false }
      before = byte
    }
    return before != .slash
  }

  /// Returns a name of a path: a relative one below the working directory.
  func name(of path: [UInt8]) -> [UInt8] {
    let parent = directory.last == .slash ? directory : directory + [.slash]
    return path.starts(with: parent)
      ? LedgerNames.canonical("./".utf8 + path[parent.count...]) : path
  }

  /// Returns the path and its directories as far as they have one of some lengths: of a path of many
  /// components they would take the square of its bytes.
  static func ancestors(of path: [UInt8], lengths: Set<Int>) -> [[UInt8]] {
    let parents = path.indices.filter { end in
      path[end] == .slash && path.count > 1 && lengths.contains(max(end, 1))
    }
    return (lengths.contains(path.count) ? [path] : [])
      + parents.map { $0 == 0 ? [.slash] : Array(path[..<$0]) }
  }

  /// Drops `.` and repeated slashes; empty for `.`. `./-` stays, since `-` is standard input.
  static func canonical(_ name: some Collection<UInt8>) -> [UInt8] {
    if isPlain(name) { return Array(name) }
    let parts = name.split(separator: .slash).filter { !$0.elementsEqual(".".utf8) }
    let path = (name.first == .slash ? [UInt8.slash] : []) + parts.joined(separator: [UInt8.slash])
    return path == [dash] && name.count > 1 ? Array(DashFile.name) : path
  }

  /// Returns the hash of a name without `.` and repeated slashes, with the seed of the process.
  static func hash(_ name: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    let rest = MtreeLine.isDotted(name) ? name.dropFirst(2).rebased : name
    if isPlain(rest) {
      hasher.combine(bytes: rest)
    } else {
      canonical(name).withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    return hasher.finalize()
  }
}

/// Returns a path without `.` and repeated slashes; empty for `.`.
package func canonicalPath(_ path: [UInt8]) -> [UInt8] { LedgerNames.canonical(path) }
