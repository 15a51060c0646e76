// The PATHs of the run that made a manifest: what it found below them was no symbolic link.
//
// DESIGN. `weir hash` records what a walk finds, and a walk follows no link unless `--follow` is given. An
// update says that such a file is gone when a link has its name, so a check does not read through one.
// Lists of other programs say nothing of links, which are followed, as by those programs.

/// The roots of the walks of a run that followed no symbolic links.
struct WalkedRoots {
  private let roots: [[UInt8]]
  /// True if a root is below another one.
  private let areNested: Bool
  /// The root of the last name: names come in the order of the walks.
  private var last: [UInt8]

  /// - Parameter header: The first line of the records; `nil` if the manifest has none.
  init?(_ header: LedgerHeader?) {
    guard let header, header.values(of: "follow").isEmpty, header.hasPathsOnly else { return nil }
    roots = header.inputs.map(\.value)
    last = roots[0]
    let sorted = roots.sorted { $0.lexicographicallyPrecedes($1) }
    areNested = zip(sorted, sorted.dropFirst()).contains { outer, inner in
      inner.withUnsafeBytes { WalkedRoots.contains(outer, $0) }
    }
  }

  /// Returns the number of bytes of a name that lead to its root; `nil` for a name that is a root itself,
  /// or is below none.
  mutating func count(in name: UnsafeRawBufferPointer) -> Int? {
    if areNested {
      if roots.contains(where: { name.elementsEqual($0) }) { return nil }
      return roots.lazy.filter { WalkedRoots.contains($0, name) }.map(\.count).max()
    }
    if !WalkedRoots.contains(last, name) {
      guard let root = roots.first(where: { WalkedRoots.contains($0, name) }) else { return nil }
      last = root
    }
    return last.count
  }

  private static func contains(_ root: [UInt8], _ name: UnsafeRawBufferPointer) -> Bool {
    name.count > root.count && name.starts(with: root)
      && (root.last == .slash || name[root.count] == .slash)
  }
}
