// The directories that are the same as wholes.
//
// DESIGN. Two directories are the same if they hold the same names with the same contents and
// nothing else: no link or special file, nothing unreadable or left out. From the leaves to the
// roots, each one gets the number of its class: that of all directories whose children have the
// same names and the same numbers, kept as a SHA-256. A class whose directories lie in those of one
// other class, one in each, is inside that class; likewise a group of files. Neither is reported,
// since the class above says all.
//
// A child file stands for its group, or for its inode if it is in none: hard links have the same
// content too. A file of no bytes is equal to any other, although it may not be read. Directories
// without a byte that could be saved are not reported.

internal import SystemPackage

package struct DuplicateDirectories: Sendable {
  /// The names, each with a slash at its end, in the order in which they were found.
  package let paths: [[UInt8]]
  /// The number of names of files in each, at any depth, and their bytes.
  package let files: UInt64
  package let size: UInt64
  package let saving: UInt64
}

/// The search for directories that are the same, after that for files.
struct DuplicatesDirectories {
  private static let none = DuplicatesPaths.none

  private let table: DuplicatesTable
  private let candidates: DuplicatesCandidates
  private let spansSources: Bool
  /// For each name in the table its file among the candidates, and for each of these its group.
  private var fileOf: [UInt32]
  private var groupOf: [UInt32]
  private let names: Buckets
  private let children: Buckets
  /// For each directory its class; none if it is not whole.
  private var classOf: [UInt32]
  private var members = Buckets([], count: 0)
  /// The classes that say something: they are reported, or are inside one that is.
  private var isAlive: [Bool] = []
  /// The directories to report, and the number of their first name.
  private(set) var found: [(name: UInt32, directories: DuplicateDirectories)] = []

  /// - Parameters:
  ///   - isWhole: For each directory, true if the walk has found nothing in it but files that
  ///     are in the table and directories.
  ///   - spansSources: True if directories are reported only if they are of two sources at least.
  init(
    _ candidates: DuplicatesCandidates, _ groups: [DuplicatesCandidates.Class], isWhole: [Bool],
    spansSources: Bool
  ) throws(Errno) {
    self.spansSources = spansSources
    self.candidates = candidates
    let table = candidates.table
    self.table = table
    fileOf = Array(repeating: DuplicatesDirectories.none, count: table.count)
    groupOf = Array(repeating: DuplicatesDirectories.none, count: candidates.count)
    for file in 0..<UInt32(candidates.count) {
      for name in candidates.names(of: file) { fileOf[Int(name)] = file }
    }
    for (number, group) in groups.enumerated() {
      for file in candidates.members[group.range] { groupOf[Int(file)] = UInt32(number) }
    }
    let parents = table.paths.parents
    names = Buckets(
      (0..<table.count).lazy.map { table[UInt32($0)].directory }, count: parents.count)
    children = Buckets(parents, count: parents.count)
    classOf = Array(repeating: DuplicatesDirectories.none, count: parents.count)
    try classify(isWhole)
    decide(parents)
  }

  /// Returns true if directories that are reported say all that a group would say.
  func imply(_ group: DuplicatesCandidates.Class) -> Bool {
    let directories = candidates.members[group.range].flatMap { file in
      Set(candidates.names(of: file).map { table[$0].directory })
    }
    return group.range.count > 1 && isInside(directories)
  }

  // MARK: Classes

  private mutating func classify(_ isWhole: [Bool]) throws(Errno) {
    let digest = try Digest(.sha256)
    var known: [[UInt8]: UInt32] = [:]
    for directory in classOf.indices.reversed() where isWhole[directory] {
      try digest.begin()
      guard try addChildren(of: UInt32(directory), to: digest) else { continue }
      try digest.finish()
      let number = known[Array(digest.bytes), default: UInt32(known.count)]
      known[Array(digest.bytes)] = number
      classOf[directory] = number
    }
    members = Buckets(classOf, count: known.count)
    isAlive = Array(repeating: false, count: known.count)
  }

  /// Adds the names in a directory, each with its content. Returns false if it is not whole.
  private func addChildren(of directory: UInt32, to digest: Digest) throws(Errno) -> Bool {
    for name in names[directory] {
      guard let content = content(of: name) else { return false }
      try digest.update(table.paths.name(table[name].location))
      try digest.update([0] + content)
    }
    let length = table.paths.path(ofDirectory: directory).count
    for child in children[directory] {
      let number = classOf[Int(child)]
      if number == DuplicatesDirectories.none { return false }
      let path = table.paths.path(ofDirectory: child)
      // The slash at the end distinguishes it from a file.
      try digest.update(path[length...].rebased)
      try digest.update([0])
      var content: [UInt8] = []
      content.append(littleEndian: number)
      try digest.update(content)
    }
    return true
  }

  /// Returns bytes that stand for the content of a file; `nil` if it was not readable.
  private func content(of name: UInt32) -> [UInt8]? {
    let (entry, file) = (table[name], fileOf[Int(name)])
    var content: [UInt8] = []
    if file != DuplicatesDirectories.none {
      if candidates.isExcluded(file) { return nil }
      let group = groupOf[Int(file)]
      if group != DuplicatesDirectories.none {
        content.append(littleEndian: group)
        return content
      }
    }
    if entry.size == 0 { return [] }
    content.append(littleEndian: entry.inode)
    content.append(littleEndian: entry.device)
    return content
  }

  // MARK: Reports

  private mutating func decide(_ parents: [UInt32]) {
    let several = isAlive.indices.map { UInt32($0) }.filter { members[$0].count > 1 }
    // A class is inside one whose first directory comes earlier.
    for number in several.sorted(by: { members[$0].first ?? 0 < members[$1].first ?? 0 }) {
      var below: [UInt32] = []
      if spansSources { members[number].forEach { forEachName(below: $0) { below.append($0) } } }
      if spansSources && !table.spansSources(below) { continue }
      if isInside(members[number].map { parents[Int($0)] }) {
        isAlive[Int(number)] = true
      } else if let (name, directories) = directories(of: members[number]) {
        isAlive[Int(number)] = true
        found.append((name, directories))
      }
    }
  }

  /// Returns true if some directories are all those of one class, each of them once.
  private func isInside(_ directories: [UInt32]) -> Bool {
    guard let first = directories.first, first != DuplicatesDirectories.none else { return false }
    let number = classOf[Int(first)]
    guard number != DuplicatesDirectories.none, isAlive[Int(number)],
      members[number].count == directories.count
    else { return false }
    return Set(directories) == Set(members[number])
  }

  /// Returns the directories of a class, and their first name; `nil` if nothing could be saved.
  private func directories(
    of members: ArraySlice<UInt32>
  ) -> (name: UInt32, DuplicateDirectories)? {
    // The files that the first directory does not have, with the number of their names in the others.
    var others: [FileIdentity: (name: UInt32, count: Int)] = [:]
    var stay: Set<FileIdentity> = []
    var (files, size, saving, first) = (UInt64(0), UInt64(0), UInt64(0), DuplicatesDirectories.none)
    for (index, member) in members.enumerated() {
      forEachName(below: member) { name in
        let entry = table[name]
        if index == 0 {
          files += 1
          size &+= entry.size
          first = min(first, name)
        }
        if index == 0 {
          stay.insert(entry.file)
        } else if !stay.contains(entry.file) {
          others[entry.file, default: (name, 0)].count += 1
        }
      }
    }
    for (name, count) in others.values {
      let file = fileOf[Int(name)]
      // Another name of it lies elsewhere.
      if file != DuplicatesDirectories.none && candidates.names(of: file).count > count { continue }
      let unfreed = candidates.unfreed[file, default: UnfreedBytes()]
      saving &+= table[name].size - unfreed.shared - unfreed.holes
    }
    if saving == 0 { return nil }
    let paths = members.map { Array(table.paths.path(ofDirectory: $0)) }
    return (first, DuplicateDirectories(paths: paths, files: files, size: size, saving: saving))
  }

  private func forEachName(below directory: UInt32, _ body: (UInt32) -> Void) {
    var open = [directory]
    while let directory = open.popLast() {
      names[directory].forEach(body)
      open += children[directory]
    }
  }
}

private struct Buckets {
  private var ends: [Int]
  private var indices: [UInt32]

  /// Leaves out keys that are not below `count`.
  init(_ keys: some Collection<UInt32>, count: Int) {
    ends = Array(repeating: 0, count: count + 1)
    for key in keys where key < count { ends[Int(key) + 1] += 1 }
    for key in 0..<count { ends[key + 1] += ends[key] }
    indices = Array(repeating: 0, count: ends[count])
    // Each end is where the bucket before begins, until that is filled.
    for (index, key) in keys.enumerated() where key < count {
      indices[ends[Int(key)]] = UInt32(index)
      ends[Int(key)] += 1
    }
  }

  subscript(key: UInt32) -> ArraySlice<UInt32> {
    indices[(key == 0 ? 0 : ends[Int(key) - 1])..<ends[Int(key)]]
  }
}
