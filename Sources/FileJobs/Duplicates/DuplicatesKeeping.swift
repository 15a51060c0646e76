internal import SystemPackage

/// The change that a script makes to the files of a group but one.
package enum DuplicatesAction: String, CaseIterable, Sendable {
  case link, reflink, delete

  /// The files among which one can take the place of another.
  struct Part: Hashable {
    var system: UInt64 = 0
    var rights: FileRights?
  }

  /// Hard links are on one device, and have one owner and mode; clones are on one file system.
  func part(of blocks: FileBlocks, on device: UInt64) -> Part {
    switch self {
    case .link: Part(system: device, rights: blocks.rights)
    case .reflink: Part(system: blocks.system)
    case .delete: Part()
    }
  }
}

/// The files of a group that a script changes, by their indices.
package struct DuplicatesDecision {
  package fileprivate(set) var parts: [(kept: Int, others: [Int])] = []
  /// Files that stay, although something would be freed, since no file can take their place.
  package fileprivate(set) var unmatched: [Int] = []
  /// Files that stay since nothing would be freed.
  package fileprivate(set) var held: [Int] = []
  /// The bytes that are freed, and those that are not since something else has the same blocks.
  package fileprivate(set) var saving: UInt64 = 0
  package fileprivate(set) var shared: UInt64 = 0

  fileprivate mutating func leave(
    _ group: DuplicatesGroup, _ blocks: [FileBlocks], _ action: DuplicatesAction
  ) {
    let removed = Set(parts.flatMap(\.others))
    let (candidates, members, size) = (group.candidates, group.members, group.size)
    if !unmatched.isEmpty {
      let all = removed.union(unmatched)
      let unfreed = candidates.unfreed(members, blocks) { !all.contains($0) }
      unmatched.removeAll { unfreed[$0].isWhole }
    }
    let unfreed = candidates.unfreed(members, blocks) { !removed.contains($0) }
    held = removed.filter { unfreed[$0].isWhole || size == 0 && action == .reflink }.sorted()
    parts = parts.compactMap { kept, others in
      let left = others.filter { !held.contains($0) }
      return left.isEmpty ? nil : (kept, left)
    }
    for index in removed {
      shared &+= unfreed[index].shared
      saving &+= size &- unfreed[index].shared &- unfreed[index].holes
    }
  }
}

/// The choice of the file that stays, in each group of duplicates.
///
/// DESIGN. A file below a directory to keep is recognized by the real path of its directory, since
/// the user may have named one of them by a symbolic link. A file whose directory has no real path,
/// because it is gone or too deep, stays.
package struct DuplicatesKeeping: Sendable {
  package enum Rule: String, CaseIterable, Sendable {
    case first, last, oldest, newest
  }

  private let rule: Rule?
  /// The real paths to keep, each with a slash at its end.
  private let roots: [[UInt8]]

  /// - Parameters:
  ///   - rule: Decides among the files below `roots`, or among all if none is below them. Without a
  ///     rule it is the first file, and a group without a file below `roots` stays.
  ///   - roots: Files, and directories whose files stay all.
  /// - Throws: A fault of a path that does not exist.
  package init(_ rule: Rule?, below roots: [[UInt8]]) throws(Fault) {
    self.rule = rule
    self.roots = try roots.map { root throws(Fault) in
      if let path = DuplicatesKeeping.realRoot(root) { return path }
      throw Fault(root, .system(.noSuchFileOrDirectory))
    }
  }

  package func decide(_ group: DuplicatesGroup, _ action: DuplicatesAction) -> DuplicatesDecision {
    let files = group.files
    let blocks = group.members.map { group.candidates.blocks(of: $0) }
    let protected = Set(roots.isEmpty ? [] : files.indices.filter { isProtected(files[$0]) })
    var decision = DuplicatesDecision()
    let parts = Dictionary(grouping: files.indices) { index in
      action.part(of: blocks[index], on: files[index].device)
    }.values.sorted { $0[0] < $1[0] }
    let chosen = choose(Array(files.indices), protected, of: group)
    for part in parts {
      guard let kept = choose(part, protected, of: group) else {
        // Only a group of which some files are to be kept is changed.
        if !protected.isEmpty { decision.unmatched += part }
        continue
      }
      let others = part.filter { $0 != kept && !protected.contains($0) }
      if !others.isEmpty {
        decision.parts.append((kept, others))
      } else if kept != chosen && !protected.contains(kept) {
        decision.unmatched.append(kept)
      }
    }
    decision.leave(group, blocks, action)
    return decision
  }

  /// Returns the file of a part of a group that stays; `nil` if all stay.
  private func choose(_ part: [Int], _ protected: Set<Int>, of group: DuplicatesGroup) -> Int? {
    let files = group.files
    let own = part.filter { protected.contains($0) }
    if own.isEmpty && !roots.isEmpty && rule == nil { return nil }
    let eligible = own.isEmpty ? part : own
    return switch rule ?? .first {
    case .first: eligible.first
    case .last: eligible.last
    case .oldest: eligible.min { files[$0].modified < files[$1].modified }
    case .newest: eligible.max { files[$0].modified < files[$1].modified }
    }
  }

  private func isProtected(_ file: DuplicatesGroup.File) -> Bool {
    file.candidates.names(of: file.number).contains { number in
      let table = file.candidates.table
      let location = table[number].location
      let directory = Array(table.paths.path(ofDirectory: location.directory))
      let named = directory.isEmpty ? Array(".".utf8) : directory
      guard let real = DuplicatesKeeping.realRoot(named) else { return true }
      let path = real + table.paths.name(location) + [.slash]
      return roots.contains { path.starts(with: $0) }
    }
  }

  /// Returns the real path with a slash at its end; `nil` if there is none.
  private static func realRoot(_ path: [UInt8]) -> [UInt8]? {
    realPath(path).map { $0.last == .slash ? $0 : $0 + [.slash] }
  }
}
