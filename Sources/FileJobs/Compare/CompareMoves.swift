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

  /// The first byte of a content.
  private enum Kind { static let (digest, status): (UInt8, UInt8) = (0, 1) }

  /// Returns the moves: for an old name, its key, NUL and the new key; for a new name, its key and
  /// NUL. Returns `nil` if there is none.
  static func find(
    in store: CompareStore, makeRuns: @escaping () -> SortedRuns, check: () throws -> Void
  ) throws -> SortedRuns? {
    if store.onlyA.count == 0 || store.onlyB.count == 0 { return nil }
    let shared = DigestStrength.sorted(store.onlyA.algorithms.intersection(store.onlyB.algorithms))
    for algorithm in shared.isEmpty ? [nil] : shared.map(Optional.some) {
      let search = CompareMoves(algorithm: algorithm, makeRuns: makeRuns)
      let (a, b) = try search.contents(of: store, check: check)
      let moves = try search.join(a, b, check: check)
      if moves.count > 0 { return moves }
    }
    return nil
  }

  /// Sorts the files of each side by their content.
  private func contents(
    of store: CompareStore, check: () throws -> Void
  ) throws -> (SortedRuns, SortedRuns) {
    let (a, b) = (makeRuns(), makeRuns())
    try store.forEach { finding in
      try check()
      guard let side = finding.onlySide else { return }
      let entry = finding.onlyEntry
      if entry.isOther || !entry.flags.isDisjoint(with: [.unreadable, .contradictory]) { return }
      let digest = CompareDigests(entry.digests).first { digest in
        algorithm.map { digest.isOf($0) } ?? false
      }
      if digest == nil && (entry.size == nil || entry.time == nil) { return }
      let key = finding.key
      try (side == .a ? a : b).append(capacity: 320 + key.count * 2) { memory in
        var line = LineWriter(memory)
        if let digest {
          line.append(Kind.digest)
          line.append(UInt8(digest.bytes.count))
          line.append(digest.bytes)
        } else if let size = entry.size, let time = entry.time {
          line.append(Kind.status)
          withUnsafeBytes(of: size.bigEndian) { line.append($0) }
          withUnsafeBytes(of: time.seconds.bigEndian) { line.append($0) }
          withUnsafeBytes(of: time.nanoseconds.bigEndian) { line.append($0) }
          line.append(CompareKey.lastComponent(of: key))
          line.append(UInt8(0))
        }
        line.append(key)
        return line.count
      }
    }
    try a.finish()
    try b.finish()
    return (a, b)
  }

  /// Returns the number of bytes of the content at the beginning of a record.
  private static func contentCount(_ record: UnsafeRawBufferPointer) -> Int {
    if record[0] == Kind.digest { return 2 + Int(record[1]) }
    let fixed = 1 + 8 + 8 + 4
    return fixed + UnsafeRawBufferPointer(rebasing: record[fixed...]).keyCount + 1
  }

  private func join(
    _ a: SortedRuns, _ b: SortedRuns, check: () throws -> Void
  ) throws -> SortedRuns {
    let moves = makeRuns()
    let (readerA, readerB) = (a.makeReader(), b.makeReader())
    var (headA, headB) = (try readerA.next(), try readerB.next())
    while let old = headA, let new = headB {
      try check()
      let (oldCount, newCount) = (CompareMoves.contentCount(old), CompareMoves.contentCount(new))
      let order = UnsafeRawBufferPointer(rebasing: old[..<oldCount])
        .order(to: UnsafeRawBufferPointer(rebasing: new[..<newCount]))
      if order == 0 {
        let oldKey = UnsafeRawBufferPointer(rebasing: old[oldCount...])
        let newKey = UnsafeRawBufferPointer(rebasing: new[newCount...])
        try moves.append(key: oldKey, newKey)
        try moves.append(key: newKey, .empty)
      }
      if order <= 0 { headA = try readerA.next() }
      if order >= 0 { headB = try readerB.next() }
    }
    try moves.finish()
    return moves
  }
}

extension SortedRuns {
  /// Appends a record that begins with a key and its end.
  func append(key: UnsafeRawBufferPointer, _ rest: UnsafeRawBufferPointer) throws(Fault) {
    try append(capacity: key.count + 1 + rest.count) { memory in
      var line = LineWriter(memory)
      line.append(key)
      line.append(UInt8(0))
      line.append(rest)
      return line.count
    }
  }
}
