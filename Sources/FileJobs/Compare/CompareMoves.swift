// The search for moved files among those that one side alone has.
//
// DESIGN. The files of each side are sorted by their content, and both are read in step: the first
// of A with a content belongs to the first of B with it, by their names, the second to the second.
// So each file belongs to one pair, the same one in every run, and the memory is that of two sorts.
// The content is the digest by the strongest algorithm that both sides have among these files; without
// one, the size, the time and the last component of the name. If that finds nothing, the next
// algorithm is tried: a line of 64 digits may be of SHA-256 or of BLAKE3.

internal import Weir

struct CompareMoves {
  /// The algorithm of the digests; `nil` for none.
  let algorithm: UInt8?
  /// Makes an empty sort.
  let makeRuns: () -> SortedRuns
  let check: () throws -> Void

  /// The first byte of a content.
  private enum Kind { static let (digest, status): (UInt8, UInt8) = (0, 1) }

  /// Returns the moves: for an old name, its key, NUL and the new key; for a new name, its key and
  /// NUL. Returns `nil` if there is none.
  static func find(
    in store: CompareStore, makeRuns: @escaping () -> SortedRuns,
    check: @escaping () throws -> Void
  ) throws -> SortedRuns? {
    let (a, b) = (store.only.a, store.only.b)
    if a.sizes.isEmpty || b.sizes.isEmpty { return nil }
    let shared = DigestStrength.sorted(a.algorithms.intersection(b.algorithms))
    for algorithm in shared.isEmpty ? [nil] : shared.map(Optional.some) {
      let search = CompareMoves(algorithm: algorithm, makeRuns: makeRuns, check: check)
      let moves = try search.join(search.contents(of: store))
      if moves.count > 0 { return moves }
    }
    return nil
  }

  /// Sorts the files of each side by their content. A record is the length of the content, the
  /// content, and the key.
  private func contents(of store: CompareStore) throws -> CompareSides<SortedRuns> {
    let sides = CompareSides(makeRuns(), makeRuns())
    try store.forEach { finding in
      try check()
      guard let side = finding.onlySide, let content = content(of: finding) else { return }
      try sides[side].append(writing: 4 + content.count + finding.key.count) { line in
        line.append(littleEndian: UInt32(content.count))
        line.append(content)
        line.append(finding.key)
      }
    }
    try sides.a.finish()
    try sides.b.finish()
    return sides
  }

  /// Returns the content of a file; `nil` if it is not known.
  private func content(of finding: CompareFinding) -> [UInt8]? {
    let entry = finding.onlyEntry
    let isDoubtful = !entry.flags.isDisjoint(with: [.unreadable, .contradictory, .ambiguous])
    if entry.isOther || isDoubtful { return nil }
    let digest = algorithm.flatMap { algorithm in
      CompareDigests(entry.digests).first { $0.isOf(algorithm) }
    }
    if let digest { return [Kind.digest] + digest.bytes }
    guard let size = entry.size, let time = entry.time else { return nil }
    var content = [Kind.status]
    content.append(littleEndian: size)
    content.append(littleEndian: time.seconds)
    content.append(littleEndian: time.nanoseconds)
    return content + CompareKey.lastComponent(of: finding.key)
  }

  /// Pairs the files that have the same content.
  private func join(_ sides: CompareSides<SortedRuns>) throws -> SortedRuns {
    let moves = makeRuns()
    let (readerA, readerB) = (sides.a.makeReader(), sides.b.makeReader())
    var (headA, headB) = (try readerA.next(), try readerB.next())
    while let old = headA, let new = headB {
      try check()
      let (oldCount, newCount) = (CompareMoves.contentCount(old), CompareMoves.contentCount(new))
      let order = UnsafeRawBufferPointer(rebasing: old[..<oldCount])
        .order(to: UnsafeRawBufferPointer(rebasing: new[..<newCount]))
      if order == 0 {
        let oldKey = UnsafeRawBufferPointer(rebasing: old[oldCount...])
        let newKey = UnsafeRawBufferPointer(rebasing: new[newCount...])
        try append(oldKey, newKey, to: moves)
        try append(newKey, .empty, to: moves)
      }
      if order <= 0 { headA = try readerA.next() }
      if order >= 0 { headB = try readerB.next() }
    }
    try moves.finish()
    return moves
  }

  /// Returns the number of bytes before the key of a record.
  private static func contentCount(_ record: UnsafeRawBufferPointer) -> Int {
    4 + Int(record.littleEndian(at: 0) as UInt32)
  }

  private func append(
    _ key: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer, to moves: SortedRuns
  ) throws {
    try moves.append(writing: key.count + 1 + target.count) { line in
      line.append(key)
      line.append(UInt8(0))
      line.append(target)
    }
  }
}

/// A reader of moves, in step with the findings.
struct CompareLookup {
  private let reader: SortedRuns.Reader
  private var head: UnsafeRawBufferPointer?

  init(_ moves: SortedRuns) throws {
    reader = moves.makeReader()
    head = try reader.next()
  }

  /// Returns what follows a key and its end in its record; `nil` if there is no record of the key.
  mutating func find(_ key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    while let record = head {
      let count = record.keyCount
      let order = UnsafeRawBufferPointer(rebasing: record[..<count]).order(to: key)
      if order == 0 { return UnsafeRawBufferPointer(rebasing: record[(count + 1)...]) }
      if order > 0 { return nil }
      head = try reader.next()
    }
    return nil
  }
}
