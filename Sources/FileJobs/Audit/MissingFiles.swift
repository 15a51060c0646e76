// The missing files of an audit's manifests.

internal import Weir

/// The files that manifests list and that do not exist: their names, their lines, and one
/// digest each, by which the walk may find them under another name.
///
/// Files with the same digest form a group.
///
/// @unchecked Sendable: one thread at a time fills it; many threads read it after `seal()`.
final class MissingFiles: @unchecked Sendable {
  /// A line that names a missing file.
  struct Line {
    let file: Int32
    let manifest: UInt32
    let number: UInt64
    let kind: CheckedLine.Kind
  }

  struct File {
    fileprivate let place: AuditNameSet.Place
    /// The index of the name in `otherNames`, or -1.
    fileprivate let otherName: Int32
    fileprivate var algorithm: UInt8 = 0
    /// The algorithm that the digest may be of instead, or that of the digest.
    fileprivate var alternative: UInt8 = 0
    fileprivate var digestCount: UInt8 = 0
    /// The offset of the digest in `digests`.
    fileprivate var digest = 0
    /// The group of the digest, or -1.
    fileprivate(set) var group: Int32 = -1
    /// The next file with the same group and base name, or -1.
    fileprivate(set) var next: Int32 = -1
  }

  private let names: AuditNameSet
  private(set) var files: [File] = []
  private(set) var lines: [Line] = []
  private var digests: [UInt8] = []
  /// The names that differ from those in `names`.
  private var otherNames: [[UInt8]] = []
  /// The files whose name was new in `names`, by ascending place.
  private var newNames: [Int32] = []
  /// The files whose name was in `names` before, by place.
  private var repeatedNames: [AuditNameSet.Place: Int] = [:]

  /// The number of files in each group.
  private(set) var groupCounts: [Int32] = []
  /// One file of each group.
  private var groupFiles: [Int32] = []
  private var groups = HashIndex(capacity: 0)
  /// The last file of each group and base name.
  private var bases = HashIndex(capacity: 0)
  /// The first file that shares its group and base name with a file, at the index of the
  /// last such file, which is the one in `bases`.
  private var first: [Int32] = []
  private(set) var algorithms: [DigestAlgorithm] = []
  /// The number of ambiguous lines that matched by each algorithm.
  private var matches: [DigestAlgorithm: Int] = [:]

  init(_ names: AuditNameSet) {
    self.names = names
  }

  // MARK: Filling

  /// Adds a line whose file is missing.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - place: The place of its name in the set of names.
  ///   - isNew: True if the set did not have the name before.
  ///   - digest: The expected digest, if the line has one.
  ///   - alternative: The algorithm that it may be of instead.
  func add(
    _ line: CheckedLine, at place: AuditNameSet.Place, isNew: Bool,
    digest: (algorithm: DigestAlgorithm, bytes: UnsafeRawBufferPointer)?,
    alternative: DigestAlgorithm? = nil
  ) {
    let index = find(place, isNew: isNew) ?? append(line.name, place, isNew: isNew)
    lines.append(
      Line(
        file: Int32(index), manifest: UInt32(line.manifest), number: UInt64(line.number),
        kind: line.kind))
    // Of several digests, the longest one is used.
    guard let digest, digest.bytes.count > Int(files[index].digestCount) else { return }
    files[index].algorithm = UInt8(digest.algorithm.index)
    files[index].alternative = UInt8((alternative ?? digest.algorithm).index)
    files[index].digestCount = UInt8(digest.bytes.count)
    files[index].digest = digests.count
    digests.append(contentsOf: digest.bytes)
  }

  /// Takes a line that matched as evidence for the algorithm of ambiguous lines.
  func learn(from line: CheckedLine) {
    guard line.isAmbiguous, let algorithm = line.algorithm else { return }
    matches[algorithm, default: 0] += 1
  }

  /// Gives a file with an ambiguous line the algorithm by which more of the other lines
  /// matched.
  private func resolve(_ file: inout File) {
    let (first, second) = (Int(file.algorithm), Int(file.alternative))
    let (byFirst, bySecond) = (
      matches[DigestAlgorithm(index: first), default: 0],
      matches[DigestAlgorithm(index: second), default: 0]
    )
    if bySecond > byFirst { file.algorithm = file.alternative }
  }

  private func find(_ place: AuditNameSet.Place, isNew: Bool) -> Int? {
    if isNew { return nil }
    if let last = files.last, last.place == place { return files.count - 1 }
    return repeatedNames[place] ?? search(place)
  }

  /// Finds a place in `newNames`.
  private func search(_ place: AuditNameSet.Place) -> Int? {
    let index = newNames.indices.binarySearch { files[Int(newNames[$0])].place >= place }
    guard index < newNames.count, files[Int(newNames[index])].place == place else { return nil }
    return Int(newNames[index])
  }

  private func append(
    _ name: UnsafeRawBufferPointer, _ place: AuditNameSet.Place, isNew: Bool
  ) -> Int {
    let isOther = !names.name(at: place).hasSameBytes(as: name)
    if isOther { otherNames.append(Array(name)) }
    files.append(File(place: place, otherName: isOther ? Int32(otherNames.count - 1) : -1))
    let index = files.count - 1
    if isNew { newNames.append(Int32(index)) } else { repeatedNames[place] = index }
    return index
  }

  /// Ends the filling. The queries below are valid from now on.
  func seal() {
    groups = HashIndex(capacity: files.count)
    bases = HashIndex(capacity: files.count)
    var isUsed = [Bool](repeating: false, count: DigestAlgorithm.allCases.count)
    // Backwards, so that `first` ends up with the first file.
    for index in files.indices.reversed() where files[index].digestCount > 0 {
      resolve(&files[index])
      isUsed[Int(files[index].algorithm)] = true
      files[index].group = Int32(enterGroup(index))
      groupCounts[Int(files[index].group)] += 1
    }
    algorithms = DigestAlgorithm.allCases.filter { isUsed[$0.index] }
    var heads = [Int32](repeating: -1, count: files.count)
    for index in files.indices.reversed() where files[index].group >= 0 {
      let base = MissingFiles.base(of: names.key(at: files[index].place))
      if let last = find(base, in: Int(files[index].group)) {
        files[index].next = heads[last]
        heads[last] = Int32(index)
      } else {
        bases.insert(index, MissingFiles.hash(base, Int(files[index].group)))
        heads[index] = Int32(index)
      }
    }
    first = heads
  }

  /// Returns the group of a file; creates it if it is new.
  private func enterGroup(_ index: Int) -> Int {
    let hash = digests[range(index)].withUnsafeBytes { bytes in
      MissingFiles.hash(bytes, Int(files[index].algorithm))
    }
    let found = digests[range(index)].withUnsafeBytes { bytes in
      groups.find(hash) { isDigest(bytes, files[index].algorithm, of: $0) }
    }
    if let found { return found }
    groupCounts.append(0)
    groupFiles.append(Int32(index))
    groups.insert(groupCounts.count - 1, hash)
    return groupCounts.count - 1
  }

  private func range(_ index: Int) -> Range<Int> {
    files[index].digest..<files[index].digest + Int(files[index].digestCount)
  }

  private func isDigest(
    _ digest: UnsafeRawBufferPointer, _ algorithm: UInt8, of group: Int
  ) -> Bool {
    let file = Int(groupFiles[group])
    guard files[file].algorithm == algorithm else { return false }
    return digests[range(file)].withUnsafeBytes { $0.hasSameBytes(as: digest) }
  }

  // MARK: Queries

  /// Calls `body` with the name of a file as its line has it.
  func withName<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    let other = Int(files[index].otherName)
    if other >= 0 { return try otherNames[other].withUnsafeBytes { try body($0) } }
    return try body(names.name(at: files[index].place))
  }

  /// Returns the group of the files with a digest.
  func group(_ algorithm: DigestAlgorithm, _ digest: UnsafeRawBufferPointer) -> Int? {
    groups.find(MissingFiles.hash(digest, algorithm.index)) {
      isDigest(digest, UInt8(algorithm.index), of: $0)
    }
  }

  /// Returns the last file of a group with a base name, which represents all of them.
  func find(_ base: UnsafeRawBufferPointer, in group: Int) -> Int? {
    bases.find(MissingFiles.hash(base, group)) { index in
      Int(files[index].group) == group
        && MissingFiles.base(of: names.key(at: files[index].place)).hasSameBytes(as: base)
    }
  }

  /// Returns the first file, in the order of the lines, of those that a file represents.
  func first(of representative: Int) -> Int { Int(first[representative]) }

  private static func hash(_ bytes: UnsafeRawBufferPointer, _ number: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(number)
    hasher.combine(bytes: bytes)
    return hasher.finalize()
  }

  /// Returns the last component of a name.
  static func base(of name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return UnsafeRawBufferPointer(rebasing: name[(slash + 1)...])
  }
}

/// A hash table of indices into storage that its owner has. Its size is fixed.
private struct HashIndex: Sendable {
  /// An index plus one; 0 if the slot is empty.
  private var slots: [Int32]

  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    slots = [Int32](repeating: 0, count: size)
  }

  /// Returns the index with this hash for which `matches` returns true.
  func find(_ hash: Int, _ matches: (Int) -> Bool) -> Int? {
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 {
      let index = Int(slots[slot] - 1)
      if matches(index) { return index }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Inserts an index that the table does not have.
  mutating func insert(_ index: Int, _ hash: Int) {
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(index + 1)
  }
}
