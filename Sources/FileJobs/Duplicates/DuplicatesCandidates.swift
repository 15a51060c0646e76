/// The files (inodes) with a size that another file has too, each once, in classes of files that
/// may still be equal. A class is a part of ``members``; it is split in place as more becomes
/// known.
///
/// @unchecked Sendable: one thread at a time makes changes. Entries, and members of classes
/// that are being read, do not change while a feed reads them.
final class DuplicatesCandidates: @unchecked Sendable {
  struct Digest: Equatable {
    let first: UInt64
    let second: UInt64
  }

  struct Class {
    let begin: UInt32
    let end: UInt32
    /// The number of files without a result in the present stage.
    var pending: UInt32

    var range: Range<Int> { Int(begin)..<Int(end) }
  }

  let table: DuplicatesTable
  private let options: DuplicatesJob.Options
  /// The numbers of the names, those of one file together, in the order of the input.
  private var names: [UInt32] = []
  /// The index of each file's first name; one element more than there are files.
  private var begins: [UInt32] = [0]
  private(set) var members: [UInt32] = []
  private(set) var classes: [Class] = []
  private var classOf: [UInt32] = []
  private var digests: [Digest] = []
  /// True for files that could not be read or have changed: they are in no class.
  private var areExcluded: [Bool] = []
  /// The files of groups whose removal frees less than their size, beside the first of each group.
  var unfreed: [UInt32: UnfreedBytes] = [:]
  fileprivate let freedBlocks = FreedBlocks()

  init(_ table: DuplicatesTable, _ options: DuplicatesJob.Options) {
    self.table = table
    self.options = options
    collect()
  }

  var count: Int { begins.count - 1 }

  func names(of file: UInt32) -> ArraySlice<UInt32> {
    names[Int(begins[Int(file)])..<Int(begins[Int(file) + 1])]
  }

  func name(of file: UInt32) -> UInt32 { names[Int(begins[Int(file)])] }

  func size(of file: UInt32) -> UInt64 { table[name(of: file)].size }

  func size(of one: Class) -> UInt64 { size(of: members[Int(one.begin)]) }

  func digest(of file: UInt32) -> Digest { digests[Int(file)] }

  func isExcluded(_ file: UInt32) -> Bool { areExcluded[Int(file)] }

  // MARK: By size

  /// The sort key of a name. Keys are contiguous, so that a sort does not jump about in memory.
  private struct Key {
    let size: UInt64
    let inode: UInt64
    /// The device, and the number of the name.
    let rest: UInt64

    var device: UInt64 { rest >> 32 }
    var number: UInt32 { UInt32(truncatingIfNeeded: rest) }

    static func precedes(_ left: Key, _ right: Key) -> Bool {
      if left.size != right.size { return left.size < right.size }
      if left.inode != right.inode { return left.inode < right.inode }
      return left.rest < right.rest
    }

    func isSameFile(as other: Key) -> Bool {
      inode == other.inode && device == other.device && size == other.size
    }
  }

  private func collect() {
    var keys: [Key] = []
    keys.reserveCapacity(table.count)
    for number in 0..<UInt32(table.count) {
      let entry = table[number]
      if entry.size < options.minimumSize { continue }
      keys.append(
        Key(
          size: entry.size, inode: entry.inode,
          rest: UInt64(entry.device) << 32 | UInt64(number)))
    }
    keys.sort(by: Key.precedes)
    var begin = 0
    while begin < keys.count {
      var end = begin + 1
      while end < keys.count && keys[end].size == keys[begin].size { end += 1 }
      if end - begin > 1 { add(keys[begin..<end]) }
      begin = end
    }
    let nothing = Digest(first: 0, second: 0)
    digests = Array(repeating: nothing, count: count)
    areExcluded = Array(repeating: false, count: count)
  }

  /// Adds the names of one size.
  private func add(_ keys: ArraySlice<Key>) {
    let isOneFile = keys[keys.endIndex - 1].isSameFile(as: keys[keys.startIndex])
    if isOneFile && !options.listsLinks { return }
    let first = members.count
    var begin = keys.startIndex
    while begin < keys.endIndex {
      var end = begin + 1
      while end < keys.endIndex && keys[end].isSameFile(as: keys[begin]) { end += 1 }
      members.append(UInt32(count))
      names.append(contentsOf: distinct(keys[begin..<end]))
      begins.append(UInt32(names.count))
      classOf.append(UInt32(classes.count))
      begin = end
    }
    let isClass = members.count - first > 1 || names(of: members[first]).count > 1
    if isClass {
      classes.append(
        Class(
          begin: UInt32(first), end: UInt32(members.count),
          pending: UInt32(members.count - first)))
    } else {
      // One file that was named twice.
      begins.removeLast()
      names.removeLast(names.count - Int(begins[begins.count - 1]))
      classOf.removeLast()
      members.removeLast()
    }
  }

  /// Returns the names of a file, without repetitions of a name in another spelling, and
  /// without symbolic links: a user who keeps a link and removes its target keeps nothing.
  /// A file that has only links has the first of them.
  private func distinct(_ keys: ArraySlice<Key>) -> [UInt32] {
    if keys.count == 1 { return [keys[keys.startIndex].number] }
    var places: Set<DuplicatesPaths.Place> = []
    let names = keys.map(\.number).filter {
      places.insert(table.paths.place(table[$0].location)).inserted
    }
    guard table.mayHaveLinks else { return names }
    let own = names.filter { !table.paths.isLink(table[$0].location) }
    return own.isEmpty ? Array(names.prefix(1)) : own
  }

  // MARK: Results

  /// Stores the digest of a file; `nil` if the file could not be read. Returns the class of
  /// the file if this was its last result.
  func store(_ digest: Digest?, of file: UInt32) -> Class? {
    if let digest { digests[Int(file)] = digest } else { areExcluded[Int(file)] = true }
    let number = Int(classOf[Int(file)])
    classes[number].pending -= 1
    return classes[number].pending == 0 ? classes[number] : nil
  }

  /// Splits a class by the digests of its members. Returns the parts that can be a group,
  /// with their members in the order of the input.
  func split(_ whole: Class) -> [Class] {
    split(whole, members[whole.range].filter { !isExcluded($0) }) { left, right in
      let (left, right) = (digests[Int(left)], digests[Int(right)])
      return (left.first, left.second) < (right.first, right.second)
    }
  }

  /// Splits a class by the given part number of each member; `nil` for no part.
  func split(_ whole: Class, parts: [UInt32?]) -> [Class] {
    let known = zip(members[whole.range], parts).compactMap { member, part in
      part.map { (member, $0) }
    }
    let parts = Dictionary(uniqueKeysWithValues: known)
    return split(whole, known.map(\.0)) { (parts[$0] ?? 0) < (parts[$1] ?? 0) }
  }

  /// Sorts some members of a class, first by their parts, and stores them in its place.
  private func split(
    _ whole: Class, _ some: [UInt32], by precedes: (UInt32, UInt32) -> Bool
  ) -> [Class] {
    let sorted = some.sorted { left, right in
      precedes(left, right) || !precedes(right, left) && name(of: left) < name(of: right)
    }
    var parts: [Class] = []
    var begin = 0
    while begin < sorted.count {
      var end = begin + 1
      while end < sorted.count && !precedes(sorted[begin], sorted[end]) { end += 1 }
      if end - begin > 1 || options.listsLinks && names(of: sorted[begin]).count > 1 {
        parts.append(
          Class(
            begin: whole.begin + UInt32(begin), end: whole.begin + UInt32(end),
            pending: UInt32(end - begin)))
      }
      begin = end
    }
    members.replaceSubrange(
      Int(whole.begin)..<Int(whole.begin) + sorted.count, with: sorted)
    return parts
  }

  func begin(_ others: [Class]) {
    classes = others
    for (number, one) in others.enumerated() {
      for member in members[one.range] { classOf[Int(member)] = UInt32(number) }
    }
  }

  /// Returns the members of classes in the order of the input.
  func ordered(_ classes: some Sequence<Class>) -> [UInt32] {
    var keys: [UInt64] = []
    for one in classes {
      for member in members[one.range] {
        keys.append(UInt64(name(of: member)) << 32 | UInt64(member))
      }
    }
    keys.sort()
    return keys.map { UInt32(truncatingIfNeeded: $0) }
  }

  /// Returns the metadata of a file by its first name.
  func metadata(of file: UInt32, number: UInt32) -> DuplicatesMetadata {
    let entry = table[name(of: file)]
    return DuplicatesMetadata(
      size: entry.size, file: FileIdentity(device: table.device(of: entry), inode: entry.inode),
      modified: entry.modified, number: number)
  }

  func blocks(of file: UInt32) -> FileBlocks {
    freedBlocks.blocks(
      path(of: file), metadata(of: file, number: file), names: names(of: file).count)
  }

  /// Returns for each file of a group the bytes that would not be freed if all but some were removed.
  func unfreed(
    _ files: some RandomAccessCollection<UInt32>, _ blocks: [FileBlocks], stays: (Int) -> Bool
  ) -> [UnfreedBytes] {
    FreedBlocks.unfreed(blocks, size: files.first.map { size(of: $0) } ?? 0, stays: stays) {
      freedBlocks.haveMore(path(of: files[files.index(files.startIndex, offsetBy: $0)]), $1, $2)
    }
  }

  private func path(of file: UInt32) -> [UInt8] { table.path(name(of: file)) + [0] }
}
