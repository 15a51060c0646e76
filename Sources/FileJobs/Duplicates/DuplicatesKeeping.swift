// The file of a group that stays, by --keep.

internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The choice of the file that stays, in each group of duplicates.
///
/// DESIGN. A file below a directory to keep is recognized by the real path of its directory, since
/// the user may have named one of them by a symbolic link. A file whose directory has no real path,
/// because it is gone or too deep, stays.
package struct DuplicatesKeeping: Sendable {
  /// A property that decides among the files of a group.
  package enum Rule: String, CaseIterable, Sendable {
    case first, last, oldest, newest
  }

  private let rule: Rule?
  /// The real paths to keep, each with a slash at its end.
  private let roots: [[UInt8]]

  private static let slash = UInt8(ascii: "/")

  /// - Parameters:
  ///   - rule: Decides among the files below `roots`, or among all if none is below them.
  ///     Without a rule it is the first file, and a group without a file below `roots` stays as it
  ///     is.
  ///   - roots: Files, and directories whose files stay all.
  /// - Throws: A fault of a path that does not exist.
  package init(_ rule: Rule?, below roots: [[UInt8]]) throws(Fault) {
    self.rule = rule
    self.roots = try roots.map { root throws(Fault) in
      if let path = DuplicatesKeeping.realRoot(root) { return path }
      throw Fault(root, .system(.noSuchFileOrDirectory))
    }
  }

  /// Returns the index of the file that stays, and those of the files that need not; `nil` if all
  /// stay.
  package func decide(_ group: DuplicatesGroup) -> (kept: Int, others: [Int])? {
    let files = group.files
    let protected = roots.isEmpty ? [] : files.indices.filter { isProtected(files[$0]) }
    if protected.isEmpty && !roots.isEmpty && rule == nil { return nil }
    let eligible = protected.isEmpty ? Array(files.indices) : protected
    let kept: Int? =
      switch rule ?? .first {
      case .first: eligible.first
      case .last: eligible.last
      case .oldest: eligible.min { files[$0].modified < files[$1].modified }
      case .newest: eligible.max { files[$0].modified < files[$1].modified }
      }
    guard let kept else { return nil }
    let stay = protected.isEmpty ? [kept] : Set(protected)
    let others = files.indices.filter { !stay.contains($0) }
    return others.isEmpty ? nil : (kept, others)
  }

  private func isProtected(_ file: DuplicatesGroup.File) -> Bool {
    file.names.numbers.contains { number in
      let table = file.candidates.table
      let location = table[number].location
      let directory = Array(table.paths.path(ofDirectory: location.directory))
      let named = directory.isEmpty ? Array(".".utf8) : directory
      guard let real = DuplicatesKeeping.realRoot(named) else { return true }
      let path = real + table.paths.name(location) + [DuplicatesKeeping.slash]
      return roots.contains { path.starts(with: $0) }
    }
  }

  /// Returns the real path with a slash at its end; `nil` if there is none.
  private static func realRoot(_ path: [UInt8]) -> [UInt8]? {
    realPath(path).map { $0.last == slash ? $0 : $0 + [slash] }
  }
}
