// The missing files of an audit's manifests.

internal import Weir

/// The content of a file as a line records it: its digests and its size.
struct RecordedContent {
  /// The kind of the recorded facts.
  struct Shape: Hashable {
    fileprivate var algorithms: [DigestAlgorithm] = []
    /// True if the line has one digest, which may be of any of the algorithms.
    fileprivate var isEither = false
    fileprivate var hasSize = false
  }

  fileprivate var shape = Shape()
  fileprivate var bytes: [UInt8] = []

  mutating func append(
    _ digest: UnsafeRawBufferPointer, _ algorithm: DigestAlgorithm,
    or alternative: DigestAlgorithm? = nil
  ) {
    let all = [algorithm, alternative].compactMap(\.self).sorted { $0.index < $1.index }
    shape.algorithms += all
    shape.isEither = all.count > 1
    bytes.append(contentsOf: digest)
  }

  mutating func append(size: UInt64) {
    shape.hasSize = true
    withUnsafeBytes(of: size) { bytes.append(contentsOf: $0) }
  }
}

/// The files that manifests list and that do not exist: their names, and their lines with the
/// recorded content, by which the walk may find them under another name.
///
/// Lines that record the same content form a group.
///
/// @unchecked Sendable: one thread at a time fills it; many threads read it after `seal()`.
final class MissingFiles: @unchecked Sendable {
  /// A line that names a missing file.
  struct Line {
    let file: Int32
    let manifest: UInt32
    let number: UInt64
    let kind: CheckedLine.Kind
    /// The index in `shapes`, or -1 if the line has no digest.
    fileprivate let shape: Int32
    /// The offset of the content in `contents`. It ends where that of the next line begins.
    fileprivate let content: Int
    /// The group of the content, or -1.
    fileprivate(set) var group: Int32 = -1
  }

  struct File {
    fileprivate let place: AuditNameSet.Place
    /// The index of the name in `otherNames`, or -1.
    fileprivate let otherName: Int32
    /// The line that records most of the content.
    fileprivate var line: Int32
    /// The group of that line, or -1.
    fileprivate(set) var group: Int32 = -1
    /// The next file with the same group and base name, or -1.
    fileprivate(set) var next: Int32 = -1
  }

  private let names: AuditNameSet
  private(set) var files: [File] = []
  private(set) var lines: [Line] = []
  private var contents: [UInt8] = []
  private var shapes: [RecordedContent.Shape] = []
  private var shapeNumbers: [RecordedContent.Shape: Int32] = [:]
  /// The names that differ from those in `names`.
  private var otherNames: [[UInt8]] = []
  /// The files whose name was new in `names`, by ascending place.
  private var newNames: [Int32] = []
  /// The files whose name was in `names` before, by place.
  private var repeatedNames: [AuditNameSet.Place: Int] = [:]

  /// The number of files in each group.
  private(set) var groupCounts: [Int32] = []
  /// One line of each group.
  private var groupLines: [Int32] = []
  private var groups = HashIndex(capacity: 0)
  /// The last file of each group and base name.
  private var bases = HashIndex(capacity: 0)
  /// The first file that shares its group and base name with a file, at the index of the
  /// last such file, which is the one in `bases`.
  private var first: [Int32] = []
  private(set) var algorithms: [DigestAlgorithm] = []

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
  ///   - content: What the line records of the content, if it has a digest.
  func add(
    _ line: CheckedLine, at place: AuditNameSet.Place, isNew: Bool, content: RecordedContent?
  ) {
    let index = find(place, isNew: isNew) ?? append(line.name, place, isNew: isNew)
    lines.append(
      Line(
        file: Int32(index), manifest: UInt32(line.manifest), number: UInt64(line.number),
        kind: line.kind, shape: content.map { number(of: $0.shape) } ?? -1,
        content: contents.count))
    contents += content?.bytes ?? []
    // Of several lines, the one that records most decides.
    if range(lines.count - 1).count > range(Int(files[index].line)).count {
      files[index].line = Int32(lines.count - 1)
    }
  }

  private func number(of shape: RecordedContent.Shape) -> Int32 {
    if let number = shapeNumbers[shape] { return number }
    shapes.append(shape)
    shapeNumbers[shape] = Int32(shapes.count - 1)
    return Int32(shapes.count - 1)
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
    files.append(
      File(
        place: place, otherName: isOther ? Int32(otherNames.count - 1) : -1,
        line: Int32(lines.count)))
    let index = files.count - 1
    if isNew { newNames.append(Int32(index)) } else { repeatedNames[place] = index }
    return index
  }

  /// Ends the filling. The queries below are valid from now on.
  func seal() {
    groups = HashIndex(capacity: lines.count)
    bases = HashIndex(capacity: files.count)
    for index in lines.indices where lines[index].shape >= 0 {
      lines[index].group = Int32(enterGroup(index))
    }
    for index in files.indices {
      files[index].group = lines[Int(files[index].line)].group
      if files[index].group >= 0 { groupCounts[Int(files[index].group)] += 1 }
    }
    let used = Set(shapes.flatMap(\.algorithms))
    algorithms = DigestAlgorithm.allCases.filter(used.contains)
    // Backwards, so that `first` ends up with the first file.
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

  /// Returns the group of a line; creates it if it is new.
  private func enterGroup(_ index: Int) -> Int {
    let shape = lines[index].shape
    let (hash, found) = contents[range(index)].withUnsafeBytes { bytes in
      (MissingFiles.hash(bytes, Int(shape)), group(of: bytes, shape))
    }
    if let found { return found }
    groupCounts.append(0)
    groupLines.append(Int32(index))
    groups.insert(groupCounts.count - 1, hash)
    return groupCounts.count - 1
  }

  private func range(_ line: Int) -> Range<Int> {
    let next = line + 1
    return lines[line].content..<(next < lines.count ? lines[next].content : contents.count)
  }

  private func group(of content: UnsafeRawBufferPointer, _ shape: Int32) -> Int? {
    groups.find(MissingFiles.hash(content, Int(shape))) { group in
      let line = Int(groupLines[group])
      return lines[line].shape == shape
        && contents[range(line)].withUnsafeBytes { $0.hasSameBytes(as: content) }
    }
  }

  // MARK: Queries

  /// Calls `body` with the name of a file as its line has it.
  func withName<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    let other = Int(files[index].otherName)
    if other >= 0 { return try otherNames[other].withUnsafeBytes { try body($0) } }
    return try body(names.name(at: files[index].place))
  }

  /// Returns the groups of the lines whose recorded content is that of a file.
  ///
  /// - Parameters:
  ///   - size: The number of bytes of the file.
  ///   - digest: Returns the digest of the file by one of ``algorithms``.
  func groups(
    size: UInt64, _ digest: (DigestAlgorithm) -> UnsafeRawBufferPointer
  ) -> [Int32] {
    var found: [Int32] = []
    for (number, shape) in shapes.enumerated() {
      for some in shape.isEither ? shape.algorithms.map({ [$0] }) : [shape.algorithms] {
        var content = RecordedContent()
        for algorithm in some { content.append(digest(algorithm), algorithm) }
        if shape.hasSize { content.append(size: size) }
        let its = content.bytes.withUnsafeBytes { group(of: $0, Int32(number)) }
        if let its { found.append(Int32(its)) }
      }
    }
    return found
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
