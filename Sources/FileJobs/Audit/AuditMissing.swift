// The files of a manifest that are not there.

internal import Weir

/// What is known of the files that are missing: their names, the lines that name
/// them, and a digest of each, by which they may be found under another name.
///
/// @unchecked Sendable: it is filled by one thread at a time, and looked into by
/// many once it is sealed.
final class AuditMissing: @unchecked Sendable {
  /// A line that names a missing file.
  struct Line {
    let file: Int32
    let manifest: UInt32
    let number: UInt64
    let kind: CheckedLine.Kind
  }

  struct File {
    fileprivate let place: AuditNames.Place
    /// Its name among the odd ones, or -1.
    fileprivate let odd: Int32
    fileprivate var algorithm: UInt8 = 0
    fileprivate var digestCount: UInt8 = 0
    /// Where its digest begins.
    fileprivate var digest = 0
    /// Which digest it has, of those there are.
    fileprivate(set) var group: Int32 = -1
    /// The next one of the same digest and the same base name.
    fileprivate(set) var next: Int32 = -1
  }

  private let names: AuditNames
  private(set) var files: [File] = []
  private(set) var lines: [Line] = []
  private var digests: [UInt8] = []
  /// Names that cannot be had from the set of all names.
  private var oddNames: [[UInt8]] = []
  /// Files whose name was there before, by their places.
  private var late: [AuditNames.Place: Int] = [:]

  /// How many files each group has.
  private(set) var groupCounts: [Int32] = []
  /// A file of each group.
  private var groupFiles: [Int32] = []
  private var groups = AuditIndexTable(capacity: 0)
  /// The first file of each group and base name.
  private var bases = AuditIndexTable(capacity: 0)
  /// The algorithms of the digests.
  private(set) var algorithms: [DigestAlgorithm] = []

  init(_ names: AuditNames) {
    self.names = names
  }

  // MARK: Filling

  /// Takes a line whose file is missing.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - place: Where its name is among the names.
  ///   - isNew: Whether it was not there before.
  ///   - digest: What is expected of it, if that is a digest.
  func add(
    _ line: CheckedLine, at place: AuditNames.Place, isNew: Bool,
    digest: (algorithm: DigestAlgorithm, bytes: UnsafeRawBufferPointer)?
  ) {
    let index = find(place, isNew: isNew) ?? append(line.name, place, isNew: isNew)
    lines.append(
      Line(
        file: Int32(index), manifest: UInt32(line.manifest), number: UInt64(line.number),
        kind: line.kind))
    // Of several digests the longest.
    guard let digest, digest.bytes.count > Int(files[index].digestCount) else { return }
    files[index].algorithm = UInt8(digest.algorithm.index)
    files[index].digestCount = UInt8(digest.bytes.count)
    files[index].digest = digests.count
    digests.append(contentsOf: digest.bytes)
  }

  private func find(_ place: AuditNames.Place, isNew: Bool) -> Int? {
    if isNew { return nil }
    if let last = files.last, last.place == place { return files.count - 1 }
    return late[place] ?? search(place)
  }

  /// Those whose name was new stand in the order of their places.
  private func search(_ place: AuditNames.Place) -> Int? {
    var (low, high) = (0, fresh.count)
    while low < high {
      let middle = (low + high) / 2
      if files[Int(fresh[middle])].place < place { low = middle + 1 } else { high = middle }
    }
    guard low < fresh.count, files[Int(fresh[low])].place == place else { return nil }
    return Int(fresh[low])
  }

  /// The files whose name was new.
  private var fresh: [Int32] = []

  private func append(
    _ name: UnsafeRawBufferPointer, _ place: AuditNames.Place, isNew: Bool
  ) -> Int {
    let isOdd = !isSame(names.name(at: place), name)
    if isOdd { oddNames.append(Array(name)) }
    files.append(File(place: place, odd: isOdd ? Int32(oddNames.count - 1) : -1))
    if isNew { fresh.append(Int32(files.count - 1)) } else { late[place] = files.count - 1 }
    return files.count - 1
  }

  // MARK: Looking

  /// Calls `body` with the name of a file as its line has it.
  func withName<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    let odd = Int(files[index].odd)
    if odd >= 0 { return try oddNames[odd].withUnsafeBytes { try body($0) } }
    return try body(names.name(at: files[index].place))
  }

  /// Ends the filling: groups can be asked for from now on.
  func seal() {
    groups = AuditIndexTable(capacity: files.count)
    bases = AuditIndexTable(capacity: files.count)
    var isUsed = [Bool](repeating: false, count: DigestAlgorithm.allCases.count)
    // From the end, so that each first file is the first one.
    for index in files.indices.reversed() where files[index].digestCount > 0 {
      isUsed[Int(files[index].algorithm)] = true
      files[index].group = Int32(enter(index))
      groupCounts[Int(files[index].group)] += 1
    }
    algorithms = DigestAlgorithm.allCases.filter { isUsed[$0.index] }
    var heads = [Int32](repeating: -1, count: files.count)
    for index in files.indices.reversed() where files[index].group >= 0 {
      let base = AuditMissing.base(of: names.key(at: files[index].place))
      if let head = find(base, in: Int(files[index].group)) {
        // What stands for them all in the table is the last one.
        files[index].next = heads[head]
        heads[head] = Int32(index)
      } else {
        bases.insert(index, AuditMissing.hash(base, Int(files[index].group)))
        heads[index] = Int32(index)
      }
    }
    first = heads
  }

  /// The first file of those that stand for a group and base name, which the last
  /// one stands for in the table.
  private var first: [Int32] = []

  /// The group of a file, which may be a new one.
  private func enter(_ index: Int) -> Int {
    let hash = digests[range(index)].withUnsafeBytes { bytes in
      AuditMissing.hash(bytes, Int(files[index].algorithm))
    }
    let found = digests[range(index)].withUnsafeBytes { bytes in
      groups.find(hash) { has($0, files[index].algorithm, bytes) }
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

  private func has(
    _ group: Int, _ algorithm: UInt8, _ digest: UnsafeRawBufferPointer
  ) -> Bool {
    let file = Int(groupFiles[group])
    guard files[file].algorithm == algorithm else { return false }
    return digests[range(file)].withUnsafeBytes { isSame($0, digest) }
  }

  /// The files that have a digest.
  func group(_ algorithm: DigestAlgorithm, _ digest: UnsafeRawBufferPointer) -> Int? {
    groups.find(AuditMissing.hash(digest, algorithm.index)) {
      has($0, UInt8(algorithm.index), digest)
    }
  }

  /// What stands for the files of a group that have a base name.
  func find(_ base: UnsafeRawBufferPointer, in group: Int) -> Int? {
    bases.find(AuditMissing.hash(base, group)) { index in
      Int(files[index].group) == group
        && isSame(AuditMissing.base(of: names.key(at: files[index].place)), base)
    }
  }

  /// The first of the files that one stands for, in the order of their lines.
  func first(of representative: Int) -> Int { Int(first[representative]) }

  private static func hash(_ bytes: UnsafeRawBufferPointer, _ number: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(number)
    hasher.combine(bytes: bytes)
    return hasher.finalize()
  }

  /// A name without the directories before it.
  static func base(of name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return UnsafeRawBufferPointer(rebasing: name[(slash + 1)...])
  }
}
