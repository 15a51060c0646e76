// The files that have to be compared, each once however many names it has.

internal import Weir

/// Files (inodes) of which others have the same size, in classes of those that may
/// still be the same.
///
/// A class is a part of ``members``. As more becomes known it is cut into smaller
/// ones, in its place.
///
/// @unchecked Sendable: one thread at a time changes it; what a feeder reads
/// meanwhile (entries and members of classes that are read) is not changed.
final class DuplicatesContents: @unchecked Sendable {
  /// 128 bits.
  struct Digest: Comparable {
    let first: UInt64
    let second: UInt64

    static func < (left: Digest, right: Digest) -> Bool {
      (left.first, left.second) < (right.first, right.second)
    }
  }

  /// Some that may be the same, or are.
  struct Class {
    let begin: UInt32
    let end: UInt32
    /// How many of them nothing new is known of yet.
    var pending: UInt32

    var range: Range<Int> { Int(begin)..<Int(end) }
  }

  let table: DuplicatesTable
  /// Whether a file with several names is a group by itself.
  private let listsLinks: Bool
  /// Numbers of names, those of one content one after the other, in their order.
  private var names: [UInt32] = []
  /// Where those of a content begin; one more than there are contents.
  private var begins: [UInt32] = [0]
  private(set) var members: [UInt32] = []
  private(set) var classes: [Class] = []
  private var classOf: [UInt32] = []
  private var digests: [Digest] = []
  /// Those that could not be read, or have changed, are of no class any more.
  private var isOut: [Bool] = []

  init(_ table: DuplicatesTable, listsLinks: Bool) {
    self.table = table
    self.listsLinks = listsLinks
    collect()
  }

  var count: Int { begins.count - 1 }

  /// The names of a content, in the order of the input.
  func names(of content: UInt32) -> ArraySlice<UInt32> {
    names[Int(begins[Int(content)])..<Int(begins[Int(content) + 1])]
  }

  /// Its first name.
  func name(of content: UInt32) -> UInt32 { names[Int(begins[Int(content)])] }

  func size(of content: UInt32) -> UInt64 { table[name(of: content)].size }

  func size(of one: Class) -> UInt64 { size(of: members[Int(one.begin)]) }

  func digest(of content: UInt32) -> Digest { digests[Int(content)] }

  // MARK: By size

  /// What the order is by, next to each other so that sorting a million of them does
  /// not jump about in memory.
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
    isOut = Array(repeating: false, count: count)
  }

  /// Names of one size.
  private func add(_ keys: ArraySlice<Key>) {
    let isOneFile = keys[keys.endIndex - 1].isSameFile(as: keys[keys.startIndex])
    if isOneFile && !listsLinks { return }
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
    let isUsual = members.count - first > 1 || names(of: members[first]).count > 1
    if isUsual {
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

  /// The names of a file, without those that are one name written in several ways,
  /// and without symbolic links to it: who removed what they lead to would have none
  /// of it left. One that is reached by links alone has the first of them.
  private func distinct(_ keys: ArraySlice<Key>) -> [UInt32] {
    if keys.count == 1 { return [keys[keys.startIndex].number] }
    let names = differing(keys)
    guard table.mayHaveLinks else { return names }
    let own = names.filter { !table.names.isLink(table[$0].place) }
    return own.isEmpty ? Array(names.prefix(1)) : own
  }

  /// The first of those that are one name, in their order. By hashes, since a set of
  /// names takes more than all else that is known of them.
  private func differing(_ keys: ArraySlice<Key>) -> [UInt32] {
    struct Candidate {
      let hash: Int
      let number: UInt32
    }
    var candidates = keys.map { key in
      Candidate(hash: table.names.hash(of: table[key.number].place), number: key.number)
    }
    candidates.sort { ($0.hash, $0.number) < ($1.hash, $1.number) }
    var repeated: Set<UInt32> = []
    var begin = 0
    for (index, candidate) in candidates.enumerated() {
      if candidates[begin].hash != candidate.hash { begin = index }
      let place = table[candidate.number].place
      if candidates[begin..<index].contains(where: { earlier in
        table.names.isSame(table[earlier.number].place, place)
      }) {
        repeated.insert(candidate.number)
      }
    }
    return keys.lazy.map(\.number).filter { !repeated.contains($0) }
  }

  // MARK: What becomes known

  /// Keeps what was found out of a content; `nil` for one that could not be read.
  /// Returns its class where that was the last of it.
  func take(_ digest: Digest?, of content: UInt32) -> Class? {
    if let digest { digests[Int(content)] = digest } else { isOut[Int(content)] = true }
    let number = Int(classOf[Int(content)])
    classes[number].pending -= 1
    return classes[number].pending == 0 ? classes[number] : nil
  }

  /// Cuts a class by what is known of its members. Returns those parts that can be a
  /// group, with their members in the order of the input.
  func cut(_ whole: Class) -> [Class] {
    var kept = members[whole.range].filter { !isOut[Int($0)] }
    kept.sort { left, right in
      let (a, b) = (digests[Int(left)], digests[Int(right)])
      return a == b ? name(of: left) < name(of: right) : a < b
    }
    return place(kept, in: whole) { left, right in
      digests[Int(kept[left])] == digests[Int(kept[right])]
    }
  }

  /// Cuts a class as somebody else says: of each member which part it belongs to;
  /// `nil` for none.
  func cut(_ whole: Class, parts: [UInt32?]) -> [Class] {
    let paired = zip(members[whole.range], parts).compactMap { member, part in
      part.map { (member: member, part: $0) }
    }
    let sorted = paired.sorted { ($0.part, name(of: $0.member)) < ($1.part, name(of: $1.member)) }
    return place(sorted.map(\.member), in: whole) { sorted[$0].part == sorted[$1].part }
  }

  private func place(
    _ sorted: [UInt32], in whole: Class, isSame: (_ left: Int, _ right: Int) -> Bool
  ) -> [Class] {
    var parts: [Class] = []
    var begin = 0
    while begin < sorted.count {
      var end = begin + 1
      while end < sorted.count && isSame(begin, end) { end += 1 }
      if end - begin > 1 || listsLinks && names(of: sorted[begin]).count > 1 {
        parts.append(
          Class(
            begin: whole.begin + UInt32(begin), end: whole.begin + UInt32(end),
            pending: UInt32(end - begin)))
      }
      begin = end
    }
    for (index, member) in sorted.enumerated() { members[Int(whole.begin) + index] = member }
    return parts
  }

  /// Begins with other classes: what becomes known from here on is of them.
  func begin(_ others: [Class]) {
    classes = others
    for (number, one) in others.enumerated() {
      for member in members[one.range] { classOf[Int(member)] = UInt32(number) }
    }
  }

  /// The members of some classes in the order of the input.
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
}
